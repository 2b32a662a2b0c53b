#pragma once

#include <limits>
#include <string>
#include <vector>

#include "civita/scenes/scene.h"
#include "civita/study/advise/error_parts.h"

namespace civita {

/// The tracking error of a scene's run, predicted along its reference: that of its start
/// (FollowIdealMotion) and, by the linear error equations, of what the config gives: a plant that
/// is not the law's model, pushes, noise of measured velocities, a torque that is held and late.
struct PredictedError {
  /// As the metric error_rms, rad or m; NaN: there is no prediction.
  double error_rms = std::numeric_limits<double>::quiet_NaN();
  std::string why_not;                ///< there is none
  std::vector<std::string> left_out;  ///< what the scene has and this does not
  bool is_mean = false;               ///< over noise, from which the error of one seed differs
  std::vector<ErrorPart> parts;       ///< FindErrorParts; empty: there is no prediction
  double from_s = 0, to_s = 0;        ///< of the reference
  /// By part, at times that are closer at first; NaN of parts that are not the whole where measured
  /// velocities are noisy.
  ErrorCourse course;

  /// Root of the mean of ‖P e‖² of a part from the start until t, rad or m; NaN outside of the time
  /// that is predicted.
  double RmsUntil(std::size_t part, double t_s) const;
};

/// For open trees and the laws of FindErrorGains; of others PredictedError::why_not tells why
/// there is none, and of what voids it: errors that grow (ErrorsGrow), a reference beyond joint
/// limits, a velocity filter, dry friction beside which the damping K_D s is small. The scene's
/// q_start and v_start are those at `from_s` (s) of its reference; the end is the config's
/// duration. The law's state is as before. Throws nothing of UserError.
PredictedError PredictError(Scene& scene, double from_s = 0);

/// What PredictError takes, about, in seconds of processor time.
double EstimatePredictionTime(const Scene& scene);

/// Ratios of predicted errors of two laws are within this share of those of runs as far as errors
/// are small and nothing is left out: docs/advise.md has the figures.
inline constexpr double kPredictionAccuracy = 0.05;

}  // namespace civita
