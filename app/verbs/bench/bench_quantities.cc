#include "app/verbs/bench/bench_quantities.h"

#include <algorithm>
#include <string>
#include <vector>

#include "civita/error.h"
#include "civita/suggest.h"

namespace civita {

std::span<const BenchQuantity<double>> BenchQuantities() { return kBenchQuantities<double>; }

const BenchQuantity<double>& FindBenchQuantity(std::string_view name) {
  const auto& all = kBenchQuantities<double>;
  const auto found = std::ranges::find(all, name, &BenchQuantity<double>::name);
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const BenchQuantity<double>& quantity : all) names.emplace_back(quantity.name);
  throw UserError(UnknownName("quantity", std::string(name), names));
}

}  // namespace civita
