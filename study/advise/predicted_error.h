#pragma once

#include <limits>
#include <string>
#include <vector>

#include "civita/scenes/scene.h"

namespace civita {

/// The tracking error of a scene's run, predicted along its reference: that of its start
/// (FollowIdealMotion) and, by the linear error equations, of what the config gives: a plant that
/// is not the law's model, pushes, noise of measured velocities, a torque that is held and late.
struct PredictedError {
  /// As the metric error_rms, rad or m; NaN: there is no prediction.
  double error_rms = std::numeric_limits<double>::quiet_NaN();
  std::string why_not;                ///< there is none
  std::vector<std::string> left_out;  ///< what the scene has and this does not
  double e_start = 0, s_start = 0;    ///< ‖e(0)‖, ‖s(0)‖
};

/// For open trees and the laws of FindErrorGains; of others PredictedError::why_not tells why
/// there is none. The law's state is as before. Throws nothing of UserError.
PredictedError PredictError(Scene& scene);

/// What PredictError takes, about, in seconds of processor time.
double EstimatePredictionTime(const Scene& scene);

/// Ratios of predicted errors of two laws are within this share of those of runs as far as errors
/// are small and nothing is left out: docs/advise.md has the figures.
inline constexpr double kPredictionAccuracy = 0.05;

}  // namespace civita
