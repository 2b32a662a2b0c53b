#include "app/window/model/mark_arrows.h"

#include <algorithm>
#include <cmath>

#include "app/window/model/frame_arrows.h"
#include "app/window/render/joint_arrows.h"

namespace civita {
namespace {

std::vector<ColoredArrow> AtJoints(const ActiveScene& scene, const View3d& view, const char* signal,
                                   Rgb color, double* largest) {
  constexpr double kArrow = 0.35;    // of the model's unit, the largest of an arrow
  constexpr double kForget = 0.998;  // of the scale's largest number, each picture
  const Traces& traces = scene.traces;
  const TraceBuffer& buffer = traces.buffer();
  const int64_t row = std::min(buffer.LowerBound(scene.snapshot->t), buffer.end_index()) - 1;
  if (buffer.empty() || row < buffer.begin_index()) return {};
  const int first = traces.channel(Slot::kA, signal);
  std::vector<double> values(static_cast<std::size_t>(traces.nv()));
  *largest *= kForget;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(buffer.value(row, first + static_cast<int>(i)));
    *largest = std::max(*largest, std::abs(values[i]));
  }
  return JointArrows(view.model(), view.data(), values, *largest, kArrow * view.unit(), color);
}

}  // namespace

std::optional<PushArrow> FindPushArrow(const Push& push, double t, const mjData& d) {
  constexpr double kShown = 0.6;  // s
  const double shown = std::max(kShown, push.duration_s);
  if (t < push.start_s || t > push.start_s + shown || push.force.norm() == 0) return {};
  const mjtNum* point = (push.of_tree ? d.subtree_com : d.xipos) + 3 * push.body;
  return PushArrow{{point[0], point[1], point[2]}, {push.force[0], push.force[1], push.force[2]}};
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

}  // namespace civita
