#pragma once

#include <span>
#include <string_view>

#include "app/verbs/bench/quantity_table.h"

namespace civita {

std::span<const BenchQuantity<double>> BenchQuantities();
/// @throws UserError that lists the names.
const BenchQuantity<double>& FindBenchQuantity(std::string_view name);

}  // namespace civita
