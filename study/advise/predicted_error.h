#pragma once

#include <limits>
#include <string>
#include <vector>

#include "civita/scenes/scene.h"
#include "civita/study/advise/error_parts.h"

namespace civita {

/// The tracking error of a scene's run, predicted by the motion of its start and of what the config
/// gives (FollowIdealMotion): a plant that is not the law's model, pushes, dry friction, a velocity
/// filter, a torque that is held and late; and by the linear error equations of noise of measured
/// velocities, of closed chains, and of a start on the reference that the held torque alone moves.
struct PredictedError {
  /// As the metric error_rms, rad or m; NaN: there is no prediction.
  double error_rms = std::numeric_limits<double>::quiet_NaN();
  std::string why_not;                ///< there is none
  std::vector<std::string> left_out;  ///< what the scene has and this does not
  bool is_mean = false;               ///< over noise, from which the error of one seed differs
  bool is_linear = false;             ///< in part by equations that hold for small errors alone
  std::vector<ErrorPart> parts;       ///< FindErrorParts; empty: there is no prediction
  double from_s = 0, to_s = 0;        ///< of the reference
  /// By part, at times that are closer at first; NaN of parts that are not the whole where measured
  /// velocities are noisy.
  ErrorCourse course;

  /// Root of the mean of ‖P e‖² of a part from the start until t, rad or m; NaN outside of the time
  /// that is predicted.
  double RmsUntil(std::size_t part, double t_s) const;
};

/// For open trees, chains whose joints are coupled with a constant ratio, and the laws of
/// FindErrorGains; of others PredictedError::why_not tells why there is none, and of what voids it:
/// errors that grow (ErrorsGrow), a reference beyond joint limits, dry friction that makes a large
/// part of the error by itself. The scene's
/// q_start and v_start are those at `from_s` (s) of its reference; the end is the config's
/// duration. The law's state is as before. Throws nothing of UserError.
PredictedError PredictError(Scene& scene, double from_s = 0);

/// What PredictError takes, about, in seconds of processor time.
double EstimatePredictionTime(const Scene& scene);

/// Ratios of predicted errors of two laws are within this share of those of runs as far as errors
/// are small and nothing is left out: docs/advise.md has the figures.
inline constexpr double kPredictionAccuracy = 0.05;

}  // namespace civita
