#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/sim/metrics.h"
#include "app/sim/simulation.h"

namespace civita {

/// Figures of a run that fit in a table. Means over time are trapezoids over the rows.
struct RunSummary {
  bool passed = true;
  bool interrupted = false;
  std::string verdict;    ///< "done", "interrupted at t = …", or the failure's reason
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

  static constexpr double kSettled = 2;  ///< s
};

/// "rad", "m", or "rad, m".
std::string ErrorUnit(const Model& model);

/// Where what stands in a row of a recording: signals first, then times taken.
class RowLayout {
 public:
  explicit RowLayout(const Controller& controller);
  RowLayout(int nq, int nv, const std::vector<std::string>& law_signals);

  /// "t", "/q/0" …, "/v/0" …, "/tau/0" …, "/q_d/0" …, "/e/0" …, "/s/0" …, "/V", "/Vdot", "/P",
  /// "/energy_balance", "/saturated", "/constrained", "/V_estimation", and the law's own.
  const std::vector<std::string>& signals() const { return signals_; }
  /// "/kinematics_us", "/matrices_us", "/law_us", "/control_us", "/physics_us".
  const std::vector<std::string>& timings() const { return timings_; }
  std::size_t width() const { return signals_.size() + timings_.size(); }

  void Fill(const StepRecord& record, std::span<double> row) const;

  double t(std::span<const double> row) const { return row[0]; }
  std::span<const double> v(std::span<const double> row) const { return row.subspan(v_, nv_); }
  std::span<const double> e(std::span<const double> row) const { return row.subspan(e_, nv_); }
  std::span<const double> tau(std::span<const double> row) const { return row.subspan(tau_, nv_); }
  double V(std::span<const double> row) const { return row[scalars_]; }
  double P(std::span<const double> row) const { return row[scalars_ + 2]; }
  double energy_balance(std::span<const double> row) const { return row[scalars_ + 3]; }
  bool saturated(std::span<const double> row) const { return row[scalars_ + 4] != 0; }
  bool constrained(std::span<const double> row) const { return row[scalars_ + 5] != 0; }
  double control_us(std::span<const double> row) const { return row[signals_.size() + 3]; }

 private:
  std::size_t nv_, v_, tau_, e_, scalars_;
  std::vector<std::string> signals_, timings_;
};

/// Adds up rows to a RunSummary.
class RunStatistics {
 public:
  RunStatistics(const RowLayout& layout, const Scene& scene, double dt_s);

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
  bool pushed(double t) const;

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
};

/// The short table of a headless run, for a terminal; `files` is the run folder or empty.
std::string FormatSummary(const Simulation& simulation, const RunSummary& summary,
                          const std::string& files);

}  // namespace civita
