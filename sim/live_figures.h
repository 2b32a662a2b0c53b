#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "sim/metrics.h"
#include "sim/simulation.h"

namespace civita {

/// Figures of a run so far, for a table that is looked at while it runs. Not a number: not known
/// yet.
struct Figures {
  double since_t = 0;                    ///< counted from here: the start, or the last change
  double error_rms = 0, error_peak = 0;  ///< of ‖q ⊖ q_d‖
  double path_ratio = 0;                 ///< Σ‖Δq‖_H over the reference's
  double twist = 0, ideal_turning = 0;   ///< rad, MotionMetrics
  double torque_rms = 0, torque_rate = 0, energy = 0, high_frequency_share = 0;
  std::vector<std::pair<double, double>> V_at;  ///< marks that were reached: t, V
};

/// Adds up a run's records as it goes. Allocates nothing but in Restart and Describe.
class LiveFigures {
 public:
  explicit LiveFigures(const Simulation& simulation);
  /// Forgets all; counts from the simulation's present time on.
  void Restart(const Simulation& simulation);
  void Add(const StepRecord& record);
  void Describe(Figures* figures) const;

 private:
  double dt_s_;
  double since_t_ = 0;
  long steps_ = 0;
  double error_squares_ = 0, error_peak_ = 0, torque_squares_ = 0;
  TorqueMetrics torque_;
  std::optional<MotionMetrics> motion_;          ///< always one
  std::vector<std::pair<double, double>> V_at_;  ///< all marks; NaN until reached
};

}  // namespace civita
