#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/leg_statistics.h"
#include "sim/metrics.h"
#include "sim/row_layout.h"
#include "sim/simulation.h"

namespace civita {

/// Figures of a run that fit in a table. Means over time are trapezoids over the rows.
struct RunSummary {
  bool passed = true;
  bool interrupted = false;
  std::string verdict;    ///< "done", "interrupted at t = …", the fall, or the failure's reason
  long steps = 0;         ///< rows
  double duration_s = 0;  ///< time of the last row
  double dt_s = 0;
  double error_rms = 0, error_peak = 0;  ///< of ‖q ⊖ q_d‖: root of the time mean; largest
  double error_rms_settled = 0;          ///< from kSettled on; NaN for shorter runs
  std::vector<double> error_rms_by_coordinate;
  std::string error_unit;                                    ///< rad, m, or "rad, m"
  std::vector<std::pair<double, double>> V_at;               ///< marks that the run reached: t, V
  double torque_rms = 0;                                     ///< of ‖τ‖
  double torque_rate = 0, high_frequency_share = 0;          ///< see TorqueMetrics
  double energy_J = 0;                                       ///< ∫Σ|τ_i v_i| dt
  double passivity_residual = 0;                             ///< relative, see PassivityResidual
  double balance_peak = 0;                                   ///< largest |energy balance|, J
  double step_p50_us = 0, step_p99_us = 0, step_max_us = 0;  ///< control step
  double wall_s = 0, real_time_factor = 0;
  long saturated_steps = 0;
  int mujoco_warnings = 0;
  std::optional<LegSummary> legs;  ///< of legged robots

  static constexpr double kSettled = 2;  ///< s
};

/// "rad", "m", or "rad, m".
std::string ErrorUnit(const Model& model);

/// Adds up rows to a RunSummary.
class RunStatistics {
 public:
  /// `nominal_height`: Simulation::nominal_height.
  RunStatistics(const RowLayout& layout, const Scene& scene, double dt_s,
                double nominal_height = 0);

  void Add(std::span<const double> row);
  void Clear();
  /// All figures but verdict, wall time and warnings.
  RunSummary Summarize() const;

 private:
  /// ∫x² dt by the trapezoid over rows dt apart, as a mean.
  struct MeanSquare {
    double sum = 0, first = 0, last = 0;
    long n = 0;
    void Add(double x2);
    double Root() const;
  };

  const RowLayout& layout_;

  std::vector<double> marks_;
  std::vector<Push> pushes_;
  std::string error_unit_;
  double dt_s_;
  TorqueMetrics torque_metrics_;
  PassivityResidual passivity_;
  MeanSquare error_, settled_error_, torque_;
  std::vector<MeanSquare> error_by_coordinate_;
  RunSummary figures_;
  std::vector<float> control_us_;
  double nominal_height_;
  std::optional<LegStatistics> legs_;
};

/// The short table of a headless run, for a terminal; `files` is the run folder or empty.
std::string FormatSummary(const Simulation& simulation, const RunSummary& summary,
                          const std::string& files);

}  // namespace civita
