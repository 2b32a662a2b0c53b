#include "civita/scenes/plant/start.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "base/decompositions.h"
#include "base/random.h"
#include "base/text.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/model.h"
#include "civita/mujoco/joint_limits.h"
#include "civita/passive_forces.h"
#include "civita/rnea.h"
#include "civita/scenes/motion/reference.h"
#include "civita/scenes/plant/actuation.h"
#include "civita/scenes/plant/closed_chain.h"
#include "civita/scenes/plant/coupling.h"
#include "civita/scenes/schema/checked.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/scenes/schema/key_row.h"
#include "civita/scenes/schema/yaml_value.h"
#include "civita/space_kinematics.h"
#include "civita/suggest.h"
#include "civita/velocity_space.h"
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
Eigen::VectorXd CloseVelocity(const VelocitySpace* closed, const Eigen::VectorXd& q,
                              Eigen::VectorXd v) {
  if (closed == nullptr) return v;
  SpaceWorkspace<double> workspace(*closed);
  const Status status = UpdateKinematicsAlong<double>(*closed, q, v, workspace);
  if (!status.ok()) throw KeyError("initial.q", "the start: " + Describe(*closed, status));
  CalcTreeVelocity<double>(*closed, workspace.w(), workspace, v);
  return v;
}

/// What the drives must give at rest, in the coordinates where that is known: not in loops, which
/// share loads, and not in what is on a free joint, which falls or stands on something.
class Loads {
 public:
  Loads(const Model& plant, const Actuation& actuation, const VelocitySpace* closed)
      : plant_(plant),
        actuation_(actuation),
        workspace_(plant),
        rest_(Eigen::VectorXd::Zero(plant.nv())),
        known_(static_cast<size_t>(plant.nv())) {
    std::vector<bool> falls(known_.size(), false);
    for (const Model::NamedJoint& joint : plant.joints())
      if (joint.type == JointType::kFree) falls[static_cast<size_t>(joint.iv)] = true;
    const std::vector<bool> shared = FindSharedLoads(closed, plant.nv());
    for (int iv = 0; iv < plant.nv(); ++iv) {
      const int parent = plant.parent(iv);
      const auto i = static_cast<size_t>(iv);
      if (parent >= 0) falls[i] = falls[i] || falls[static_cast<size_t>(parent)];
      known_[i] = !actuation.is_passive(iv) && !falls[i] && !shared[i];
    }
  }

  bool is_known(int iv) const { return known_[static_cast<size_t>(iv)]; }
  bool has_springs() const { return has_springs_; }

  /// g + springs at q, nv.
  Eigen::VectorXd At(const Eigen::VectorXd& q) {
    Eigen::VectorXd g(plant_.nv());
    UpdateKinematics(plant_, q, workspace_);
    CalcGravityForces<double>(plant_, workspace_, g);
    Eigen::VectorXd load = g;
    AddPassiveForces(plant_, q, rest_, {.speed = 1}, -1, load);
    has_springs_ = load != g;
    return load;
  }

  /// The part of a load that a share of the drive's limit does not hold.
  double Excess(int iv, double load, double share) const {
    if (!is_known(iv)) return 0;
    return load - std::clamp(load, share * actuation_.lower()[iv], share * actuation_.upper()[iv]);
  }

 private:
  const Model& plant_;
  const Actuation& actuation_;
  Workspace<double> workspace_;
  Eigen::VectorXd rest_;
  std::vector<bool> known_;
  bool has_springs_ = false;
};

/// A hinge or slide that may move, with its range.
struct MovingJoint {
  int iq = 0, iv = 0;
  double lower = 0, upper = 0;
  double unit = 1;  ///< rad or m: slides move by a quarter of a metre for each radian
};

std::vector<MovingJoint> FindMoving(const mjModel& m, const Loads& loads,
                                    const std::vector<bool>& kept) {
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  std::vector<MovingJoint> moving;
  for (int joint = 0; joint < m.njnt; ++joint) {
    const int iv = m.jnt_dofadr[joint];
    if (!IsScalarJoint(m, joint) || !loads.is_known(iv) || kept[static_cast<size_t>(iv)]) continue;
    const double lower = m.jnt_range[2 * joint], upper = m.jnt_range[2 * joint + 1];
    const bool limited = IsLimited(m, joint);
    const double margin = 0.1 * (upper - lower);
    moving.push_back({.iq = m.jnt_qposadr[joint],
                      .iv = iv,
                      .lower = limited ? lower + margin : -kNoLimit,
                      .upper = limited ? upper - margin : kNoLimit,
                      .unit = m.jnt_type[joint] == mjJNT_SLIDE ? 0.25 : 1});
  }
  return moving;
}

/// The least step, in units of MovingJoint::unit, that takes `excess` away to first order: J has a
/// row for each excess and a column for each joint, and joints that a step would press against
/// their range do not take part.
Eigen::VectorXd FindStep(const std::vector<MovingJoint>& moving, const Eigen::VectorXd& q,
                         Eigen::MatrixXd J, const Eigen::VectorXd& excess) {
  Eigen::VectorXd step;
  for (size_t round = 0; round <= moving.size(); ++round) {
    Eigen::MatrixXd normal = J * J.transpose();
    normal.diagonal().array() += 1e-9 * (normal.trace() + 1e-12);
    step = -J.transpose() * internal::SolvePositiveDefinite(normal, excess);
    bool all_free = true;
    for (size_t j = 0; j < moving.size(); ++j) {
      const Eigen::Index column = static_cast<Eigen::Index>(j);
      const double at = q[moving[j].iq], by = step[column];
      if (!(by < 0 && at <= moving[j].lower) && !(by > 0 && at >= moving[j].upper)) continue;
      J.col(column).setZero();
      all_free = false;
    }
    if (all_free) break;
  }
  return step;
}

/// Moves q, by Newton steps of least size, to where `share` of the limits hold the robot.
/// @returns whether it did.
bool MoveToShare(double share, const std::vector<MovingJoint>& moving, Loads* loads,
                 Eigen::VectorXd* q) {
  constexpr double kAlmost = 0.01, kLongest = 0.1, kDifference = 1e-5;
  constexpr int kMostSteps = 200;
  for (int number = 0; number < kMostSteps; ++number) {
    const Eigen::VectorXd load = loads->At(*q);
    std::vector<int> rows;
    bool holds = true;
    for (int iv = 0; iv < static_cast<int>(load.size()); ++iv) {
      if (loads->Excess(iv, load[iv], share) != 0) rows.push_back(iv);
      holds = holds && loads->Excess(iv, load[iv], share + kAlmost) == 0;
    }
    if (holds) return true;
    Eigen::VectorXd excess = load(rows);
    for (size_t i = 0; i < rows.size(); ++i) {
      double& value = excess[static_cast<Eigen::Index>(i)];
      value = loads->Excess(rows[i], value, share);
    }
    Eigen::MatrixXd J(excess.size(), static_cast<Eigen::Index>(moving.size()));
    for (size_t j = 0; j < moving.size(); ++j) {
      Eigen::VectorXd aside = *q;
      aside[moving[j].iq] += kDifference * moving[j].unit;
      J.col(static_cast<Eigen::Index>(j)) = ((loads->At(aside) - load) / kDifference)(rows);
    }
    const Eigen::VectorXd step = FindStep(moving, *q, J, excess);
    const double longest = step.lpNorm<Eigen::Infinity>();
    if (!(longest > 1e-9)) return false;
    const double part = std::min(1.0, kLongest / longest);
    for (size_t j = 0; j < moving.size(); ++j) {
      const MovingJoint& joint = moving[j];
      double& value = (*q)[joint.iq];
      value = std::clamp(value + part * step[static_cast<Eigen::Index>(j)] * joint.unit,
                         joint.lower, joint.upper);
    }
  }
  return false;
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

std::vector<bool> FindSharedLoads(const VelocitySpace* closed, int nv) {
  std::vector<bool> shared(static_cast<size_t>(nv), false);
  if (closed == nullptr) return shared;
  for (const VelocitySpace::Cluster& cluster : closed->clusters())
    for (const int iv : cluster.coordinates) shared[static_cast<size_t>(iv)] = true;
  return shared;
}

std::string DescribeWeakLimits(const Model& plant, const Actuation& actuation,
                               const VelocitySpace* closed, const Eigen::VectorXd& q) {
  Loads loads(plant, actuation, closed);
  const Eigen::VectorXd load = loads.At(q);
  std::vector<std::string> weak;
  for (int iv = 0; iv < plant.nv(); ++iv)
    if (loads.Excess(iv, load[iv], 1) != 0) weak.push_back(plant.VelocityName(iv));
  if (weak.empty()) return "";
  return std::string("the effort limits cannot hold the start against gravity") +
         (loads.has_springs() ? " and springs" : "") + ": " + internal::List(weak);
}

void MoveToWhereDrivesHold(const mjModel& m, const Model& plant, const Actuation& actuation,
                           const VelocitySpace* closed, const std::vector<bool>& kept,
                           Eigen::VectorXd* q, std::vector<std::string>* notices) {
  const std::string weak = DescribeWeakLimits(plant, actuation, closed, *q);
  if (weak.empty()) return;
  Loads loads(plant, actuation, closed);
  const std::vector<MovingJoint> moving = FindMoving(m, loads, kept);
  Eigen::VectorXd at;
  const auto holds = [&](double share) {
    at = *q;
    return MoveToShare(share, moving, &loads, &at);
  };
  if (moving.empty() || !std::ranges::any_of(std::array{0.7, 0.95}, holds)) return;
  std::vector<std::pair<double, std::string>> moved;
  for (const MovingJoint& joint : moving) {
    const double by = at[joint.iq] - (*q)[joint.iq];
    if (std::abs(by) > 0.01 * joint.unit) {
      moved.emplace_back(-std::abs(by) / joint.unit,
                         plant.VelocityName(joint.iv) + " (" + internal::ShortNumber(by) + ")");
    }
  }
  std::ranges::sort(moved);
  std::vector<std::string> names;
  for (auto& [size, text] : moved) names.push_back(std::move(text));
  notices->push_back(
      DescribeWeakLimits(plant, actuation, closed, *q) +
      "; it is moved to where they can, by the rad or m in brackets: " + internal::List(names));
  *q = at;
}

Eigen::VectorXd FindStartPosition(const InitialConfig& initial, const Model& plant,
                                  const VelocitySpace* closed, const Eigen::VectorXd& center) {
  if (!initial.q) return center;
  Eigen::VectorXd q = internal::CheckedPosition(plant, "initial.q", *initial.q);
  if (closed == nullptr) return q;
  SpaceWorkspace<double> workspace(*closed);
  const Status status = CloseLoops(*closed, workspace, q);
  if (!status.ok()) RefuseValue("initial.q", ": " + Describe(*closed, status));
  return q;
}

Eigen::VectorXd FindStartVelocity(const InitialConfig& initial, const Model& plant,
                                  const std::shared_ptr<const VelocitySpace>& closed,
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

ReferenceState SampleStart(const Model& plant, const std::shared_ptr<const VelocitySpace>& closed,
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
                                  const VelocitySpace* closed, const std::vector<bool>& loose,
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
                                     const VelocitySpace* closed, const std::vector<int>& undriven,
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
