#pragma once

#include "civita/controllers/task_field.h"
#include "civita/sim/fall.h"
#include "civita/sim/metric_table.h"
#include "civita/sim/metrics.h"

namespace civita {

/// Accumulates the MotionMetrics of a run's records, and what the angles that they hold have grown.
class MotionAccumulator final : public Accumulator {
 public:
  explicit MotionAccumulator(const MetricContext& context)
      : metrics_(*context.scene), uses_factorization_(context.scene->law->uses_factorization) {}
  void Add(const StepRecord& record) override {
    metrics_.Add(record.q, record.q_d);
    if (first_) {
      twist_from_ = record.twist;
      ideal_turning_from_ = record.ideal_turning;
    }
    first_ = false;
    twist_ = record.twist;
    ideal_turning_ = record.ideal_turning;
  }

  const MotionMetrics& metrics() const { return metrics_; }
  double path() const { return metrics_.path(); }
  double path_ratio() const { return Ratio(metrics_.path(), metrics_.path_reference()); }
  double ee_path() const { return metrics_.ee_path(); }
  double ee_path_ratio() const { return Ratio(metrics_.ee_path(), metrics_.ee_path_reference()); }
  double twist() const { return twist_ - twist_from_; }
  /// NaN for a law without C.
  double ideal_turning() const {
    return uses_factorization_ ? ideal_turning_ - ideal_turning_from_ : kNaN;
  }

 private:
  static double Ratio(double path, double reference) {
    return reference > 0 ? path / reference : kNaN;
  }

  MotionMetrics metrics_;
  bool uses_factorization_, first_ = true;
  double twist_from_ = 0, ideal_turning_from_ = 0, twist_ = 0, ideal_turning_ = 0;
};

/// The first fall among a run's records.
class FallStatistics final : public Accumulator {
 public:
  explicit FallStatistics(const MetricContext& context)
      : probe_(*context.scene, context.nominal_height), watch_(probe_.Start()) {}
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
