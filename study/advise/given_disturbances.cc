#include "civita/study/advise/given_disturbances.h"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/decompositions.h"
#include "civita/controllers/controller.h"
#include "civita/error.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "civita/passive_forces.h"
#include "civita/scenes/plant/soft_friction.h"
#include "civita/sim/plant_geometry.h"
#include "civita/study/advise/advice.h"

namespace civita {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// The standard deviations of measured velocities, nv numbers, as the sensors have them.
VectorXd VelocityNoise(const Model& model, const NoiseConfig& noise) {
  VectorXd sigma = VectorXd::Constant(model.nv(), noise.joint_velocity);
  for (const Model::NamedJoint& joint : model.joints()) {
    if (joint.type != JointType::kFree) continue;
    sigma.segment<3>(joint.iv).setConstant(noise.angular_velocity);
    sigma.segment<3>(joint.iv + 3).setConstant(noise.velocity);
  }
  return sigma;
}

}  // namespace

PushForces::PushForces(const SceneData& scene, std::vector<std::string>* left_out)
    : scene_(scene), workspace_(scene.control_model) {
  const Model& model = scene.control_model;
  for (const Push& push : scene.pushes) {
    const bool is_joint = push.joint >= 0;
    const char* const known = mj_id2name(scene.mj.get(), is_joint ? mjOBJ_JOINT : mjOBJ_BODY,
                                         is_joint ? push.joint : push.body);
    const std::string name = known == nullptr ? "" : known;
    const auto joint = std::ranges::find(model.joints(), name, &Model::NamedJoint::name);
    const auto frame = std::ranges::find(model.frames(), name, &Model::NamedFrame::name);
    if (is_joint && joint != model.joints().end()) {
      const int size = scene.mj->jnt_type[push.joint] == mjJNT_BALL ? 3 : 1;
      pushes_.push_back({.push = &push, .iv = joint->iv, .size = size});
    } else if (!is_joint && frame != model.frames().end() && frame->body >= 0) {
      pushes_.push_back({.push = &push, .frame = &*frame});
    } else if (left_out != nullptr) {
      left_out->push_back(std::string("a push at a ") + (is_joint ? "joint" : "body") +
                          " that the law's model does not have");
    }
  }
}

Eigen::Vector3d PushForces::FindPoint(const Pushed& pushed, const VectorXd& q) {
  const Push& push = *pushed.push;
  if (push.point) return *push.point;
  if (!push.of_tree) return FindPushPoint(scene_, pushed.frame->name);
  const mjModel& m = *scene_.mj;
  CIVITA_CHECK(q.size() == m.nq, "q has " << q.size() << " numbers, the plant " << m.nq);
  if (!data_) data_.reset(mj_makeData(&m));
  VectorXd::Map(data_->qpos, m.nq) = q;
  mj_kinematics(&m, data_.get());
  mj_comPos(&m, data_.get());
  const Eigen::Map<const Eigen::Vector3d> center(data_->subtree_com + 3 * push.body);
  const auto pose = CalcFramePose<double>(scene_.control_model, *pushed.frame, workspace_);
  return pose.R.transpose() * (center - pose.p);
}

VectorXd PushForces::Calc(std::size_t i, const VectorXd& q) {
  const Pushed& pushed = pushes_[i];
  const Model& model = scene_.control_model;
  if (pushed.frame == nullptr) {
    VectorXd force = VectorXd::Zero(model.nv());
    force.segment(pushed.iv, pushed.size) = pushed.push->force.head(pushed.size);
    return force;
  }
  UpdateKinematics<double>(model, q, workspace_);
  MatrixXd J(6, model.nv());
  CalcFrameJacobian<double>(model, {*pushed.frame, FindPoint(pushed, q)}, workspace_, J);
  return J.bottomRows<3>().transpose() * pushed.push->force;
}

PushSlices SlicePush(const Push& push, double end_s) {
  constexpr double kLongest_s = 0.005, kOfPeriod = 0.05;
  double longest_s = kLongest_s;
  if (push.omega > 0) {
    longest_s = std::min(longest_s, kOfPeriod * 2 * std::numbers::pi / push.omega);
  }
  const double duration_s = std::min(push.duration_s, end_s - push.start_s);
  if (!(duration_s > 0)) return {};
  const double number = std::ceil(duration_s / longest_s * (1 - 1e-12));
  return {static_cast<int>(number), duration_s / number};
}

Eigen::Vector3d FindPushPoint(const SceneData& scene, const std::string& body) {
  const int id = mj_name2id(scene.mj.get(), mjOBJ_BODY, body.c_str());
  if (id <= 0) return Eigen::Vector3d::Zero();
  return Eigen::Map<const Eigen::Vector3d>(scene.mj->body_ipos + 3 * id);
}

std::vector<ErrorForcing::Impulse> MakePushImpulses(const SceneData& scene,
                                                    std::vector<std::string>* left_out,
                                                    double from_s) {
  const VectorXd zero = VectorXd::Zero(scene.control_model.nv());
  ReferenceState state{scene.q_start, zero, zero};
  std::vector<ErrorForcing::Impulse> impulses;
  PushForces forces(scene, left_out);
  for (std::size_t k = 0; k < forces.size(); ++k) {
    const Push& push = forces.push(k);
    const PushSlices slices = SlicePush(push, scene.config.duration_s);
    for (int i = 0; i < slices.number; ++i) {
      const double h = slices.length_s, t = push.start_s + h * i;
      if (t + 0.5 * h < from_s) continue;
      scene.reference->Sample(t + 0.5 * h, state);
      impulses.push_back({t + 0.5 * h, forces.Calc(k, state.q) * (h * push.ShareAt(t, h))});
    }
  }
  std::ranges::sort(impulses, {}, &ErrorForcing::Impulse::t);
  return impulses;
}

namespace {

/// Forces on v (nv) as those on the geometry's velocities, and their derivatives by v likewise:
/// Aᵀf, AᵀJA.
struct OnGeometry {
  explicit OnGeometry(PlantGeometry& geometry) {
    const int n = geometry.size();
    if (!geometry.space().is_tree()) geometry.CalcTreeVelocities(MatrixXd::Identity(n, n), A);
  }
  VectorXd Force(const VectorXd& f) const { return A.size() == 0 ? f : A.transpose() * f; }
  MatrixXd Rate(const MatrixXd& J) const { return A.size() == 0 ? J : A.transpose() * J * A; }

  MatrixXd A;  ///< of closed chains
};

/// Springs are overcome where they were T before: the force −T ∂(spring force)/∂q ė.
void AddLateSprings(const TorsionAlongReference& along, const Model& model, PlantGeometry& geometry,
                    const std::vector<ReferenceSample>& reference, double late_s,
                    ErrorForcing* forcing) {
  const int nv = model.nv(), n = geometry.size();
  const VectorXd at_rest = VectorXd::Zero(nv);
  std::vector<MatrixXd> dH;
  bool any = false;
  for (const ReferenceSample& state : reference) {
    MatrixXd rate = MatrixXd::Zero(nv, nv), ignored = rate;
    AddPassiveForceDerivatives(model, state.q, at_rest, {.speed = 1}, late_s, rate, ignored);
    any = any || !rate.isZero(0);
    geometry.Update(state.q, state.v);
    dH.push_back(OnGeometry(geometry).Rate(rate) * along.Lambda.cwiseInverse().asDiagonal());
  }
  if (!any) return;
  forcing->dH.resize(dH.size(), MatrixXd::Zero(n, n));
  for (std::size_t i = 0; i < dH.size(); ++i) forcing->dH[i] += dH[i];
}

}  // namespace

PlantSteps FindPlantSteps(const SceneData& scene) {
  const mjOption& opt = scene.mj->opt;
  return {opt.integrator == mjINT_RK4 ? 0 : opt.timestep,
          opt.integrator != mjINT_EULER || (opt.disableflags & mjDSBL_EULERDAMP) == 0};
}

void AddLateForces(const TorsionAlongReference& along, const SceneData& scene,
                   const std::vector<ReferenceSample>& reference, ErrorForcing* forcing) {
  const Model& model = scene.control_model;
  const PlantSteps steps = FindPlantSteps(scene);
  const VectorXd full_speeds = FindFullFrictionSpeeds(*scene.mj, model);
  PlantGeometry geometry(model, scene.closed.get());
  const int n = geometry.size();
  std::vector<VectorXd> torque, accelerations;
  VectorXd tau(n), passive(model.nv()), vdot(n);
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const ReferenceSample& state = reference[i];
    geometry.Update(state.q, state.v);
    geometry.CalcBiasForces(tau);
    geometry.Select(state.vdot, vdot);
    tau += along.samples[i].H * vdot;
    // The law's torque overcomes damping, springs and dry friction.
    passive.setZero();
    AddPassiveForces(model, state.q, state.v,
                     {.speed = kFrictionVelocity, .full_speeds = full_speeds}, -1, passive);
    torque.push_back(tau + OnGeometry(geometry).Force(passive));
    accelerations.push_back(vdot);
  }
  const double late_s = LateBy(along.delay_s, along.period_s) - FindFilterLag(scene);
  const double h = steps.euler_s;
  AddLateSprings(along, model, geometry, reference, late_s - 0.5 * h, forcing);
  forcing->d.resize(torque.size(), VectorXd::Zero(n));
  for (std::size_t i = 0; i < torque.size(); ++i) {
    const std::size_t a = i == 0 ? 0 : i - 1, b = std::min(i + 1, torque.size() - 1);
    const double dt = reference[b].t - reference[a].t;
    const VectorXd rate = (torque[b] - torque[a]) / dt;
    forcing->d[i] -= late_s * rate;
    if (h == 0) continue;
    const VectorXd jerk = (accelerations[b] - accelerations[a]) / dt;
    const VectorXd drift = 0.5 * h * accelerations[i];
    forcing->d[i] +=
        0.5 * h * rate + along.samples[i].H * (along.Lambda.cwiseProduct(drift) - 0.5 * h * jerk);
    if (steps.damping_is_implicit) forcing->d[i] -= 2 * (along.samples[i].D * drift);
    forcing->drift.push_back(drift);
  }
}

MatrixXd CalcNoiseStart(const TorsionAlongReference& along, double factor) {
  const TorsionAlongReference::Sample& first = along.samples.front();
  MatrixXd start =
      internal::SolvePositiveDefinite(first.H, first.K_D + factor * first.K - first.C_LC);
  start.diagonal() += along.Lambda;
  return start;
}

double CalcNoiseError(const SceneData& scene, const ErrorGains& gains,
                      const Factorization& factorization, double from_s, double decay_s) {
  const Model& model = scene.control_model;
  const VelocitySpace* const closed = scene.closed.get();
  VectorXd sigma(PlantGeometry(model, closed).size());
  PlantGeometry(model, closed).Select(VelocityNoise(model, scene.config.noise), sigma);
  // Filtered velocities are differences of positions.
  if (sigma.isZero(0) || gains.period_s == 0 || FindFilterLag(scene) > 0) return 0;
  constexpr int kSamples = 60;
  const std::vector<double> starts = FindDecayStarts(from_s, scene.config.duration_s, decay_s);
  double sum = 0;
  for (const double start_s : starts) {
    const TorsionAlongReference along =
        SampleTorsion(model, closed, factorization, gains,
                      SampleReference(scene, start_s, start_s + decay_s, kSamples));
    const MatrixXd start = CalcNoiseStart(along, 1) * sigma.asDiagonal();
    sum += CalcErrorDecay(along, 1).parts.front().Mean(start * start.transpose());
  }
  return std::sqrt(gains.period_s * sum / static_cast<double>(starts.size()));
}

}  // namespace civita
