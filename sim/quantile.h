#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace civita {

/// The sample below which a share `p` of all lies; 0 when there is none. Reorders.
inline double Quantile(std::vector<float>* samples, double p) {
  if (samples->empty()) return 0;
  const auto last = static_cast<double>(samples->size() - 1);
  const auto nth = samples->begin() + static_cast<std::ptrdiff_t>(std::lround(p * last));
  std::nth_element(samples->begin(), nth, samples->end());
  return static_cast<double>(*nth);
}

}  // namespace civita
