#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "app/style/theme.h"
#include "app/window/plot/plot.h"
#include "app/window/plot/plot_choices.h"
#include "app/window/plot/plot_list.h"
#include "app/window/plot/run_log.h"
#include "app/window/plot/traces.h"

namespace civita {

/// What a plot of paths shows of its choice.
struct PathView {
  PathAxes axes;    ///< both known
  double from = 0;  ///< the last throw, or the run's begin, s
  double now = 0;   ///< s
};

/// The view of paths, or of one coordinate, at a time of the run: from the last throw before it on,
/// and what is not chosen of `axes` by the largest motion in the first second of that, or until
/// something moves, among the angles, or where there are not two, the distances. So it stays until
/// the next throw, and all pictures of one run show the same.
PathView FindPathView(const RunLog& log, const Traces& traces, const PlotChoice& choice,
                      PathAxes axes, double now);

/// What a plot draws of a choice; owns what the spec has views of.
struct PlotContent {
  /// `view` is that of a choice with coordinates or an abscissa. Of the ghosts thin lines are added
  /// beside those of the first run, as far as they have the signals; they outlive this.
  PlotContent(const Traces& traces, const PlotChoice& choice, const Theme& theme,
              const PathView& view = {}, std::span<const GhostRun> ghosts = {});

  std::vector<PlotLine> lines;
  std::vector<PlotMark> marks;
  PlotPath path;          ///< of a choice of paths, or of one coordinate, which y names
  SpectrumOver spectrum;  ///< of a choice of spectra
  std::string note;       ///< PlotSpec::note

  /// Valid while this and the choice live.
  PlotSpec spec() const;

 private:
  void AddGhosts(const Traces& traces, const Theme& theme, std::span<const GhostRun> ghosts);

  const PlotChoice& choice_;
};

/// The choice of this title; null if there is none.
const PlotChoice* FindChoice(const std::vector<PlotChoice>& choices, std::string_view title);

/// The run's events, and the times with a torque at its limit where the choice marks them.
std::vector<PlotMark> MakeMarks(const RunLog& log, const Traces& traces, const PlotChoice& choice);

}  // namespace civita
