#pragma once

#include "civita/controllers/task_field.h"
#include "civita/sim/metric_table.h"
#include "civita/sim/metrics.h"

namespace civita {

/// What the signals of a law of a task tell over a run.
class TaskStatistics final : public Accumulator {
 public:
  static bool Applies(const Scene& scene) { return scene.controller->FindSignal(kTaskErrorM) >= 0; }
  static bool Turns(const Scene& scene) { return scene.controller->FindSignal(kTaskErrorRad) >= 0; }

  explicit TaskStatistics(const MetricContext& context)
      : m_at_(context.scene->controller->FindSignal(kTaskErrorM)),
        rad_at_(context.scene->controller->FindSignal(kTaskErrorRad)),
        damped_at_(context.scene->controller->FindSignal(kTaskDamped)) {}
  void Add(const StepRecord& record) override {
    const auto& x = record.signals;
    m_.Add(x[m_at_] * x[m_at_]);
    if (rad_at_ >= 0) rad_.Add(x[rad_at_] * x[rad_at_]);
    damped_ += x[damped_at_] > 0 ? 1 : 0;
    ++steps_;
  }
  double rms_m() const { return m_.Root(); }
  double rms_rad() const { return rad_.Root(); }
  double damped_share() const { return steps_ > 0 ? damped_ / steps_ : kNaN; }

 private:
  Eigen::Index m_at_, rad_at_, damped_at_;  ///< in the record's signals
  MeanSquare m_, rad_;
  double damped_ = 0, steps_ = 0;
};

}  // namespace civita
