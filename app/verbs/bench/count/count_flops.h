#pragma once

#include "app/verbs/bench/count/counted.h"
#include "app/verbs/bench/quantity_table.h"

namespace civita {

/// Floating-point operations of the plain algorithm in one call.
double CountFlops(const BenchQuantity<Counted>& quantity, const Model& model);

}  // namespace civita
