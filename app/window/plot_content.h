#pragma once

#include <string_view>
#include <vector>

#include "app/style/theme.h"
#include "app/window/plot/plot.h"
#include "app/window/plot_choices.h"
#include "app/window/run_log.h"

namespace civita {

/// What a plot draws of a choice; owns what the spec has views of.
struct PlotContent {
  PlotContent(const Traces& traces, const PlotChoice& choice, const Theme& theme);

  std::vector<PlotLine> lines;
  std::vector<PlotBand> bands;
  std::vector<PlotMark> marks;

  /// Valid while this and the choice live.
  PlotSpec spec() const;

 private:
  const PlotChoice& choice_;
};

/// The choice of this title; null if there is none.
const PlotChoice* FindChoice(const std::vector<PlotChoice>& choices, std::string_view title);

/// The run's events, and the times with a torque at its limit where the choice marks them.
std::vector<PlotMark> MakeMarks(const RunLog& log, const Traces& traces, const PlotChoice& choice);

}  // namespace civita
