#pragma once

#include "civita/sim/metric_table.h"
#include "civita/sim/metrics.h"

namespace civita {

/// Accumulates the MotionMetrics of a run's records.
class MotionAccumulator final : public Accumulator {
 public:
  explicit MotionAccumulator(const MetricContext& context)
      : metrics_(*context.scene, context.factorization, context.dt_s) {}
  void Add(const StepRecord& record) override { metrics_.Add(record.q, record.s, record.q_d); }
  void SetFactorization(const Factorization& factorization) override {
    metrics_.set_factorization(factorization);
  }

  const MotionMetrics& metrics() const { return metrics_; }
  double path() const { return metrics_.path(); }
  double path_ratio() const { return Ratio(metrics_.path(), metrics_.path_reference()); }
  double ee_path() const { return metrics_.ee_path(); }
  double ee_path_ratio() const { return Ratio(metrics_.ee_path(), metrics_.ee_path_reference()); }
  double twist() const { return metrics_.twist(); }
  double ideal_turning() const { return metrics_.ideal_turning(); }

 private:
  static double Ratio(double path, double reference) {
    return reference > 0 ? path / reference : kNaN;
  }

  MotionMetrics metrics_;
};

}  // namespace civita
