#pragma once

#include <iosfwd>
#include <span>

#include "app/window/plot/plot.h"

namespace civita {

/// Writes what the lines show in [t0, t1] as comma-separated values: a row for each time at which
/// any of their traces has a sample, first column `t` (s), then one column a line, in the shown
/// unit, headed by its name. A field is empty where a line has no sample at that time, and `nan`
/// where it was not finite.
void WritePlotCsv(std::ostream& out, std::span<const PlotLine> lines, double t0, double t1);

}  // namespace civita
