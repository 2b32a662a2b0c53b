#include "app/window/plot_content.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace civita {
namespace {

constexpr double kLogFloor = -12;    // exponent of the shown unit below which all is rounding
constexpr double kLeastRange = 0.1;  // of a linear axis, in units of the last decimal shown

}  // namespace

PlotContent::PlotContent(const Traces& traces, const PlotChoice& choice, const Theme& theme)
    : choice_(choice) {
  const TraceBuffer& trace = traces.buffer();
  const double scale = ScaleOf(choice.style.shown);
  for (const PlotChoice::Line& line : choice.lines) {
    lines.push_back({.trace = &trace,
                     .channel = line.channel,
                     .name = line.name,
                     .color = theme.series[line.color % theme.series.size()],
                     .width = line.width,
                     .alpha = line.alpha,
                     .scale = scale});
  }
  if (const std::optional<PlotChoice::Band>& band = choice.band) {
    bands.push_back({.trace = &trace,
                     .low = band->low,
                     .high = band->high,
                     .color = theme.series[0],
                     .scale = scale,
                     .owner = band->owner});
  }
}

PlotSpec PlotContent::spec() const {
  PlotSpec spec;
  spec.id = choice_.title.c_str();
  spec.title = choice_.title;
  spec.unit = choice_.unit;
  spec.legend_title = choice_.legend_title;
  spec.lines = lines;
  spec.bands = bands;
  spec.marks = marks;
  spec.log = choice_.style.log;
  spec.log_floor = kLogFloor;
  spec.min_range = kLeastRange * std::pow(10.0, -choice_.style.decimals);
  if (choice_.style.from_zero) spec.fixed_lo = 0;
  spec.decimals = choice_.style.decimals;
  spec.sign = choice_.style.has_plus ? Sign::kAlways : Sign::kNegativeOnly;
  return spec;
}

const PlotChoice* FindChoice(const std::vector<PlotChoice>& choices, std::string_view title) {
  const auto found = std::find_if(choices.begin(), choices.end(),
                                  [title](const PlotChoice& each) { return each.title == title; });
  return found == choices.end() ? nullptr : &*found;
}

std::vector<PlotMark> MakeMarks(const RunLog& log, const Traces& traces, const PlotChoice& choice) {
  std::vector<PlotMark> marks;
  for (const RunLog::EventMark& mark : log.marks()) {
    marks.push_back({.kind = mark.kind, .t = mark.t, .text = mark.text});
  }
  if (!choice.marks_saturation) return marks;
  for (const Traces::Saturation& saturation : traces.saturations()) {
    marks.push_back({.kind = PlotMark::Kind::kSaturation,
                     .t = saturation.from,
                     .t_end = saturation.to,
                     .text = "torque limit"});
  }
  return marks;
}

}  // namespace civita
