#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace civita {

/// Index of the quantile p (0 to 1) among n ≥ 1 ascending samples: the nearest rank.
inline std::size_t QuantileIndex(double p, std::size_t n) {
  return static_cast<std::size_t>(std::lround(p * static_cast<double>(n - 1)));
}

/// Quantiles of any number of positive samples from 1e-3 to 1e9 in fixed memory: samples are
/// counted in bins whose edges grow by 0.5 %, so that a quantile is accurate to 0.25 %; minimum
/// and maximum are exact.
class QuantileHistogram {
 public:
  /// Adds a sample; below 1e-3 it counts as 1e-3, above 1e9 as 1e9. NaN is ignored.
  void Add(double sample) {
    if (std::isnan(sample)) return;
    ++counts_[BinOf(sample)];
    min_ = count_ == 0 ? sample : std::min(min_, sample);
    max_ = count_ == 0 ? sample : std::max(max_, sample);
    ++count_;
  }

  long count() const { return static_cast<long>(count_); }
  double max() const { return max_; }  ///< 0 without samples

  /// How many are in [from, to), to a bin at both ends.
  long CountIn(double from, double to) const {
    const std::size_t end = to > kMin * std::exp(kLogGrowth * kBins) ? kBins : BinOf(to);
    std::size_t count = 0;
    for (std::size_t bin = BinOf(from); bin < end; ++bin) count += counts_[bin];
    return static_cast<long>(count);
  }

  /// The value below which the share `p` of the samples lies; 0 without samples.
  double Quantile(double p) const {
    if (count_ == 0) return 0;
    const std::size_t rank = QuantileIndex(p, count_);
    if (rank == count_ - 1) return max_;
    std::size_t below = 0;
    std::size_t bin = 0;
    while (below + counts_[bin] <= rank) below += counts_[bin++];
    const double middle = kMin * std::exp(kLogGrowth * (static_cast<double>(bin) + 0.5));
    return std::clamp(middle, min_, max_);
  }

 private:
  static std::size_t BinOf(double sample) {
    const double place = std::log(std::max(sample, kMin) / kMin) / kLogGrowth;
    return static_cast<std::size_t>(std::min(place, static_cast<double>(kBins - 1)));
  }

  static constexpr double kMin = 1e-3;
  static constexpr double kLogGrowth = 0.004987541511;  ///< log 1.005
  static constexpr std::size_t kBins = 5541;            ///< up to 1e9

  std::array<std::size_t, kBins> counts_{};
  std::size_t count_ = 0;
  double min_ = 0, max_ = 0;
};

}  // namespace civita
