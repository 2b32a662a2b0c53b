#include "app/window/model/frame_arrows.h"

#include <algorithm>
#include <cmath>
#include <deque>

namespace civita {

bool ShowsFrameArrows(const WindowState& state) {
  return state.panels.side && state.tab == kGeometryTab;
}

std::vector<ColoredArrow> FrameArrows(const GeometryTab& tab, double t, double unit,
                                      const Theme& theme) {
  constexpr double kLongest = 0.4, kNear = 0.12;  // of the unit
  constexpr int kMostShown = 15;
  constexpr double kSame = 0.01;  // of the longest: a difference up to which one arrow shows both
  const std::deque<FrameMark>& marks = tab.transport.marks();
  const auto end = std::ranges::upper_bound(marks, t, {}, &FrameMark::t);
  // Of all marks, so that arrows keep their length while others come and go.
  double longest = 0;
  for (const FrameMark& mark : marks) {
    longest = std::max(
        {longest, mark.carried.col(tab.vector).norm(), mark.torsion_free.col(tab.vector).norm()});
  }
  std::vector<ColoredArrow> arrows;
  if (!(longest > 0)) return arrows;
  const double factor = kLongest * unit / longest;
  const double span = kMostShown * FrameTransport::kMarkPeriod;
  // From the newest back; fewer where the path is short or crosses itself, lest they crowd.
  std::vector<Eigen::Vector3d> shown;
  for (auto mark = end; mark != end - std::min<std::ptrdiff_t>(kMostShown, end - marks.begin());) {
    --mark;
    const Eigen::Vector3d point(mark->point[0], mark->point[1], mark->point[2]);
    const auto is_near = [&](const Eigen::Vector3d& other) {
      return (point - other).norm() < kNear * unit;
    };
    if (std::ranges::any_of(shown, is_near)) continue;
    shown.push_back(point);
    const double fresh = std::clamp(1 - (t - mark->t) / span, 0.0, 1.0);
    const bool is_newest = mark + 1 == end;
    const auto add = [&](const Eigen::Vector3d& velocity, Rgb color) {
      const Eigen::Vector3d way = factor * velocity;
      if (!is_newest) {
        color = Mix(theme.view_horizon, color, static_cast<float>(0.2 + 0.6 * fresh));
      }
      arrows.push_back({mark->point, {way[0], way[1], way[2]}, color});
    };
    const Eigen::Vector3d carried = mark->carried.col(tab.vector);
    const Eigen::Vector3d torsion_free = mark->torsion_free.col(tab.vector);
    add(carried, CarriedColor(theme));
    if ((carried - torsion_free).norm() > kSame * longest) {
      add(torsion_free, TorsionFreeColor(theme));
    }
  }
  std::ranges::reverse(arrows);
  return arrows;
}

}  // namespace civita
