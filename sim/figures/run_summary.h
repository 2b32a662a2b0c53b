#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "civita/sim/coupling_watch.h"
#include "civita/sim/error_causes.h"
#include "civita/sim/metric_table.h"
#include "civita/sim/metrics.h"
#include "civita/sim/run_accumulators.h"
#include "civita/sim/simulation.h"

namespace civita {

/// Result of a run.
struct RunSummary {
  bool passed = true;
  bool interrupted = false;
  /// "done", "interrupted at t = …", the fall, or the failure's reason
  std::string verdict;
  long steps = 0;         ///< number of rows
  double duration_s = 0;  ///< time of the last row
  double dt_s = 0;
  std::vector<MetricInfo> metrics;  ///< those of the scene
  std::vector<double> values;       ///< by metric; NaN if there is none
  std::vector<double> error_rms_by_coordinate;
  std::string error_unit;          ///< rad, m, or "rad, m"
  std::optional<Fall> fall;        ///< of floating robots: the fall, if any
  std::vector<std::string> notes;  ///< what the user should know of the run, one line each
  double wall_s = 0;               ///< of this program; a resumed run has had more
  double simulated_s = 0;          ///< within wall_s
  double real_time_factor = 0;
  int mujoco_warnings = 0;
  std::string hash;         ///< of the recorded signals: RunHash
  std::string write_error;  ///< why files are missing or end early; empty: they are whole

  bool fell() const { return fall && fall->fallen; }
  /// Value of a metric, at a mark if given; NaN if there is none.
  double value(std::string_view key, std::optional<double> mark_s = std::nullopt) const;
};

/// Accumulates a run's records into a RunSummary. Add allocates nothing.
class RunStatistics {
 public:
  /// The simulation's scene must outlive it.
  explicit RunStatistics(const Simulation& simulation);

  void Add(const StepRecord& record);
  /// Discards all records.
  void Restart();
  /// Metrics of the records so far.
  const MotionMetrics& motion() { return metrics_.Use<MotionMetrics>(); }
  /// The summary without verdict, wall time and warnings.
  RunSummary Summarize() const;

 private:
  /// What is no metric.
  struct Others {
    explicit Others(const Scene& scene);
    CouplingWatch couplings;
    ErrorCauses causes;
    std::vector<MeanSquare> error_by_coordinate;
    long steps = 0;
    double duration_s = 0;
  };

  const Scene& scene_;
  double dt_s_;
  MetricSet metrics_;
  std::optional<Others> others_;
  const FallStatistics* falls_ = nullptr;  ///< one of the metrics; null where there are none
};

}  // namespace civita
