#pragma once

#include "civita/sim/fall.h"
#include "civita/sim/metric_table.h"
#include "civita/sim/metrics.h"

namespace civita {

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

}  // namespace civita
