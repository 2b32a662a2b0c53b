// Anti-aliased lines on an ImDrawList, for plots.
#pragma once

#include <imgui.h>

#include <span>

#include "app/window/plot/series.h"

namespace civita {

/// Draws the runs between breaks (non-finite y) as lines of `thickness` ≥ 1 device pixels. Sharp
/// turns end square instead of in a long mitre, so that noise keeps its height; a run of one point
/// is a dot. Draws nothing once the 16-bit indices of a renderer without vertex offsets are
/// exhausted.
void StrokeLine(ImDrawList* draw, std::span<const PlotPoint> points, ImU32 color, float thickness);

}  // namespace civita
