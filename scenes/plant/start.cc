#include "civita/scenes/plant/start.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "base/decompositions.h"
#include "base/random.h"
#include "base/text.h"
#include "civita/cluster_kinematics.h"
#include "civita/cluster_model.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/model.h"
#include "civita/scenes/motion/reference.h"
#include "civita/scenes/plant/actuation.h"
#include "civita/scenes/plant/closed_chain.h"
#include "civita/scenes/plant/coupling.h"
#include "civita/scenes/schema/checked.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/scenes/schema/key_row.h"
#include "civita/scenes/schema/yaml_value.h"
#include "civita/suggest.h"
#include "civita/workspace.h"

namespace civita {
namespace {

// Distance of a hinge or slide to its nearer limit.
double RoomAt(const mjModel& m, int joint, double q) {
  if (!IsLimited(m, joint)) return std::numeric_limits<double>::infinity();
  const mjtNum* range = m.jnt_range + 2 * joint;
  return std::max(0.0, std::min(q - range[0], range[1] - q));
}

// Sets the angles that the config gives.
void PlaceJoints(const InitialConfig& initial, const mjModel& m, Eigen::VectorXd* q) {
  for (const auto& [name, value] : initial.joints) {
    const std::string key = "initial.joints." + name;
    const int joint = mj_name2id(&m, mjOBJ_JOINT, name.c_str());
    if (joint < 0 || !IsScalarJoint(m, joint)) {
      const auto names = NamesOf(m, mjOBJ_JOINT, IsScalarJoint);
      throw KeyError(key, UnknownName("hinge or slide", name, names));
    }
    const mjtNum* range = m.jnt_range + 2 * joint;
    if (IsLimited(m, joint) && (value < range[0] || value > range[1])) {
      RefuseValue(key, " is " + ToYamlText(value) + ", its range is " + ToYamlText(range[0]) +
                           " … " + ToYamlText(range[1]));
    }
    (*q)[m.jnt_qposadr[joint]] = value;
  }
}

// The velocity allowed by the loops, with the independent velocities as given.
Eigen::VectorXd CloseVelocity(const ClusterModel* closed, const Eigen::VectorXd& q,
                              Eigen::VectorXd v) {
  if (closed == nullptr) return v;
  ClusterWorkspace<double> workspace(*closed);
  Eigen::VectorXd w(closed->nw());
  for (Eigen::Index a = 0; a < w.size(); ++a) {
    w[a] = v[closed->independent()[static_cast<size_t>(a)]];
  }
  const ClusterStatus status = UpdateKinematics<double>(*closed, q, w, workspace);
  if (!status.ok()) throw KeyError("initial.q", "the start: " + Describe(*closed, status));
  CalcTreeVelocity<double>(*closed, w, workspace, v);
  return v;
}

}  // namespace

std::span<const KeyRow<InitialConfig>> InitialKeys() {
  using C = InitialConfig;
  using enum NumberRange;
  using Prior = VelocityErrorPrior;
  static constexpr Choice<Prior> kPriors[] = {{"none", Prior::kNone},
                                              {"joint", Prior::kJoint},
                                              {"energy", Prior::kEnergy},
                                              {"impulse", Prior::kImpulse}};
  static constexpr KeyRow<C> kKeys[] = {
      {"q", &C::q, "rad, m", "initial configuration; default: the keyframe home or qpos0"},
      {"joints", &C::joints, "rad, m", "the start's angles by joint; default: the keyframe's or 0"},
      {"v", &C::v, "rad/s, m/s", "initial velocity; default: the reference's"},
      {"v_error", &C::v_error, "rad/s, m/s", "initial velocity minus the reference's"},
      {"v_error_prior", OneOf<&C::v_error_prior, kPriors>(), "",
       "random v_error of a start on the reference, isotropic in the joints' velocities, in "
       "kinetic "
       "energy (H^-1/2 z) or as of independent joint impulses (H^-1 z)"},
      {"v_error_seed", &C::v_error_seed, "", "of the prior's error", kNotNegative},
      {"v_error_size", &C::v_error_size, "rad/s, m/s",
       "of the prior's error, root mean square over independent velocities and seeds", kPositive},
  };
  return kKeys;
}

Eigen::VectorXd FindStart(const InitialConfig& initial, const mjModel& m, const Model& model,
                          const Actuation& actuation, const std::vector<Coupling>& couplings,
                          std::vector<std::string>* notices) {
  const int key = mj_name2id(&m, mjOBJ_KEY, "home");
  const mjtNum* from = key >= 0 ? m.key_qpos + m.nq * key : m.qpos0;
  Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(from, m.nq);
  std::vector<std::string> near, beyond;
  for (int joint = 0; joint < m.njnt; ++joint) {
    const char* name = mj_id2name(&m, mjOBJ_JOINT, joint);
    const bool given = name != nullptr && initial.joints.contains(name);
    if (!IsScalarJoint(m, joint) || !IsLimited(m, joint) || given) continue;
    // A joint without a drive follows no reference, and a stop may be where it rests.
    if (actuation.is_passive(m.jnt_dofadr[joint])) continue;
    const double lower = m.jnt_range[2 * joint], upper = m.jnt_range[2 * joint + 1];
    const double margin = 0.1 * (upper - lower);
    double& value = q[m.jnt_qposadr[joint]];
    const double inside = std::clamp(value, lower + margin, upper - margin);
    if (inside == value) continue;
    const bool is_out = key >= 0 && (value < lower || value > upper);
    (is_out ? beyond : near).push_back(model.VelocityName(m.jnt_dofadr[joint]));
    if (key < 0) value = inside;
  }
  internal::TellNames(
      key >= 0 ? "the keyframe home is nearer to joint limits than a tenth of the range: "
               : "the start is moved inside the joint limits by a tenth of the range: ",
      near, notices);
  internal::TellNames("the keyframe home is beyond joint limits: ", beyond, notices);
  PlaceJoints(initial, m, &q);
  for (const Coupling& c : couplings) {
    double slope = 0, curvature = 0;
    c.Evaluate(c.iq_from < 0 ? 0 : q[c.iq_from], &q[c.iq], &slope, &curvature);
  }
  for (const Model::NamedJoint& joint : model.joints()) {
    const int rotation = RotationOffset(joint.type);
    if (rotation >= 0) q.segment<4>(joint.iq + rotation).normalize();
  }
  return q;
}

Eigen::VectorXd FindStartPosition(const InitialConfig& initial, const Model& plant,
                                  const ClusterModel* closed, const Eigen::VectorXd& center) {
  if (!initial.q) return center;
  Eigen::VectorXd q = internal::CheckedPosition(plant, "initial.q", *initial.q);
  if (closed == nullptr) return q;
  ClusterWorkspace<double> workspace(*closed);
  const ClusterStatus status = CloseLoops(*closed, workspace, q);
  if (!status.ok()) RefuseValue("initial.q", ": " + Describe(*closed, status));
  return q;
}

Eigen::VectorXd FindStartVelocity(const InitialConfig& initial, const Model& plant,
                                  const std::shared_ptr<const ClusterModel>& closed,
                                  const Reference& reference, const Eigen::VectorXd& center,
                                  const Eigen::VectorXd& q_start) {
  const int nv = plant.nv();
  Eigen::VectorXd v = SampleStart(plant, closed, reference, center).v;
  if (initial.v) {
    internal::CheckLength("initial.v", initial.v->size(), nv, "nv");
    v = CloseVelocity(closed.get(), q_start, internal::AsVector(*initial.v));
  }
  if (!initial.v_error) return v;
  if (initial.v) RefuseValue("initial.v_error", ": initial.v is given, too; give one of them");
  internal::CheckLength("initial.v_error", initial.v_error->size(), nv, "nv");
  return CloseVelocity(closed.get(), q_start, v + internal::AsVector(*initial.v_error));
}

ReferenceState SampleStart(const Model& plant, const std::shared_ptr<const ClusterModel>& closed,
                           const Reference& reference, const Eigen::VectorXd& center) {
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(plant.nv());
  ReferenceState at_start{center, zero, zero};
  reference.Sample(0, at_start);
  if (closed) LoopCloser(closed).Close(center, at_start);
  return at_start;
}

bool HasVelocityErrorPrior(const InitialConfig& initial) {
  if (initial.v_error_prior == VelocityErrorPrior::kNone) return false;
  const auto refuse = [](const std::string& other, const char* why) {
    RefuseValue("initial.v_error_prior", ": " + other + " is given, too; " + why);
  };
  if (initial.q) refuse("initial.q", "a prior's run starts on its reference");
  if (initial.v) refuse("initial.v", "give one of them");
  if (initial.v_error) refuse("initial.v_error", "give one of them");
  return true;
}

Eigen::VectorXd DrawVelocityError(const InitialConfig& initial, const Model& plant,
                                  const ClusterModel* closed, const std::vector<bool>& loose,
                                  const Eigen::VectorXd& q) {
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(plant.nv());
  Eigen::MatrixXd H(plant.nv(), plant.nv());
  Workspace<double> workspace(plant);
  UpdateKinematics<double>(plant, q, workspace);
  CalcMassMatrix<double>(plant, workspace, H);
  // Columns: the motion of the tree by each velocity that has an error.
  std::vector<int> places;
  for (int i = 0; i < (closed != nullptr ? closed->nw() : plant.nv()); ++i) {
    const int iv = closed != nullptr ? closed->independent()[static_cast<size_t>(i)] : i;
    if (!loose[static_cast<size_t>(iv)]) places.push_back(iv);
  }
  const auto n = static_cast<Eigen::Index>(places.size());
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(plant.nv(), n);
  for (Eigen::Index k = 0; k < n; ++k) {
    Eigen::VectorXd unit = rest;
    unit[places[static_cast<size_t>(k)]] = 1;
    A.col(k) = CloseVelocity(closed, q, unit);
  }
  const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(n, n);
  const Eigen::MatrixXd metric = A.transpose() * H * A;
  // W = B Bᵀ.
  const auto factor = internal::DecomposePositiveDefinite(metric);
  Eigen::MatrixXd B = one;
  if (factor && initial.v_error_prior == VelocityErrorPrior::kEnergy) {
    B = factor->OrthonormalFrame();
  }
  if (factor && initial.v_error_prior == VelocityErrorPrior::kImpulse) B = factor->Solve(one);
  const double size = B.norm() / std::sqrt(static_cast<double>(n));
  if (n == 0 || !factor || !std::isfinite(size)) {
    RefuseValue("initial.v_error_prior",
                n == 0 ? ": nothing can move" : ": H is singular at the start");
  }
  Random random(initial.v_error_seed, Random::Stream::kStart);
  Eigen::VectorXd z(n);
  for (double& x : z) x = random.Normal();
  return A * (initial.v_error_size / size * (B * z));
}

std::vector<double> GentleAmplitudes(const mjModel& m, const Actuation& actuation,
                                     const std::vector<Coupling>& couplings,
                                     const ClusterModel* closed, const std::vector<int>& undriven,
                                     const Eigen::VectorXd& center) {
  Eigen::VectorXd amplitude = Eigen::VectorXd::Zero(m.nv);
  for (int joint = 0; joint < m.njnt; ++joint) {
    const int iv = m.jnt_dofadr[joint];
    const bool told = closed ? closed->dependent(iv) : HasLoops(m);
    if (!IsScalarJoint(m, joint) || actuation.is_passive(iv) || told) continue;
    const double most = m.jnt_type[joint] == mjJNT_HINGE ? 0.2 : 0.05;
    amplitude[iv] = std::min(most, RoomAt(m, joint, center[m.jnt_qposadr[joint]]) / 4);
  }
  for (const int iv : undriven) amplitude[iv] = 0;
  for (auto c = couplings.rbegin(); c != couplings.rend(); ++c) {
    if (c->iv_from < 0) continue;
    double value = 0, slope = 0, curvature = 0;
    c->Evaluate(center[c->iq_from], &value, &slope, &curvature);
    const double room = RoomAt(m, m.dof_jntid[c->iv], center[c->iq]);
    if (slope != 0) {
      amplitude[c->iv_from] = std::min(amplitude[c->iv_from], room / 4 / std::abs(slope));
    }
    amplitude[c->iv] = 0;
  }
  return {amplitude.begin(), amplitude.end()};
}

std::vector<double> ExcitationAmplitudes(const mjModel& m, const Actuation& actuation,
                                         const std::vector<int>& undriven,
                                         const Eigen::VectorXd& center) {
  std::vector<double> amplitudes(static_cast<size_t>(m.nv), 0.0);
  for (int joint = 0; joint < m.njnt; ++joint) {
    const int iv = m.jnt_dofadr[joint];
    if (!IsScalarJoint(m, joint) || actuation.is_passive(iv) || HasLoops(m)) continue;
    const double most = m.jnt_type[joint] == mjJNT_HINGE ? 0.6 : 0.15;
    const double room = RoomAt(m, joint, center[m.jnt_qposadr[joint]]);
    amplitudes[static_cast<size_t>(iv)] = std::min(most, room * 2 / 3);
  }
  for (const int iv : undriven) amplitudes[static_cast<size_t>(iv)] = 0;
  return amplitudes;
}

}  // namespace civita
