#include "app/window/plot/spectrum.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <unsupported/Eigen/FFT>

#include "civita/sim/metrics.h"

namespace civita {
namespace {

constexpr std::size_t kLeastSamples = 16;
constexpr std::size_t kMostInWindow = 1 << 16;

}  // namespace

double Spectrum::ShareAbove(double hz) const {
  double above = 0, all = 0;
  for (std::size_t k = 0; k < density.size(); ++k) {
    const double power = density[k] * density[k];
    all += power;
    // As many digits as a number of whole periods needs.
    if (static_cast<double>(k) * step_hz > hz * (1 + 1e-9)) above += power;
  }
  return all > 0 ? above / all : kNaN;
}

Spectrum CalcSpectrum(std::span<const float> samples, double dt_s) {
  Spectrum spectrum;
  if (samples.size() < kLeastSamples || !(dt_s > 0)) return spectrum;
  const auto second = static_cast<std::size_t>(std::max(2L, std::lround(1 / dt_s)));
  const std::size_t n = std::min({samples.size(), second, kMostInWindow});
  if (!std::ranges::all_of(samples, [](float x) { return std::isfinite(x); })) return spectrum;

  std::vector<double> hann(n), windowed(n);
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    hann[i] = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) /
                                   static_cast<double>(n));
    squares += hann[i] * hann[i];
  }
  const std::size_t last = (samples.size() - n) / std::max<std::size_t>(1, n / 2);  // window
  const std::size_t count = std::min<std::size_t>(last + 1, kMostSpectrumWindows);
  Eigen::FFT<double> fft(Eigen::default_fft_impl<double>(), Eigen::FFT<double>::HalfSpectrum);
  std::vector<std::complex<double>> transformed;
  std::vector<double> power(n / 2 + 1, 0.0);
  for (std::size_t w = 0; w < count; ++w) {
    const std::size_t begin = count > 1 ? w * last / (count - 1) * (n / 2) : 0;
    double mean = 0;
    for (std::size_t i = 0; i < n; ++i) mean += static_cast<double>(samples[begin + i]);
    mean /= static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
      windowed[i] = hann[i] * (static_cast<double>(samples[begin + i]) - mean);
    }
    fft.fwd(transformed, windowed);
    for (std::size_t k = 0; k < power.size(); ++k) power[k] += std::norm(transformed[k]);
  }
  spectrum.step_hz = 1 / (static_cast<double>(n) * dt_s);
  spectrum.density.resize(power.size());
  for (std::size_t k = 0; k < power.size(); ++k) {
    const bool alone = k == 0 || 2 * k == n;  // the others stand for −k too
    spectrum.density[k] =
        std::sqrt((alone ? 1 : 2) * power[k] * dt_s / (squares * static_cast<double>(count)));
  }
  return spectrum;
}

Spectrum CalcSpectrum(const TraceBuffer& trace, int channel, double from, double to) {
  const int64_t begin = trace.LowerBound(from), end = trace.LowerBound(to);
  if (end - begin < 2) return {};
  std::vector<float> samples;
  samples.reserve(static_cast<std::size_t>(end - begin));
  for (int64_t i = begin; i < end; ++i) samples.push_back(trace.value(i, channel));
  const double dt_s =
      (trace.time(end - 1) - trace.time(begin)) / static_cast<double>(end - begin - 1);
  return CalcSpectrum(samples, dt_s);
}

}  // namespace civita
