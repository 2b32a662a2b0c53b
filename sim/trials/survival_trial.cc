#include "civita/sim/trials/survival_trial.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "base/number_text.h"
#include "base/random.h"
#include "civita/controllers/legs/gait.h"
#include "civita/controllers/legs/leg_kinematics.h"
#include "civita/controllers/legs/standing.h"
#include "civita/controllers/legs/stepping_state.h"
#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/scenes/plant/leg_start.h"
#include "civita/scenes/plant/push.h"
#include "civita/sim/leg_probe.h"
#include "civita/sim/metric_table.h"
#include "civita/sim/simulation.h"

namespace civita {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
// s: range of times at which a standing robot is pushed
constexpr double kStandFrom = 0.5, kStandFor = 0.5;
constexpr double kGaitSettles = 2;  // s of walking at the commanded velocity before the push
constexpr double kScan = 0.01;      // s

std::string Tenths(double x) { return internal::WithDecimals(x, 1); }

/// A robot during one trial.
class Trial {
 public:
  Trial(std::unique_ptr<Scene> scene, const PushLevel& push, const SurvivalTrial& plan,
        const std::atomic<bool>& stop)
      : stop_(stop),
        result_(plan),
        push_(push),
        gait_(FindGait(*scene).has_value()),
        simulation_(std::move(scene)),
        since_push_(simulation_, {"tilt_peak_rad", "unmet_force_N", "unmet_moment_Nm"}),
        walk_(simulation_, {"forward_m_s", "sideways_m_s", "tilt_rms_rad"}),
        watch_s_(legs().feet.size() == 2 ? kWatchTwo : kWatch),
        base_(FindFreeBody(*simulation_.mj())),
        motion_(simulation_.scene().plant, *simulation_.scene().legs) {
    simulation_.set_stop(&stop);
  }

  /// Runs the trial. @returns false when stopped.
  bool Run() {
    while (!stop_ && simulation_.time() < result_.start_s && Step()) {
    }
    if (!over()) BeginPush();
    while (!stop_ && simulation_.time() < end_ && Step()) Gather();
    if (stop_) return false;
    Finish();
    return true;
  }

  const SurvivalTrial& result() const { return result_; }

 private:
  const LegOptions& legs() const { return *simulation_.scene().legs; }
  /// Every law that FindGait accepts has one.
  SteppingState stepping() const { return *simulation_.controller().stepping(); }

  bool over() const { return simulation_.fall().fallen || simulation_.failure().failed; }

  bool Step() { return simulation_.Step() && !over(); }

  const Model& plant() const {
    const Scene& scene = simulation_.scene();
    const bool loaded = scene.payload != nullptr && simulation_.time() >= scene.payload->at_s;
    return loaded ? scene.payload->plant : scene.plant;
  }

  /// Reads the true motion at the present time.
  void UpdateMotion() {
    const mjData& d = *simulation_.data();
    const Eigen::Map<const Eigen::VectorXd> q(d.qpos, plant().nq()), v(d.qvel, plant().nv());
    Workspace<double> workspace(plant());
    UpdateKinematics<double>(plant(), q, v, workspace);
    UpdateLegKinematics(plant(), legs(), workspace, motion_);
  }

  void BeginPush() {
    const Point2 u(std::cos(result_.direction), std::sin(result_.direction));
    const Eigen::Map<const Eigen::VectorXd> q(simulation_.data()->qpos, plant().nq());
    const PushCeiling ceiling = FindPushCeiling(simulation_.scene(), plant(), q, u);
    result_.ceiling = ceiling.impulse;
    result_.bound = DescribeBound(ceiling, plant());
    result_.impulse = push_.absolute ? push_.amount : push_.amount * result_.ceiling;
    Push push{
        .body = base_, .duration_s = kPushDuration, .shape = PushShape::kHalfSine, .of_tree = true};
    const Eigen::Vector3d impulse(result_.impulse * u.x(), result_.impulse * u.y(), 0);
    push.force = CalcForceOfImpulse(push, impulse, simulation_.control_dt());
    simulation_.AddPush(push);
    result_.start_s = simulation_.time();
    end_ = result_.start_s + kPushDuration + watch_s_;
    const SteppingState state = stepping();
    steps_before_ = state.steps;
    fallbacks_before_ = state.qp_fallbacks;
    feet_before_ = simulation_.record().legs.foot_position;
    cut_steps_.setZero(plant().nv());
    since_push_.Restart();
  }

  void Gather() {
    const StepRecord& record = simulation_.record();
    since_push_.Add(record);
    const Eigen::Matrix2Xd way = (record.legs.foot_position - feet_before_).topRows<2>();
    result_.foot_off = way.colwise().norm().maxCoeff();
    result_.farthest_foot = std::max(result_.farthest_foot, result_.foot_off);
    result_.moved = way.rowwise().mean().norm();
    if (record.saturated) {
      for (int iv = 6; iv < cut_steps_.size(); ++iv) {
        const double limit = legs().tau_max[iv];
        if (limit > 0 && std::abs(record.tau[iv]) >= (1 - 1e-9) * limit) ++cut_steps_[iv];
      }
    }
    if (!gait_ || record.t < end_ - kGaitWindow) return;
    walk_.Add(record);
    commanded_ += simulation_.body_command().velocity;
    ++window_rows_;
  }

  void Finish() {
    result_.end_s = simulation_.time();
    const SteppingState state = stepping();
    result_.steps = state.steps - steps_before_;
    result_.qp_fallbacks = state.qp_fallbacks - fallbacks_before_;
    result_.tilt_peak = since_push_.value("tilt_peak_rad");
    result_.unmet_force = since_push_.value("unmet_force_N");
    result_.unmet_moment = since_push_.value("unmet_moment_Nm");
    Eigen::Index joint = 0;
    const int most = cut_steps_.size() > 0 ? cut_steps_.maxCoeff(&joint) : 0;
    if (most > 0) {
      result_.cut_joint = plant().VelocityName(static_cast<int>(joint));
      result_.cut_s = most * simulation_.control_dt();
    }
    result_.fell = over();
    if (simulation_.failure().failed) {
      result_.verdict = simulation_.failure().reason;
    } else if (result_.fell) {
      result_.verdict = Describe(simulation_.fall());
    } else {
      result_.verdict = gait_ ? JudgeGait() : JudgeStand();
    }
    result_.survived = result_.verdict.empty();
    if (result_.survived) result_.verdict = "survived";
  }

  /// @returns the reason of a failure; empty: survived.
  std::string JudgeStand() {
    UpdateMotion();
    const SteppingState state = stepping();
    const Eigen::Vector2d target =
        state.home + Point2(Rotation2(state.yaw) * simulation_.body_command().p.head<2>());
    const Eigen::Vector3d& x = legs().base_task ? motion_.p_base : motion_.c;
    result_.error = (x.head<2>() - target).norm();
    result_.speed = motion_.cdot.norm();
    result_.tilt = simulation_.record().legs.tilt;
    if (state.is_stepping) return "still stepping at the end";
    if (result_.error > kSettledError) return Tenths(1000 * result_.error) + " mm off target";
    if (result_.speed > kSettledSpeed) return "moving at " + Tenths(100 * result_.speed) + " cm/s";
    if (result_.tilt > kSettledTilt_deg * kDegree) {
      return "tilted by " + Tenths(result_.tilt / kDegree) + "°";
    }
    if (!legs().gait.may_step && result_.farthest_foot > kFootMoved) {
      return "a foot moved by " + Tenths(100 * result_.farthest_foot) + " cm";
    }
    return "";
  }

  std::string JudgeGait() {
    const Eigen::Vector2d command = commanded_ / static_cast<double>(window_rows_);
    const Eigen::Vector2d velocity(walk_.value("forward_m_s"), walk_.value("sideways_m_s"));
    result_.velocity_error = (velocity - command).norm();
    result_.tilt_rms = walk_.value("tilt_rms_rad");
    const double allowed = command.norm() > 0 ? kVelocityError * command.norm() : kSettledSpeed;
    if (result_.velocity_error > allowed) {
      return "off the commanded velocity by " + internal::WithDecimals(result_.velocity_error, 2) +
             " m/s";
    }
    if (result_.tilt_rms > kGaitTilt_deg * kDegree) {
      return "tilted by " + Tenths(result_.tilt_rms / kDegree) + "° RMS";
    }
    return "";
  }

  const std::atomic<bool>& stop_;
  SurvivalTrial result_;
  PushLevel push_;
  bool gait_;
  Simulation simulation_;
  MetricSet since_push_, walk_;  ///< walk_: over kGaitWindow
  double watch_s_;
  int base_;
  LegKinematics motion_;
  double end_ = 0;
  long steps_before_ = 0, fallbacks_before_ = 0;
  Eigen::Matrix3Xd feet_before_;
  Eigen::VectorXi cut_steps_;  ///< control steps of each coordinate at its effort limit
  long window_rows_ = 0;
  Eigen::Vector2d commanded_ = Eigen::Vector2d::Zero();
};

void ScaleFriction(double factor, mjModel* m) {
  for (int geom = 0; geom < m->ngeom; ++geom) m->geom_friction[3 * geom] *= factor;
}

}  // namespace

std::string PushLevel::name() const {
  return absolute ? FormatValue(amount) + " N·s" : FormatValue(100 * amount) + " %";
}

std::optional<double> FindGait(const Scene& scene) {
  if (!scene.controller->stepping()) {
    throw UserError(scene.config.name +
                    ": no legged robot under controller.type whole_body; quadruped, biped, go2 "
                    "and g1 are some");
  }
  const int nv = scene.plant.nv();
  ReferenceState state{scene.q_start, Eigen::VectorXd::Zero(nv), Eigen::VectorXd::Zero(nv)};
  for (double t = 0; t <= scene.config.duration_s; t += kScan) {
    scene.reference->Sample(t, state);
    if (state.body.walk) return t;
  }
  return std::nullopt;
}

// Time in which a walk reaches its commanded velocity, s.
double FadeOf(const ReferenceConfig& reference) {
  const std::vector<double> fade = reference.Numbers("fade_s");
  return fade.empty() ? 1 : fade.front();
}

std::optional<SurvivalTrial> RunTrial(SceneConfig config, const PushLevel& push, int seed,
                                      const std::atomic<bool>& stop) {
  config.seed = seed;
  std::unique_ptr<Scene> scene = LoadScene(config);
  Random random(seed, Random::Stream::kTrials);
  SurvivalTrial plan;
  plan.seed = seed;
  plan.direction = 2 * std::numbers::pi * random.Uniform();
  plan.friction = 1 + kFrictionSpread * (2 * random.Uniform() - 1);
  const double share = random.Uniform();
  const std::optional<double> walks_from = FindGait(*scene);
  plan.start_s = walks_from ? *walks_from + FadeOf(config.reference) + kGaitSettles +
                                  share * 2 * config.legs.gait.step_s
                            : kStandFrom + share * kStandFor;
  ScaleFriction(plan.friction, scene->mj.get());
  if (scene->payload) ScaleFriction(plan.friction, scene->payload->mj.get());
  Trial trial(std::move(scene), push, plan, stop);
  if (!trial.Run()) return std::nullopt;
  return trial.result();
}

}  // namespace civita
