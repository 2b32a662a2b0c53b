// The spectrum of a signal. Independent of Dear ImGui.
#pragma once

#include <span>
#include <vector>

#include "app/window/plot/series.h"

namespace civita {

/// The one-sided amplitude density of a signal, in its unit over √Hz; its square over all
/// frequencies sums up to the signal's variance.
struct Spectrum {
  double step_hz = 0;                  ///< entry k is at k·step_hz
  std::vector<double> density;         ///< empty: too few samples
  double ShareAbove(double hz) const;  ///< of the power, 0…1; NaN without power
};

/// The mean of the power in Hann windows of 1 s that overlap by half or less, less their means, as
/// civita::TorqueMetrics has it; one window of all samples where they are less than 1 s. Of many
/// windows at most kMostSpectrumWindows are taken, evenly spread. Samples are dt_s apart; where one
/// is not finite there is no spectrum.
Spectrum CalcSpectrum(std::span<const float> samples, double dt_s);
inline constexpr int kMostSpectrumWindows = 16;

/// Shown of a spectrum below its largest density.
inline constexpr double kSpectrumDecades = 6;

/// The spectrum of a channel over [from, to], s.
Spectrum CalcSpectrum(const TraceBuffer& trace, int channel, double from, double to);

}  // namespace civita
