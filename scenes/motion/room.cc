#include "civita/scenes/motion/room.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/text.h"
#include "civita/controllers/controller.h"
#include "civita/kinematics.h"
#include "civita/mujoco/joint_limits.h"
#include "civita/passive_forces.h"
#include "civita/rnea.h"
#include "civita/scenes/motion/reference_types.h"
#include "civita/scenes/plant/closed_chain.h"
#include "civita/scenes/plant/coupling.h"
#include "civita/scenes/plant/floating.h"
#include "civita/scenes/plant/model_file.h"
#include "civita/scenes/plant/soft_friction.h"
#include "civita/scenes/plant/start.h"
#include "civita/workspace.h"

namespace civita {
namespace {

// What drives can give, and what a robot runs into, at states of a motion.
class Room {
 public:
  explicit Room(const MotionContext& context)
      : context_(context),
        workspace_(context.plant),
        full_friction_speeds_(FindFullFrictionSpeeds(context.mj, context.plant)),
        data_(mj_makeData(&context.mj)),
        at_{context.center, Eigen::VectorXd::Zero(context.plant.nv()),
            Eigen::VectorXd::Zero(context.plant.nv())},
        at_rest_(Torque()),
        applied_(at_rest_),
        parts_(FindFreeParts(context.mj, context.actuation)),
        shared_(FindSharedLoads(context.closed, context.plant.nv())),
        weak_at_rest_(context.plant.nv(), false) {
    weak_at_rest_ = TooWeakFor(at_rest_);
    // Not an owner: the scene is.
    if (context.closed != nullptr)
      closer_.emplace(
          std::shared_ptr<const VelocitySpace>(std::shared_ptr<void>(), context.closed));
  }

  /// Whether the motion takes bodies of the robot into one another or into what is fixed.
  bool Collides(const Reference& motion) {
    constexpr int kSamples = 20;
    const double duration = std::min(context_.duration_s, kLongest);
    for (int k = 0; k <= kSamples; ++k) {
      Sample(motion, duration * k / kSamples);
      if (!FindOverlaps(context_.mj, parts_, at_.q, data_.get()).empty()) return true;
    }
    return false;
  }

  /// By coordinate: whether its drive cannot follow the motion, though it holds the robot at rest.
  std::vector<bool> FindTooWeak(const Reference& motion) {
    constexpr int kSamples = 60;
    constexpr double kReserve = 0.2;
    const double duration = std::min(context_.duration_s, kLongest);
    std::vector<bool> weak(weak_at_rest_.size(), false);
    for (int k = 0; k <= kSamples; ++k) {
      Sample(motion, duration * k / kSamples);
      const Eigen::VectorXd tau = Torque();
      const std::vector<bool> now = TooWeakFor(tau + kReserve * (tau - at_rest_));
      for (size_t i = 0; i < weak.size(); ++i) weak[i] = weak[i] || (now[i] && !weak_at_rest_[i]);
    }
    return weak;
  }

 private:
  static constexpr double kLongest = 10;  // s

  void Sample(const Reference& motion, double t) {
    at_.v.setZero();
    at_.vdot.setZero();
    motion.Sample(t, at_);
    if (closer_) closer_->Close(context_.center, at_);
  }

  Eigen::VectorXd Torque() {
    Eigen::VectorXd tau(context_.plant.nv());
    UpdateKinematics<double>(context_.plant, at_.q, at_.v, workspace_);
    CalcInverseDynamics<double>(context_.plant, at_.vdot, workspace_, tau);
    AddPassiveForces(context_.plant, at_.q, at_.v,
                     {.speed = kFrictionVelocity, .full_speeds = full_friction_speeds_}, -1, tau);
    return tau;
  }

  std::vector<bool> TooWeakFor(const Eigen::VectorXd& tau) {
    Eigen::VectorXd::Map(data_->qvel, at_.v.size()) = at_.v;
    context_.actuation.Apply(tau, data_.get(), applied_);
    std::vector<bool> weak;
    for (int iv = 0; iv < tau.size(); ++iv) {
      const double missing = std::abs(tau[iv] - applied_[iv]);
      weak.push_back(!context_.actuation.is_passive(iv) && !shared_[static_cast<size_t>(iv)] &&
                     missing > 1e-6 * std::abs(tau[iv]));
    }
    return weak;
  }

  const MotionContext& context_;
  Workspace<double> workspace_;
  Eigen::VectorXd full_friction_speeds_;
  std::unique_ptr<mjData, MjDataDeleter> data_;
  ReferenceState at_;
  Eigen::VectorXd at_rest_, applied_;
  FreeParts parts_;
  std::optional<LoopCloser> closer_;
  std::vector<bool> shared_, weak_at_rest_;
};

}  // namespace

void FitAmplitudes(const MotionContext& context,
                   const std::function<std::unique_ptr<Reference>(const Eigen::VectorXd&)>& make,
                   std::vector<double>* amplitude) {
  constexpr int kOwnRounds = 3, kRounds = 9;
  if (context.legs != nullptr) return;
  Room room(context);
  Eigen::VectorXd now = Eigen::VectorXd::Map(amplitude->data(), context.plant.nv());
  for (int round = 0; round < kRounds; ++round) {
    const std::unique_ptr<Reference> motion = make(now);
    const bool collides = room.Collides(*motion);
    const std::vector<bool> weak = room.FindTooWeak(*motion);
    if (!collides && std::ranges::none_of(weak, std::identity())) break;
    const bool all = collides || round >= kOwnRounds;
    for (Eigen::Index iv = 0; iv < now.size(); ++iv) {
      if (all || weak[static_cast<size_t>(iv)]) now[iv] /= 2;
    }
  }
  std::vector<std::string> smaller;
  for (int iv = 0; iv < now.size(); ++iv) {
    double& value = (*amplitude)[static_cast<size_t>(iv)];
    if (now[iv] == value) continue;
    value = now[iv];
    smaller.push_back(context.plant.VelocityName(iv) + " (" + internal::ShortNumber(value) + ")");
  }
  internal::TellNames(
      "the reference moves less than by default, as far as effort limits and contacts allow, by "
      "the amplitude in brackets: ",
      smaller, context.notices);
}

void CheckJointLimits(const mjModel& m, const Model& plant, const Reference& reference,
                      const Eigen::VectorXd& q_start, double duration_s,
                      std::vector<std::string>* notices) {
  constexpr int kSamples = 500;
  const int nv = plant.nv();
  ReferenceState state{q_start, Eigen::VectorXd::Zero(nv), Eigen::VectorXd::Zero(nv)};
  std::vector<double> beyond(static_cast<size_t>(m.njnt), 1e-6), when(beyond.size(), 0);
  for (int k = 0; k <= kSamples; ++k) {
    const double t = duration_s * k / kSamples;
    reference.Sample(t, state);
    for (int joint = 0; joint < m.njnt; ++joint) {
      if (!IsScalarJoint(m, joint) || !IsLimited(m, joint)) continue;
      const double q = state.q[m.jnt_qposadr[joint]];
      const double out = std::max(m.jnt_range[2 * joint] - q, q - m.jnt_range[2 * joint + 1]);
      double& worst = beyond[static_cast<size_t>(joint)];
      if (out <= worst) continue;
      worst = out;
      when[static_cast<size_t>(joint)] = t;
    }
  }
  std::vector<std::string> joints, told;
  const std::vector<Coupling> couplings = FindCouplings(m, &told);
  for (int joint = 0; joint < m.njnt; ++joint) {
    const auto i = static_cast<size_t>(joint);
    if (beyond[i] <= 1e-6) continue;
    const auto own = std::ranges::find(couplings, m.jnt_dofadr[joint], &Coupling::iv);
    const bool follows = own != couplings.end() && own->iv_from >= 0;
    joints.push_back(plant.VelocityName(m.jnt_dofadr[joint]) +
                     (follows ? " (follows " + plant.VelocityName(own->iv_from) + ")" : "") +
                     " by " + internal::ShortNumber(beyond[i]) +
                     (m.jnt_type[joint] == mjJNT_HINGE ? " rad at " : " m at ") +
                     internal::ShortNumber(when[i]) + " s");
  }
  internal::TellNames("the reference goes beyond joint limits: ", joints, notices);
}

}  // namespace civita
