#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "civita/sim/quantile.h"

namespace civita {

/// Durations of the control steps of the last second.
class StepTimes {
 public:
  /// dt_s: control period, s.
  explicit StepTimes(double dt_s)
      : ring_(static_cast<std::size_t>(std::clamp(std::round(1 / dt_s), 1.0, kMaxSteps))) {
    sorted_.reserve(ring_.size());
  }

  /// Most samples that it holds.
  std::size_t capacity() const { return ring_.size(); }
  void Clear() { count_ = 0; }
  void Add(double seconds) { ring_[count_++ % ring_.size()] = static_cast<float>(1e6 * seconds); }
  /// Sorts the samples for Quantile.
  void Measure() {
    const std::size_t n = std::min(count_, ring_.size());
    sorted_.assign(ring_.begin(), ring_.begin() + static_cast<std::ptrdiff_t>(n));
    std::sort(sorted_.begin(), sorted_.end());
  }
  /// Quantile of the durations, µs; 0 without samples.
  double Quantile(double p) const {
    if (sorted_.empty()) return 0;
    return static_cast<double>(sorted_[QuantileIndex(p, sorted_.size())]);
  }

 private:
  static constexpr double kMaxSteps = 4096;

  std::vector<float> ring_, sorted_;
  std::size_t count_ = 0;
};

}  // namespace civita
