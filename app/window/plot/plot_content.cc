#include "app/window/plot/plot_content.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace civita {
namespace {

constexpr double kLogFloor = -12;  // exponent of the shown unit below which all is rounding
constexpr double kLeastRange = 1;  // of a linear axis, in units of the last decimal shown

// Until when it counts what moves from a time on: for a second, or until something has moved beyond
// rounding, so that the choice depends on the run alone and not on when it is looked at.
double EndOfChoice(double from, double now, const std::function<double(double until)>& motion) {
  constexpr double kFirst = 1, kMoves = 1e-4;  // s; rad, m, N·m or N
  double span = kFirst;
  while (from + span < now && !(motion(from + span) > kMoves)) span *= 2;
  return std::min(from + span, now);
}

// The largest motion of any of these channels, of each at a coordinate.
double MotionOf(const TraceBuffer& trace, const std::vector<int>& channels, int coordinate,
                double from, double until) {
  const auto end = trace.LowerBound(std::nextafter(until, HUGE_VAL));
  double most = 0;
  for (const int channel : channels) {
    const ValueRange range = trace.Range(channel + coordinate, trace.LowerBound(from), end);
    if (!range.empty()) most = std::max(most, static_cast<double>(range.hi - range.lo));
  }
  return most;
}

// Motions of all coordinates, largest first, and their indices.
std::vector<std::pair<double, int>> RankMotions(const TraceBuffer& trace,
                                                const std::vector<int>& channels,
                                                std::size_t coordinates, double from, double now) {
  std::vector<std::pair<double, int>> ranked;
  const auto rank = [&](double until) {
    ranked.clear();
    for (int i = 0; i < static_cast<int>(coordinates); ++i) {
      ranked.emplace_back(-MotionOf(trace, channels, i, from, until), i);
    }
    std::ranges::sort(ranked);
    return ranked.empty() ? 0 : -ranked.front().first;
  };
  rank(EndOfChoice(from, now, rank));
  return ranked;
}

// The coordinate that moves most, see PlotChoice::telling.
int FindMoving(const Traces& traces, const PlotChoice& choice, double from, double now) {
  for (const std::vector<int>& channels : choice.telling) {
    const auto ranked =
        RankMotions(traces.buffer(), channels, choice.coordinates.size(), from, now);
    if (!ranked.empty() && ranked.front().first < 0) return ranked.front().second;
  }
  return 0;
}

}  // namespace

PathView FindPathView(const RunLog& log, const Traces& traces, const PlotChoice& choice,
                      PathAxes axes, double now) {
  if (choice.over) return {{0, 0}, -std::numeric_limits<double>::infinity(), now};
  if (choice.coordinates.empty()) return {};
  const double thrown = log.LastThrow(now);
  const std::vector<PlotChoice::Coordinate>& all = choice.coordinates;
  if (choice.is_of_one) {
    const double from = std::isnan(thrown) ? -1 : thrown;
    if (axes.y < 0 || axes.y >= std::ssize(all)) {
      axes.y = FindMoving(traces, choice, std::max(from, 0.0), now);
    }
    return {{axes.y, axes.y}, from, now};
  }
  PathView view{axes, std::isnan(thrown) ? traces.buffer().first_time() : thrown, now};
  const auto distances = std::ranges::count(all, true, &PlotChoice::Coordinate::is_distance);
  const bool has_angles = std::ssize(all) - distances > 1, has_distances = distances > 1;
  std::vector<int> channels;
  for (const PlotChoice::Line& line : choice.lines) channels.push_back(line.channel);
  auto ranked = RankMotions(traces.buffer(), channels, all.size(), view.from, now);
  std::erase_if(ranked, [&](const std::pair<double, int>& each) {
    const bool is_distance = all[static_cast<std::size_t>(each.second)].is_distance;
    return has_angles ? is_distance : has_distances && !is_distance;
  });
  if (ranked.size() < 2) return view;
  // One that is chosen leaves the other as it is, if it is another one.
  const int first = ranked[0].second, second = ranked[1].second;
  if (axes.x < 0) view.axes.x = axes.y == first ? second : first;
  if (axes.y < 0) view.axes.y = view.axes.x == second ? first : second;
  return view;
}

PlotContent::PlotContent(const Traces& traces, const PlotChoice& choice, const Theme& theme,
                         const PathView& view, std::span<const GhostRun> ghosts)
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
                     .scale = scale,
                     .channel_x = line.channel_x,
                     .scale_x = choice.over ? choice.over->scale : scale});
  }
  if (choice.over) {
    path = {view.from,   view.now, choice.over->name, choice.over->unit, choice.over->of,
            choice.unit, true};
  } else if (!choice.coordinates.empty()) {
    for (PlotLine& line : lines) {
      line.channel_x = line.channel + view.axes.x;
      line.channel += view.axes.y;
    }
    const auto& x = choice.coordinates[static_cast<std::size_t>(view.axes.x)];
    const auto& y = choice.coordinates[static_cast<std::size_t>(view.axes.y)];
    path = {view.from, view.now, x.name, x.unit, y.name, y.unit};
  }
  AddGhosts(traces, theme, ghosts);
}

void PlotContent::AddGhosts(const Traces& traces, const Theme& theme,
                            std::span<const GhostRun> ghosts) {
  constexpr float kThin = 1, kFaint = 0.4f;
  const std::size_t count = lines.size();
  const auto name_of = [&](int channel) -> std::string_view {
    return channel < 0 ? std::string_view() : traces.names()[static_cast<std::size_t>(channel)];
  };
  const auto is_first_run = [&](const PlotLine& line) { return !name_of(line.channel).empty(); };
  const bool is_alone = std::ranges::count_if(lines, is_first_run) == 1;
  for (std::size_t g = 0; g < ghosts.size(); ++g) {
    const GhostRun& ghost = ghosts[g];
    for (std::size_t i = 0; i < count; ++i) {
      PlotLine line = lines[i];
      const int channel = is_first_run(line) ? ghost.Find(name_of(line.channel)) : -1;
      const int channel_x = line.channel_x < 0 ? -1 : ghost.Find(name_of(line.channel_x));
      if (channel < 0 || (line.channel_x >= 0 && channel_x < 0)) continue;
      line.trace = &ghost.rows;
      line.channel = channel;
      line.channel_x = channel_x;
      line.ghost = ghost.name;
      line.owner = static_cast<int>(i);
      line.width = kThin;
      if (is_alone) {  // told apart by colours, with a name each
        line.name = ghost.name;
        line.color = GhostColor(theme, g);
      } else {
        line.alpha *= kFaint;
      }
      lines.push_back(line);
    }
  }
}

PlotSpec PlotContent::spec() const {
  PlotSpec spec;
  spec.id = choice_.title.c_str();
  spec.title = choice_.title;
  spec.unit = choice_.unit;
  spec.legend_title = choice_.legend_title;
  spec.lines = lines;
  spec.marks = marks;
  spec.note = note;
  if (choice_.is_path()) spec.path = &path;
  if (choice_.is_of_one) spec.coordinate = &path;
  if (choice_.is_spectrum) spec.spectrum = &spectrum;
  spec.log = choice_.style.log;
  spec.log_floor = kLogFloor + std::log10(choice_.size);
  spec.min_range = kLeastRange * choice_.size * std::pow(10.0, -choice_.style.decimals);
  if (choice_.style.from_zero) spec.fixed_lo = 0;
  spec.decimals = choice_.style.decimals;
  spec.sign = choice_.style.has_plus ? Sign::kAlways : Sign::kNegativeOnly;
  return spec;
}

const PlotChoice* FindChoice(const std::vector<PlotChoice>& choices, std::string_view title) {
  const auto found = std::ranges::find(choices, title, &PlotChoice::title);
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
