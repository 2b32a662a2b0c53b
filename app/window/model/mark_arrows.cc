#include "app/window/model/mark_arrows.h"

#include <algorithm>
#include <cmath>
#include <deque>

namespace civita {
namespace {

std::vector<ColoredArrow> AtJoints(const ActiveScene& scene, const View3d& view, const char* signal,
                                   Rgb color, double* largest) {
  constexpr double kArrow = 0.35;    // of the model's unit, the largest of an arrow
  constexpr double kForget = 0.998;  // of the scale's largest number, each picture
  const Traces& traces = scene.traces;
  const int64_t row = traces.RowBefore(scene.snapshot->t);
  if (row < 0) return {};
  const Eigen::VectorXd values = traces.Read(row, Slot::kA, signal, traces.nv());
  *largest *= kForget;
  for (const double x : values) *largest = std::max(*largest, std::abs(x));
  return JointArrows(view.model(), view.data(),
                     {values.data(), static_cast<std::size_t>(values.size())}, *largest,
                     kArrow * view.unit(), color);
}

// The velocities that the tab's chosen vector of the carried frames gives to the tracked point, at
// time t (s) and, faded, in the seconds before; the longest ever has a set share of `unit`. One
// arrow where the frames agree.
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

}  // namespace

std::optional<PushArrow> FindPushArrow(const Push& push, double t, const mjData& d) {
  constexpr double kShown = 0.6;  // s
  const double shown = std::max(kShown, push.duration_s);
  if (push.joint >= 0) return {};
  if (t < push.start_s || t > push.start_s + shown || push.force.norm() == 0) return {};
  const double share = push.shape == PushShape::kSine ? push.ShareAt(t, 0) : 1;
  const Eigen::Vector3d point = FindPushedPoint(push, d), force = share * push.force;
  return PushArrow{{point[0], point[1], point[2]}, {force[0], force[1], force[2]}};
}

std::vector<ColoredArrow> MarkArrows::Find(const WindowState& state, const View3d& view) {
  const ActiveScene& scene = *state.scene;
  const Theme& theme = state.ui.theme;
  std::vector<ColoredArrow> arrows;
  const auto add = [&arrows](const std::vector<ColoredArrow>& more) {
    arrows.insert(arrows.end(), more.begin(), more.end());
  };
  if (state.marks.torques) {
    add(AtJoints(scene, view, "/tau", theme.series[4], &largest_torque_));
  }
  if (state.marks.sliding) {
    add(AtJoints(scene, view, "/s", theme.series[3], &largest_sliding_));
  }
  if (ShowsFrameArrows(state)) {
    add(FrameArrows(scene.geometry, scene.snapshot->t, view.unit(), theme));
  }
  return arrows;
}

bool ShowsFrameArrows(const WindowState& state) {
  return state.panels.side && state.tab == kMatrixTab && state.scene->geometry.shows_frame;
}

}  // namespace civita
