// A plug-in with a metric and a signal of its own: the power that motors without recuperation draw.
#include <cmath>

#include "civita/scenes/registry.h"
#include "civita/sim/metric_table.h"
#include "civita/sim/metrics.h"
#include "civita/sim/signals.h"

using namespace civita;

namespace {

double PowerDrawn(const StepRecord& record) {
  return record.tau.cwiseProduct(record.v).cwiseAbs().sum();
}

class DrawnPower final : public Accumulator {
 public:
  explicit DrawnPower(const MetricContext& /*context*/) {}
  void Add(const StepRecord& record) override { peak_ = std::fmax(peak_, PowerDrawn(record)); }
  double peak() const { return peak_; }

 private:
  double peak_ = std::nan("");
};

}  // namespace

CIVITA_PLUGIN(registry) {
  (void)registry;
  RegisterMetric({"power_peak", "drawn power, peak", "W", "largest Σ|τ_i v_i|",
                  Reading<&DrawnPower::peak>::Of});
  RegisterSignal({"/power_drawn", "W", PowerDrawn, "Σ|τ_i v_i|", {.from_zero = true}});
}
