#include "civita/study/survive/survival.h"

#include <algorithm>
#include <cmath>

namespace civita {

Interval WilsonInterval(long k, long n) {
  if (n == 0) return {};
  constexpr double z = 1.959963984540054;  // of the normal distribution at 97.5 %
  const auto count = static_cast<double>(n);
  const double p = static_cast<double>(k) / count;
  const double spread = z * z / count;
  const double middle = p + spread / 2;
  const double half = z * std::sqrt(p * (1 - p) / count + spread / (4 * count));
  return {std::max(0.0, (middle - half) / (1 + spread)),
          std::min(1.0, (middle + half) / (1 + spread))};
}

}  // namespace civita
