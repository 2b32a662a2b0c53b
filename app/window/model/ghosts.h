#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/window/model/span_figures.h"
#include "app/window/plot/ghost_run.h"

namespace civita {

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
