#pragma once

#include "civita/controllers/task_field.h"
#include "civita/sim/fall.h"
#include "civita/sim/metric_table.h"
#include "civita/sim/metrics.h"

namespace civita {

/// The first fall among a run's records.
class FallStatistics final : public Accumulator {
 public:
  explicit FallStatistics(const MetricContext& context)
      : probe_(*context.scene), watch_(context.nominal_height) {}
  void Add(const StepRecord& record) override { probe_.Add(record, &watch_); }

  const Fall& fall() const { return watch_.fall(); }
  /// Its time, s; NaN without one.
  double time() const { return fall().fallen ? fall().t : kNaN; }

 private:
  FallProbe probe_;
  FallWatch watch_;
};

/// Where the signals of a law of a task are among the law's; −1: it has none.
struct TaskSignals {
  explicit TaskSignals(const Controller& law)
      : m(law.FindSignal(kTaskErrorM)),
        rad(law.FindSignal(kTaskErrorRad)),
        damped(law.FindSignal(kTaskDamped)) {}
  Eigen::Index m, rad, damped;
};

/// What the signals of a law of a task tell over a run.
class TaskStatistics final : public Accumulator {
 public:
  static bool Applies(const Scene& scene) { return TaskSignals(*scene.controller).m >= 0; }
  static bool Turns(const Scene& scene) { return TaskSignals(*scene.controller).rad >= 0; }

  explicit TaskStatistics(const MetricContext& context) : at_(*context.scene->controller) {}
  void Add(const StepRecord& record) override {
    const auto& x = record.signals;
    m_.Add(x[at_.m] * x[at_.m]);
    if (at_.rad >= 0) rad_.Add(x[at_.rad] * x[at_.rad]);
    damped_ += x[at_.damped] > 0 ? 1 : 0;
    ++steps_;
  }
  double rms_m() const { return m_.Root(); }
  double rms_rad() const { return rad_.Root(); }
  double damped_share() const { return steps_ > 0 ? damped_ / steps_ : kNaN; }

 private:
  TaskSignals at_;  ///< in the record's signals
  MeanSquare m_, rad_;
  double damped_ = 0, steps_ = 0;
};

}  // namespace civita
