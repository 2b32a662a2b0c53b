#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>

#include "app/window/model/lane.h"
#include "app/window/model/tuning.h"
#include "civita/scenes/schema/config.h"
#include "civita/study/advise/predicted_error.h"

namespace civita {

/// Whether the choice of C matters with the settings of a run: what `civita advise` says of them.
struct TuneVerdict {
  std::string text = {};  ///< the verdict, or why there is none
  bool is_known = false;  ///< there is a verdict, and what is below
  bool matters = false;   ///< the choice of C; of the torsion-free one, torsion in its place
  /// ω_F/k: by how much K turns errors in the time constant of their decay, rad.
  double turning = std::numeric_limits<double>::quiet_NaN();
  /// The delay T_d + dt/2 over the largest that errors bear: from 1 on they grow.
  double margin = std::numeric_limits<double>::quiet_NaN();
};

/// The verdict on a config, which loads its scene. Where it would take some seconds, its text says
/// so. Throws nothing but Stopped.
TuneVerdict JudgeConfig(const SceneConfig& config);

/// What a verdict is of: a run of the scene that is open, and its tuning.
struct JudgedRun {
  int slot = 0;
  Tuning tuning;
  bool operator==(const JudgedRun&) const = default;
};
using VerdictLane = Lane<JudgedRun, TuneVerdict>;

/// A state of a run as an error from its reference.
struct RunStart {
  double t = 0;
  Eigen::VectorXd e, v;  ///< q = q_d(t) ⊕ e
};

/// What PredictError says of a config from a state on, or from its own start, until to_s (s).
/// Loads the scene. Where it would take some seconds, PredictedError::why_not says so. Throws
/// nothing but Stopped.
PredictedError PredictConfig(SceneConfig config, const std::optional<RunStart>& start, double to_s);

/// What two forecasts are of: the tunings of A and B, and the stretch of time.
struct ForecastRuns {
  std::array<Tuning, 2> tunings;
  double from_s = 0, to_s = 0;
  bool operator==(const ForecastRuns&) const = default;
};
/// The tracking errors of A and B that are predicted.
using Forecast = std::array<PredictedError, 2>;
using ForecastLane = Lane<ForecastRuns, Forecast>;

}  // namespace civita
