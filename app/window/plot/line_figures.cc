#include "app/window/plot/line_figures.h"

#include <algorithm>
#include <cmath>

namespace civita {

LineFigures CalcLineFigures(const TraceBuffer& trace, int channel, double scale, int64_t begin,
                            int64_t end) {
  double squares = 0, sum = 0, peak = 0;
  int64_t count = 0;
  for (int64_t i = std::max(begin, trace.begin_index()); i < std::min(end, trace.end_index());
       ++i) {
    const double x = scale * static_cast<double>(trace.value(i, channel));
    if (!std::isfinite(x)) continue;
    squares += x * x;
    sum += x;
    peak = std::max(peak, std::fabs(x));
    ++count;
  }
  if (count == 0) return {};
  const auto n = static_cast<double>(count);
  return {std::sqrt(squares / n), peak, sum / n};
}

}  // namespace civita
