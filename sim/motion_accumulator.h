#pragma once

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

}  // namespace civita
