#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "app/window/plot/plot.h"
#include "app/window/plot/spectrum.h"

namespace civita {

/// Writes the lines' samples in [t0, t1] as comma-separated values: a row for each time at which
/// any of their traces has a sample, first column `t` (s), then one column for each line, in the
/// shown unit, headed by its name. A field is empty where a line has no sample at that time, and
/// `nan` where the value is not finite.
void WritePlotCsv(std::ostream& out, std::span<const PlotLine> lines, double t0, double t1);

/// A spectrum with its name, and its unit in brackets.
struct NamedSpectrum {
  std::string name;
  Spectrum spectrum;
};
/// The spectrum of a line, in its shown unit over √Hz.
Spectrum SpectrumOf(const PlotLine& line, const SpectrumOver& over);
/// Writes spectra over one stretch of time as comma-separated values: a row for each frequency but
/// zero, first column `frequency (Hz)`, then the densities; a field is empty where there is no
/// spectrum.
void WriteSpectraCsv(std::ostream& out, std::span<const NamedSpectrum> spectra);

/// The plots' lines in [t0, t1], and spectra over theirs, as an SVG document; long traces by the
/// minima and maxima of their parts.
std::string FormatPlotsSvg(std::span<const PlotSpec> plots, double t0, double t1);

}  // namespace civita
