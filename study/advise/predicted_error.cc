#include "civita/study/advise/predicted_error.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/decompositions.h"
#include "base/number_text.h"
#include "civita/error.h"
#include "civita/scenes/motion/joint_limits.h"
#include "civita/study/advise/advice.h"
#include "civita/study/advise/given_disturbances.h"
#include "civita/study/advise/ideal_motion.h"

namespace civita {

using Eigen::VectorXd;

namespace {

constexpr int kFewSamples = 20, kLeastSamples = 200;

/// Refuses what voids a prediction though errors have equations. @throws UserError.
void CheckScene(const Scene& scene) {
  if (scene.closed) throw UserError("the metric counts the dependent joints of closed chains");
  if (scene.config.mode == ControlMode::kHeld && scene.config.velocity_filter_hz > 0) {
    throw UserError("the velocity filter has a state of its own, which the error equations lack");
  }
  std::vector<std::string> beyond;  // of stops, which errors do not pass
  CheckJointLimits(*scene.mj, scene.plant, *scene.reference, scene.q_start, scene.config.duration_s,
                   &beyond);
  if (!beyond.empty()) throw UserError(beyond.front());
}

/// Refuses errors that grow. `nominal`: IdealMotion's, or none. @throws UserError.
void CheckGrowth(const Scene& scene, const ErrorGains& gains, const Factorization& C,
                 const std::vector<ReferenceSample>& reference,
                 std::vector<ReferenceSample> nominal) {
  const TorsionAlongReference along = SampleMotion(scene, gains, C, reference, std::move(nominal));
  if (!ErrorsGrow(scene, along, 1)) return;
  throw UserError(C.torsion_free() || ErrorsGrow(scene, along, 0)
                      ? "errors grow at this rate and delay whatever C is"
                      : "with this C errors grow at this rate and delay");
}

/// Refuses dry friction, which the law feeds forward at v_r, where it is no small share of the
/// damping K_D s, both in the norm of H⁻¹: it then brakes the error itself. @throws UserError.
void CheckFriction(const Scene& scene, const TorsionAlongReference::Sample& first,
                   const VectorXd& s) {
  constexpr double kMostShare = 0.1;
  VectorXd friction = scene.control_model.frictionloss();
  for (const Model::Tendon& tendon : scene.control_model.tendons()) {
    for (std::size_t k = 0; k < tendon.terms.size(); ++k) {
      friction[tendon.iv[k]] += tendon.frictionloss * std::abs(tendon.terms[k].coefficient);
    }
  }
  if (friction.isZero(0)) return;
  const VectorXd damping = first.K_D * s;
  const auto size = [&](const VectorXd& force) {
    return std::sqrt(force.dot(internal::SolvePositiveDefinite(first.H, force).col(0)));
  };
  const double share = size(friction) / size(damping);
  if (share <= kMostShare) return;
  throw UserError("dry friction is " +
                  (std::isfinite(share) ? internal::General(share, 2) + " times the damping K_D s"
                                        : std::string("all that acts, K_D s = 0")) +
                  " at the start");
}

/// ∫‖P e‖²dt of the error equations from a start.
ErrorCourse IntegrateError(const TorsionAlongReference& along, const ErrorForcing* forcing,
                           const StartError& start) {
  ErrorCourse course;
  IntegrateSquares(along, 1, forcing, start.e, start.s, 0, &course);
  return course;
}

bool IsDisturbed(const Scene& scene, const ErrorGains& gains) {
  return gains.period_s > 0 || !scene.pushes.empty() ||
         !HaveSameInertias(scene.control_model, scene.plant);
}

/// Terms of ∫‖P e‖²dt, each with its sign.
using Terms = std::vector<std::pair<double, ErrorCourse>>;

/// What the config gives from a start on, and less what the start alone makes.
Terms CalcDisturbed(const Scene& scene, const ErrorGains& gains, const Factorization& C,
                    const std::vector<ReferenceSample>& reference, const StartError& start,
                    double decay_s, std::vector<std::string>* left_out) {
  const double from_s = reference.front().t;
  const Model& model = scene.control_model;
  TorsionAlongReference along = SampleTorsion(model, nullptr, C, gains, reference);
  WrongModel wrong{along, {}};
  if (!HaveSameInertias(model, scene.plant)) {
    wrong = MakeWrongModel(along, model, scene.plant, nullptr, reference);
  }
  if (gains.period_s > 0) {
    const mjOption& opt = scene.mj->opt;
    const bool is_euler = opt.integrator == mjINT_EULER;
    const PlantSteps steps{opt.integrator == mjINT_RK4 ? 0 : opt.timestep,
                           !is_euler || (opt.disableflags & mjDSBL_EULERDAMP) == 0};
    AddLateForces(along, model, reference, steps, &wrong.forcing);
  }
  wrong.forcing.impulses = MakePushImpulses(scene, left_out);
  std::erase_if(wrong.forcing.impulses, [&](const auto& impulse) { return impulse.t < from_s; });
  Terms terms = {{1, IntegrateError(wrong.plant, &wrong.forcing, start)}};
  if (start.is_on_reference()) return terms;
  // The start's own error is gone after decay_s.
  const auto decayed = std::ranges::find_if(
      along.samples, [&](const auto& sample) { return sample.t > from_s + 1.5 * decay_s; });
  along.samples.erase(decayed, along.samples.end());
  terms.emplace_back(-1, IntegrateError(along, nullptr, start));
  return terms;
}

/// The sum of terms and of noise (rad², m²), whose parts are not known.
ErrorCourse Sum(const Terms& terms, double noise_square, std::size_t parts, double from_s,
                double to_s) {
  constexpr int kTimes = 400;
  ErrorCourse sum;
  sum.squares.resize(parts);
  for (int i = 0; i <= kTimes; ++i) {
    const double share = static_cast<double>(i) / kTimes;  // squared: denser at the start
    sum.t.push_back(i == kTimes ? to_s : from_s + share * share * (to_s - from_s));
    for (std::size_t part = 0; part < parts; ++part) {
      double square = noise_square * (sum.t.back() - from_s);
      for (const auto& [sign, course] : terms) square += sign * course.Until(part, sum.t.back());
      const bool is_known = part == 0 || noise_square == 0;
      sum.squares[part].push_back(is_known ? square : std::numeric_limits<double>::quiet_NaN());
    }
  }
  return sum;
}

void Predict(Scene& scene, PredictedError* predicted) {
  const ErrorGains gains = FindErrorGains(scene);
  CheckScene(scene);
  const Factorization& C = scene.controller->factorization();
  const SceneConfig& config = scene.config;
  const double from_s = predicted->from_s, to_s = predicted->to_s = config.duration_s;
  const std::vector<ReferenceSample> few = SampleReference(scene, from_s, to_s, kFewSamples);
  const TorsionAlongReference along = SampleTorsion(scene.control_model, nullptr, C, gains, few);
  const double decay_s =
      FindDecayTime(std::min(along.k_min, along.Lambda.minCoeff()), to_s - from_s);
  const StartError start = FindStartError(scene, gains, few.front());
  predicted->left_out = FindLeftOut(scene);
  if (config.thrown.at_s) predicted->left_out.emplace_back("the throw");
  CheckFriction(scene, along.samples.front(), start.s);
  Terms terms;
  std::vector<ReferenceSample> nominal;
  if (!start.is_on_reference()) {
    const MotionRates rates = FindMotionRates(along, few);
    IdealMotion motion =
        FollowIdealMotion(scene, gains, C, along.parts, rates, decay_s, kLeastSamples, from_s);
    nominal = std::move(motion.nominal);
    if (std::isnan(motion.squares.front())) {
      const TorsionAlongReference decay =
          SampleTorsion(scene.control_model, nullptr, C, gains,
                        SampleReference(scene, from_s, from_s + decay_s, kLeastSamples));
      motion.course = IntegrateError(decay, nullptr, start);
    }
    terms.emplace_back(1, std::move(motion.course));
  }
  const bool is_held = gains.period_s > 0, is_disturbed = IsDisturbed(scene, gains);
  std::vector<ReferenceSample> fine;
  if (is_held || is_disturbed) fine = SampleFinely(scene, from_s, to_s, kLeastSamples);
  CheckGrowth(scene, gains, C, is_held ? fine : few, std::move(nominal));
  if (is_disturbed) {
    for (auto& term : CalcDisturbed(scene, gains, C, fine, start, decay_s, &predicted->left_out)) {
      terms.push_back(std::move(term));
    }
  }
  const double noise = CalcNoiseError(scene, gains, C, from_s, decay_s);
  predicted->is_mean = noise > 0;
  predicted->course = Sum(terms, noise * noise, along.parts.size(), from_s, to_s);
  predicted->parts = along.parts;
  predicted->error_rms = predicted->RmsUntil(0, to_s);
}

}  // namespace

double PredictedError::RmsUntil(std::size_t part, double t_s) const {
  if (parts.empty() || !(t_s > from_s) || t_s > to_s) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double square = course.Until(part, t_s);
  return std::isnan(square) ? square : std::sqrt(std::max(0.0, square) / (t_s - from_s));
}

PredictedError PredictError(Scene& scene, double from_s) {
  PredictedError predicted;
  predicted.from_s = from_s;
  try {
    Predict(scene, &predicted);
  } catch (const UserError& error) {
    predicted.error_rms = std::numeric_limits<double>::quiet_NaN();
    predicted.why_not = error.what();
    predicted.parts.clear();
  }
  return predicted;
}

double EstimatePredictionTime(const Scene& scene) {
  // A step of the error equations decomposes five matrices of n rows; a reference and forces that
  // change over a second take some 150 steps, and each slice of a push is one.
  const double n = scene.control_model.nv();
  double steps = 150 * scene.config.duration_s;
  for (const Push& push : scene.pushes) {
    steps += SlicePush(push, scene.config.duration_s).number;
  }
  const bool steps_all = scene.config.mode != ControlMode::kEveryStage || !scene.pushes.empty();
  const bool is_held = scene.config.mode == ControlMode::kHeld;
  const double samples = is_held ? 440 : 220;  // of the growth of held errors, too
  const double periods =
      is_held ? std::min(4000.0, scene.config.duration_s * scene.config.rate_hz) : 0;
  return samples * (1.5e-6 * n + 1e-9 * n * n * n) + periods * (0.3e-6 + 1e-8 * n * n) +
         (steps_all ? steps * (5e-6 + 7e-9 * n * n * n) : 0.0);
}

}  // namespace civita
