#include "civita/study/advise/predicted_error.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/decompositions.h"
#include "base/number_text.h"
#include "civita/error.h"
#include "civita/scenes/motion/room.h"
#include "civita/sim/plant_geometry.h"
#include "civita/study/advise/advice.h"
#include "civita/study/advise/given_disturbances.h"
#include "civita/study/advise/ideal_motion.h"

namespace civita {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr int kFewSamples = 20, kLeastSamples = 200;

/// Whether the scene has what the linear error equations lack.
bool HasMoreThanLinear(const SceneData& scene) {
  return FindFilterLag(scene) > 0 || HasDryFriction(scene.control_model);
}

/// Refuses what voids a prediction though errors have equations. @throws UserError.
void CheckScene(const Scene& scene) {
  if (scene.closed && (!scene.pushes.empty() || HasMoreThanLinear(scene))) {
    throw UserError("pushes, dry friction and the velocity filter are those of open trees");
  }
  std::vector<std::string> beyond;  // of stops, which errors do not pass
  CheckJointLimits(*scene.mj, scene.plant, *scene.reference, scene.q_start, scene.config.duration_s,
                   &beyond);
  if (!beyond.empty()) throw UserError(beyond.front());
}

/// What of ‖e‖² of all joints, which the metric counts, one of each independent velocity of closed
/// chains makes: those of joints that are coupled to it with a constant ratio, too. Ones for an
/// open tree. @throws UserError where it is not the same all along.
VectorXd WeighCoupled(const Scene& scene, const std::vector<ReferenceSample>& reference) {
  PlantGeometry geometry(scene.control_model, scene.closed.get());
  const int n = geometry.size();
  VectorXd weights = VectorXd::Ones(n);
  if (!scene.closed) return weights;
  MatrixXd A;
  for (const ReferenceSample& state : reference) {
    const bool is_regular = geometry.Update(state.q, state.v);
    geometry.CalcTreeVelocities(MatrixXd::Identity(n, n), A);
    const MatrixXd squares = A.transpose() * A;
    if (&state == &reference.front()) weights = squares.diagonal();
    if (is_regular && squares.isApprox(MatrixXd(weights.asDiagonal()), 1e-6)) continue;
    throw UserError("the metric counts the dependent joints of closed loops, too");
  }
  return weights;
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

/// ∫‖P e‖²dt of the error equations from a start.
ErrorCourse IntegrateError(const TorsionAlongReference& along, const ErrorForcing* forcing,
                           const StartError& start) {
  ErrorCourse course;
  IntegrateSquares(along, 1, forcing, start.e, start.s, 0, &course);
  return course;
}

/// Terms of ∫‖P e‖²dt, each with its sign.
using Terms = std::vector<std::pair<double, ErrorCourse>>;

/// What is predicted, by the error equations of few samples and of as many as forces need.
struct PredictedRun {
  const Scene& scene;
  const Factorization& C;
  ErrorGains gains;
  double from_s, to_s;
  std::vector<ReferenceSample> few, fine;  ///< fine: empty if the start alone makes errors
  TorsionAlongReference along;             ///< of `few`
  StartError start;
  double decay_s;     ///< in which the start's error is gone
  bool is_disturbed;  ///< more than the start makes errors, though the law acted at every instant

  PredictedRun(Scene& scene, double from_s);

  bool is_held() const { return gains.period_s > 0; }
  TorsionAlongReference Sample(const std::vector<ReferenceSample>& reference) const {
    return SampleTorsion(scene.control_model, scene.closed.get(), C, gains, reference);
  }
};

PredictedRun::PredictedRun(Scene& of, double begin_s)
    : scene(of),
      C(of.controller->factorization()),
      gains(FindErrorGains(of)),
      from_s(begin_s),
      to_s(of.config.duration_s),
      few(SampleReference(of, from_s, to_s, kFewSamples)),
      along(Sample(few)),
      start(FindStartError(of, gains, few.front())),
      decay_s(FindDecayTime(std::min(along.k_min, along.Lambda.minCoeff()), to_s - from_s)),
      is_disturbed(!of.pushes.empty() || !HaveSameInertias(of.control_model, of.plant) ||
                   HasMoreThanLinear(of)) {
  const VectorXd weights = WeighCoupled(scene, few);
  for (ErrorPart& part : along.parts) part.mask.array() *= weights.array();
  if (is_held() || is_disturbed) fine = SampleFinely(scene, from_s, to_s, kLeastSamples);
}

/// The linear error equations of a run along a reference, with the forces that it gives.
WrongModel MakeLinear(const PredictedRun& run, const std::vector<ReferenceSample>& reference) {
  const Scene& scene = run.scene;
  WrongModel linear{run.Sample(reference), {}};
  linear.plant.parts = run.along.parts;
  if (!HaveSameInertias(scene.control_model, scene.plant)) {
    linear = MakeWrongModel(linear.plant, scene.control_model, scene.plant, scene.closed.get(),
                            reference);
  }
  linear.forcing.impulses = MakePushImpulses(scene, nullptr, run.from_s);
  return linear;
}

/// Refuses a motion of which dry friction makes a large part, as it flips at other times than the
/// law's: how a soft constraint flips decides there. @throws UserError.
void CheckFriction(const PredictedRun& run, const IdealMotion& motion) {
  constexpr double kMostShare = 0.5;
  if (!HasDryFriction(run.scene.control_model)) return;
  const double duration_s = run.to_s - run.from_s;
  const IdealMotion alone = FollowIdealMotion(run.scene, run.gains, run.C, run.along.parts,
                                              FindMotionRates(run.along, run.few), duration_s, 2,
                                              run.from_s, MotionOf::kFrictionAlone);
  const double share = std::sqrt(alone.course.squares.front().back() / motion.squares.front());
  if (share <= kMostShare) return;
  throw UserError("dry friction alone, from a start on the reference, makes an error of " +
                  internal::General(share, 2) + " times the predicted one");
}

/// The motion of the run itself, while its start or what disturbs it is felt; of a run without
/// either, of closed chains and of errors too small for steps of the motion none.
std::optional<IdealMotion> FollowRun(const PredictedRun& run) {
  const bool is_felt = run.is_disturbed || !run.start.is_on_reference();
  if (run.scene.closed || !is_felt) return std::nullopt;
  IdealMotion motion = FollowIdealMotion(
      run.scene, run.gains, run.C, run.along.parts, FindMotionRates(run.along, run.few),
      run.is_disturbed ? run.to_s - run.from_s : run.decay_s,
      std::max(kLeastSamples, static_cast<int>(run.fine.size())), run.from_s, MotionOf::kRun);
  if (!std::isnan(motion.squares.front())) {
    CheckFriction(run, motion);
    return motion;
  }
  if (HasMoreThanLinear(run.scene)) {
    throw UserError("errors are too small beside those of the steps by which they are followed");
  }
  return std::nullopt;
}

/// The course until t (s), from which on it stays.
ErrorCourse Until(ErrorCourse course, double t) {
  for (std::size_t part = 0; part < course.squares.size(); ++part) {
    const double end = course.Until(part, t);
    for (std::size_t i = 0; i < course.t.size(); ++i) {
      if (course.t[i] > t) course.squares[part][i] = end;
    }
  }
  return course;
}

/// ∫‖P e‖²dt of the run without noise: of the motion itself and, once the start's error is gone, of
/// what the held torque makes; without a motion by the linear equations alone.
Terms CalcTerms(const PredictedRun& run, const std::optional<IdealMotion>& motion) {
  Terms terms;
  if (motion) terms.emplace_back(1, motion->course);
  if (motion && (!run.is_held() || run.is_disturbed)) return terms;
  const std::vector<ReferenceSample> reference =
      run.fine.empty()
          ? SampleReference(run.scene, run.from_s, run.from_s + run.decay_s, kLeastSamples)
          : run.fine;
  WrongModel linear = MakeLinear(run, reference);
  if (run.is_held()) AddLateForces(linear.plant, run.scene, reference, &linear.forcing);
  terms.emplace_back(1, IntegrateError(linear.plant, &linear.forcing, run.start));
  if (motion) terms.emplace_back(-1, Until(terms.back().second, motion->course.t.back()));
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
  const PredictedRun run(scene, predicted->from_s);
  CheckScene(scene);
  predicted->to_s = run.to_s;
  predicted->left_out = FindLeftOut(scene);
  std::erase(predicted->left_out, kDryFriction);
  std::erase(predicted->left_out, kVelocityFilter);
  if (scene.config.thrown.at_s) predicted->left_out.emplace_back("the throw");
  PushForces(scene, &predicted->left_out);  // for what it tells
  const std::vector<ReferenceSample>& reference = run.is_held() ? run.fine : run.few;
  CheckGrowth(scene, run.gains, run.C, reference, {});
  const std::optional<IdealMotion> motion = FollowRun(run);
  if (motion) CheckGrowth(scene, run.gains, run.C, reference, motion->nominal);
  const Terms terms = CalcTerms(run, motion);
  const double noise = CalcNoiseError(scene, run.gains, run.C, run.from_s, run.decay_s);
  predicted->is_mean = noise > 0;
  predicted->is_linear = noise > 0 || !motion;
  predicted->course = Sum(terms, noise * noise, run.along.parts.size(), run.from_s, run.to_s);
  predicted->parts = run.along.parts;
  predicted->error_rms = predicted->RmsUntil(0, run.to_s);
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
  // A step of the error equations, or of the motion, decomposes five matrices of n rows; a
  // reference and forces that change over a second take some 150 steps, and each slice of a push is
  // one.
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
