#include "app/verbs/bench/count/count_flops.h"

namespace civita {

double CountFlops(const BenchQuantity<Counted>& quantity, const Model& model) {
  BenchTask<Counted> task(model);
  Counted::operations = {};
  quantity.call(task);
  return static_cast<double>(Counted::operations.flops());
}

}  // namespace civita
