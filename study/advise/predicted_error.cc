#include "civita/study/advise/predicted_error.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "civita/error.h"
#include "civita/study/advise/advice.h"
#include "civita/study/advise/given_disturbances.h"
#include "civita/study/advise/ideal_motion.h"

namespace civita {

using Eigen::VectorXd;

namespace {

constexpr int kFewSamples = 20, kLeastSamples = 200;

/// ∫‖e‖²dt of the error equations from a start.
double IntegrateError(const TorsionAlongReference& along, const ErrorForcing* forcing,
                      const StartError& start) {
  return IntegrateSquares(along, 1, forcing, start.e, start.s, 0).front();
}

bool IsDisturbed(const Scene& scene, const ErrorGains& gains) {
  return gains.period_s > 0 || !scene.pushes.empty() ||
         !HaveSameInertias(scene.control_model, scene.plant);
}

/// ∫‖e‖²dt with what the config gives, less that without it.
double CalcDisturbed(const Scene& scene, const ErrorGains& gains, const Factorization& C,
                     const StartError& start, double decay_s, std::vector<std::string>* left_out) {
  const double duration_s = scene.config.duration_s;
  std::vector<ReferenceSample> reference = SampleReference(scene, 0, duration_s, kLeastSamples);
  const int samples = CountSamples(reference, kLeastSamples);
  if (samples > kLeastSamples) reference = SampleReference(scene, 0, duration_s, samples);
  const Model& model = scene.control_model;
  TorsionAlongReference along = SampleTorsion(model, nullptr, C, gains, reference);
  WrongModel wrong{along, {}};
  if (!HaveSameInertias(model, scene.plant)) {
    wrong = MakeWrongModel(along, model, scene.plant, nullptr, reference);
  }
  if (gains.period_s > 0) {
    const bool is_euler = scene.mj->opt.integrator != mjINT_RK4;
    AddLateForces(along, model, reference, is_euler ? scene.mj->opt.timestep : 0, &wrong.forcing);
  }
  wrong.forcing.impulses = MakePushImpulses(scene, left_out);
  const double all = IntegrateError(wrong.plant, &wrong.forcing, start);
  if (start.is_on_reference()) return all;
  // The start's own error is gone after decay_s.
  const auto decayed = std::ranges::find_if(
      along.samples, [&](const auto& sample) { return sample.t > 1.5 * decay_s; });
  along.samples.erase(decayed, along.samples.end());
  return all - IntegrateError(along, nullptr, start);
}

void Predict(Scene& scene, PredictedError* predicted) {
  const ErrorGains gains = FindErrorGains(scene);
  if (scene.closed) throw UserError("the metric counts the dependent joints of closed chains");
  const Factorization& C = scene.controller->factorization();
  const SceneConfig& config = scene.config;
  const std::vector<ReferenceSample> few =
      SampleReference(scene, 0, config.duration_s, kFewSamples);
  const TorsionAlongReference along = SampleTorsion(scene.control_model, nullptr, C, gains, few);
  const double decay_s =
      FindDecayTime(std::min(along.k_min, along.Lambda.minCoeff()), config.duration_s);
  const StartError start = FindStartError(scene, gains, few.front());
  predicted->e_start = start.e.norm();
  predicted->s_start = start.s.norm();
  predicted->left_out = FindLeftOut(scene);
  if (config.thrown.at_s) predicted->left_out.emplace_back("the throw");
  double squares = 0;
  if (!start.is_on_reference()) {
    const MotionRates rates = FindMotionRates(along, few);
    squares = FollowIdealMotion(scene, gains, C, along.parts, rates, decay_s, 2).squares.front();
  }
  if (IsDisturbed(scene, gains)) {
    squares += CalcDisturbed(scene, gains, C, start, decay_s, &predicted->left_out);
  }
  const double noise = CalcNoiseError(scene, gains, C, decay_s);
  predicted->error_rms = std::sqrt(std::max(0.0, squares) / config.duration_s + noise * noise);
}

}  // namespace

PredictedError PredictError(Scene& scene) {
  PredictedError predicted;
  try {
    Predict(scene, &predicted);
  } catch (const UserError& error) {
    predicted.error_rms = std::numeric_limits<double>::quiet_NaN();
    predicted.why_not = error.what();
  }
  return predicted;
}

double EstimatePredictionTime(const Scene& scene) {
  // A step of the error equations decomposes five matrices of n rows; a reference and forces that
  // change over a second take some 150 steps.
  const double n = scene.control_model.nv(), steps = 150 * scene.config.duration_s;
  const bool steps_all = scene.config.mode != ControlMode::kEveryStage || !scene.pushes.empty();
  const double samples = 220;
  return samples * (1.5e-6 * n + 1e-9 * n * n * n) +
         (steps_all ? steps * (5e-6 + 7e-9 * n * n * n) : 0.0);
}

}  // namespace civita
