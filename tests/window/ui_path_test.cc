#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "app/window/panels/panels.h"
#include "app/window/plot/export.h"
#include "app/window/plot/plot_content.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace ui_path_test {

constexpr const char* kPath = "Path of the error";

class PathPlot : public WindowFrames {
 protected:
  const PlotChoice& choice() const { return *FindChoice(state_.scene->plot_choices, kPath); }
  ShownPlot& plot() { return *std::ranges::find(state_.plots.plots(), kPath, &ShownPlot::title); }
  PathView View() {
    return FindPathView(state_.scene->log, state_.scene->traces, choice(), plot().axes,
                        snapshot().t);
  }
  // How far the error of a joint of run A moves from a time on.
  double Motion(int joint, double from) const {
    const TraceBuffer& trace = state_.scene->traces.buffer();
    double lo = 1e9, hi = -1e9;
    for (int64_t i = trace.LowerBound(from); i < trace.end_index(); ++i) {
      const double e = trace.value(i, state_.scene->traces.channel(Slot::kA, "/e") + joint);
      lo = std::min(lo, e);
      hi = std::max(hi, e);
    }
    return hi - lo;
  }
  void StepTo(long step) {
    Post(&state_, command::StepOnce{step - snapshot().step});
    ASSERT_TRUE(FramesUntil([&] { return snapshot().step == step; }));
  }
  void RunTo(double t) {
    ASSERT_TRUE(FramesUntil([&] { return snapshot().t >= t; }));
    TogglePlay(&state_);
    ASSERT_TRUE(FramesUntil([&] { return snapshot().state == RunState::kPaused; }));
  }
};

TEST_F(PathPlot, ShowsTheJointsThatMovedMostSinceTheThrow) {
  Open("arm7", {"throw.at_s=0.5"});
  RunTo(1);
  const PathView view = View();
  EXPECT_EQ(view.from, 0.5);
  const double x = Motion(view.axes.x, 0.5), y = Motion(view.axes.y, 0.5);
  EXPECT_GE(x, y);
  EXPECT_GT(y, 0.01);
  for (int joint = 0; joint < 7; ++joint) {
    if (joint == view.axes.x || joint == view.axes.y) continue;
    EXPECT_LE(Motion(joint, 0.5), y) << joint;
  }
}

TEST_F(PathPlot, ItsJointsStayUntilTheNextThrow) {
  // Pushed at the hand, other joints move most in the end.
  Open("arm7",
       {"throw.at_s=0.2",
        "pushes=[{body: hand, start_s: 1.4, duration_s: 0.5, force_N: [0, 0, 150]}]"},
       true);
  const auto shown = [&] { return std::pair(View().axes.x, View().axes.y); };
  StepTo(1250);
  const auto settled = shown();
  StepTo(2000);
  double most = 0;
  for (int joint = 0; joint < 7; ++joint) most = std::max(most, Motion(joint, 0.2));
  EXPECT_LT(Motion(settled.first, 0.2), most) << "others have moved more since";
  EXPECT_EQ(shown(), settled);
  ThrowOff(&state_);
  StepTo(2400);
  EXPECT_EQ(View().from, state_.scene->log.LastThrow(snapshot().t));
  EXPECT_EQ(Motion(View().axes.x, View().from), [&] {
    double largest = 0;
    for (int joint = 0; joint < 7; ++joint) largest = std::max(largest, Motion(joint, View().from));
    return largest;
  }()) << "chosen anew";
}

TEST_F(PathPlot, ItsJointsFollowFromSimulatedTimeAlone) {
  // On its reference until it is pushed: before, errors are those of rounding.
  const auto chosen = [&](std::initializer_list<long> stops) {
    Open("arm7", {"pushes=[{body: hand, start_s: 1.4, duration_s: 0.1, force_N: [0, 0, 50]}]"},
         true);
    for (const long stop : stops) StepTo(stop);
    return std::pair(View().axes.x, View().axes.y);
  };
  const auto at_once = chosen({3000});
  EXPECT_EQ(chosen({700, 1100, 1600, 3000}), at_once);
  EXPECT_EQ(chosen({4200}), at_once);
  EXPECT_GT(Motion(at_once.second, 1.4), 1e-3) << "moved by the push";
}

// However long ago the last frame was.
TEST_F(PathPlot, BeginsAtTheStepThatWasThrown) {
  Open("arm7", {}, true);
  StepTo(100);
  const Snapshot last_seen = snapshot();
  StepTo(150);
  state_.scene->snapshot = &last_seen;
  ThrowOff(&state_);
  EXPECT_NEAR(state_.scene->log.LastThrow(1), 0.1, 1e-9);
  ASSERT_TRUE(FramesUntil([&] { return state_.scene->session.HasAnswered(snapshot()); }));
  StepTo(200);
  EXPECT_NEAR(View().from, 0.15, 1e-9);
  EXPECT_TRUE(std::isnan(state_.scene->log.LastThrow(0.149))) << "the mark has moved";
  const TraceBuffer& rows = state_.scene->traces.buffer();
  const int thrown = state_.scene->traces.channel(Slot::kA, "/thrown");
  EXPECT_EQ(rows.value(rows.LowerBound(View().from), thrown), 1);
}

TEST_F(PathPlot, AnAxisIsChosenFromTheListOfCoordinates) {
  Open("arm7", {}, true);
  StepTo(300);
  const PathAxes usual = View().axes;
  const int chosen = usual.x == 4 || usual.y == 4 ? 5 : 4;
  Click(Find({kPath, "x"}, layout().plots));
  Frame();
  Type(choice().coordinates[static_cast<std::size_t>(chosen)].name.c_str());
  Frame();
  Press(ImGuiKey_Enter);
  EXPECT_EQ(View().axes.x, chosen);
  EXPECT_EQ(View().axes.y, usual.y) << "as it is";

  Frame();
  Click(Find({kPath, "y"}, layout().plots));
  Frame();
  Type(choice().coordinates[static_cast<std::size_t>(chosen)].name.c_str());
  Frame();
  Press(ImGuiKey_Enter);
  EXPECT_EQ(View().axes.y, chosen);
  EXPECT_EQ(View().axes.x, usual.x) << "not over itself";
  state_.plots.ResetStates();
  EXPECT_EQ(View().axes.x, usual.x);
}

TEST_F(PathPlot, ShowsBothRunsOfAComparison) {
  Open("arm7", {"throw.at_s=0.3"});
  ToggleComparison(&state_);
  ASSERT_TRUE(FramesUntil([&] { return state_.scene->is_comparing(); }));
  RunTo(0.8);
  const PathView view = View();
  const PlotContent content(state_.scene->traces, choice(), state_.ui.theme, view);
  ASSERT_EQ(content.lines.size(), 2u);
  for (const Slot slot : {Slot::kA, Slot::kB}) {
    const PlotLine& line = content.lines[static_cast<std::size_t>(slot)];
    const int first = state_.scene->traces.channel(slot, "/e");
    EXPECT_EQ(line.channel_x, first + view.axes.x);
    EXPECT_EQ(line.channel, first + view.axes.y);
  }
  const PlotSpec spec = content.spec();
  const std::string svg = FormatPlotsSvg({&spec, 1}, 0, 1);
  EXPECT_THAT(svg, testing::HasSubstr(std::string(content.path.name_x) + ", mrad"));
}

TEST_F(PathPlot, ThePointerOnAPathShowsItsTimeInAllPlots) {
  Open("arm7");
  RunTo(0.5);
  state_.plots.Show(PlotFamily::kJoints, std::array<std::string, 1>{kPath});
  for (int i = 0; i < 3; ++i) Frame();
  const Rect& area = layout().plots;
  double least = 1e9, most = -1;
  for (float y = area.y + 60; y < area.bottom() - 30; y += 12) {
    for (float x = area.x + 60; x < area.right() - 20; x += 12) {
      MoveTo(x, y);
      const double t = state_.time_axis.cursor();
      if (std::isnan(t)) continue;
      least = std::min(least, t);
      most = std::max(most, t);
    }
  }
  EXPECT_LT(least, 0.1);
  EXPECT_GT(most, 0.4);
  EXPECT_LE(most, snapshot().t);
}

}  // namespace ui_path_test
}  // namespace civita
