#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/verbs/bench/bench_task.h"
#include "app/verbs/bench/counted.h"
#include "app/verbs/bench/measure.h"

namespace civita {

/// Something to be timed: a call of the public API from the state (sines and cosines included) to
/// all output, written.
struct BenchQuantity {
  std::string_view name;   ///< "C+H"
  std::string_view about;  ///< what is computed, for people
  void (*call)(BenchTask<double>& at);
  void (*count)(BenchTask<Counted>& at);      ///< the same by the plain algorithm
  std::size_t (*output)(const Model& model);  ///< numbers written
};

std::span<const BenchQuantity> BenchQuantities();
/// @throws UserError that lists the names.
const BenchQuantity& FindBenchQuantity(std::string_view name);

/// Operations of the plain algorithm in one call.
double CountFlops(const BenchQuantity& quantity, const Model& model);

}  // namespace civita
