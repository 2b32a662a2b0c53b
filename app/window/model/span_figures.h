#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/window/plot/traces.h"

namespace civita {

/// Figures of a stretch of the traces of each run.
struct SpanFigures {
  struct Run {
    LineFigures error, s, torque;  ///< of their norms
    double turning = kNaN;         ///< of s, rad
    /// −d ln V/dt by least squares over the rows with V > 0, 1/s.
    double decay_rate = kNaN;
  };
  std::array<Run, 2> runs;
  double from = 0, to = 0;  ///< s

  // Of what they were made.
  std::int64_t begin = 0, end = 0, content = -1;
};

/// The figures of the rows [begin, end) of a trace; `find` tells the first channel of a signal, −1
/// without it.
SpanFigures::Run CalcSpanFigures(const TraceBuffer& rows, int nv,
                                 const std::function<int(const std::string&)>& find,
                                 std::int64_t begin, std::int64_t end);

/// Takes over the rows of [from, to] (s), unless the figures are already of them. Rows without
/// finite values, of a run that has stopped, are left out; figures of less than two rows are NaN.
void UpdateSpanFigures(const Traces& traces, double from, double to, SpanFigures* figures);

/// A recorded run, read for the plots, or why it could not be.
struct LoadedGhost {
  std::shared_ptr<GhostRun> run = nullptr;
  std::string error = {};
};

/// Reads the run of a folder as a replay does, whole as far as half a gigabyte holds. Throws
/// nothing.
LoadedGhost LoadGhost(const std::string& folder);

/// The figures of a ghost over [from, to] (s), as UpdateSpanFigures has them.
SpanFigures::Run CalcGhostFigures(const GhostRun& ghost, double from, double to);

/// The figures of the session's runs and of the ghosts over the same stretch of time.
struct KeptFigures {
  SpanFigures own;
  std::vector<SpanFigures::Run> ghosts;
  double from = 0, to = 0;  ///< s
  double at = -1;           ///< window time, s
};
/// Brings them up to date, four times a second: a long run has many rows.
void UpdateKeptFigures(const Traces& traces, std::span<const GhostRun> ghosts, double from,
                       double to, double now, KeptFigures* figures);

}  // namespace civita
