#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "app/window/plot/plot.h"

namespace civita {

/// Writes the lines' samples in [t0, t1] as comma-separated values: a row for each time at which
/// any of their traces has a sample, first column `t` (s), then one column for each line, in the
/// shown unit, headed by its name. A field is empty where a line has no sample at that time, and
/// `nan` where the value is not finite.
void WritePlotCsv(std::ostream& out, std::span<const PlotLine> lines, double t0, double t1);

/// The plots' lines in [t0, t1] as an SVG document in `columns` columns; long traces by the minima
/// and maxima of their parts.
std::string FormatPlotsSvg(std::span<const PlotSpec> plots, double t0, double t1, int columns);

}  // namespace civita
