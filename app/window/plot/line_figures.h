#pragma once

#include <cstdint>

#include "app/window/plot/series.h"

namespace civita {

/// Figures of a line over a stretch of time: root of the mean square, largest magnitude, mean.
struct LineFigures {
  double rms = std::numeric_limits<double>::quiet_NaN(), peak = rms, mean = rms;
};

/// Of a channel's finite samples [begin, end), times `scale`; NaN without any.
LineFigures CalcLineFigures(const TraceBuffer& trace, int channel, double scale, int64_t begin,
                            int64_t end);

}  // namespace civita
