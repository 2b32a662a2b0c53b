#pragma once

#include <cmath>
#include <limits>

#include "civita/factorization.h"
#include "civita/scenes/schema/config.h"
#include "civita/study/watch.h"

namespace civita {

/// How the largest stable multiple of a torsion is measured.
struct StabilityTrials {
  int starts = 3;           ///< errors of the prior energy, seeds 1 to `starts`
  double size = 0.1;        ///< of their velocity errors (InitialConfig::v_error_size), rad/s, m/s
  double most = 1e4;        ///< no larger multiple is tried
  double first = 0;         ///< where the search begins; 0: at the prediction
  double tolerance = 0.02;  ///< the bracket's ends differ by this share
};

/// The largest stable multiple of a torsion: t itself where that is of `t:1`.
struct StableFactor {
  /// Errors have not grown with `stable`, and with `grows` they have: infinite where they never
  /// did. `stable` is 0, and `grows` too, where they grow without torsion.
  double stable = 0, grows = std::numeric_limits<double>::infinity();
  /// Advice::largest_factor of these starts; NaN for what advice refuses.
  double predicted = std::numeric_limits<double>::quiet_NaN();
  double duration_s = 0;  ///< of each run
  int runs = 0;
  bool interrupted = false;  ///< by the flag: the bracket is as wide as it was then

  /// It was stopped before a multiple was measured.
  bool is_unknown() const { return interrupted && stable == 0 && std::isinf(grows); }
};

/// Runs the scene with x times the torsion of `factorization` (its difference from the torsion-free
/// C) and finds by bisection the x from which on errors grow: where the sum of V = ½ sᵀH s of the
/// runs at their end is larger than at their start, or a run fails. The runs start on the reference
/// with an error of velocity and last as long as the scene, at most HeldDecay::kMostSteps control
/// periods as FindLargestFactor, which predicts this number; without the scene's own start, pushes
/// and throws. 10 to 20 times `starts` runs.
/// @throws UserError for a torsion that is zero or has coefficients that are functions of q, a law
/// whose torque is not held or that does not use C, and a scene that cannot be made.
StableFactor MeasureStableFactor(const SceneConfig& config, const Factorization& factorization,
                                 const StabilityTrials& trials = {}, const Watch& watch = {});

/// The factorization whose contorsion is x times as large. @throws UserError for coefficients that
/// are functions of q, and for a C that is not admissible.
Factorization ScaleTorsion(const Factorization& factorization, double x);

}  // namespace civita
