// A stretch of time that is selected in a plot, and Compare's table of it.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "app/window/panels/panels.h"
#include "base/number_text.h"
#include "tests/window/drawn_frame.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace ui_span_test {

class SelectedSpan : public WindowFrames {
 protected:
  void OpenTwist(long steps) {
    Open("arm7_twist", {}, true, {}, {"controller.factorization=t:5"});
    Post(&state_, command::StepOnce{steps});
    ASSERT_TRUE(FramesUntil([&] { return snapshot().step == steps; }));
    Frame();
  }
};

TEST_F(SelectedSpan, HasTheFiguresOfBothRuns) {
  OpenTwist(500);
  const Traces& traces = state_.scene->traces;
  SpanFigures figures;
  UpdateSpanFigures(traces, 0.1, 0.3, &figures);
  for (const Slot slot : {Slot::kA, Slot::kB}) {
    const SpanFigures::Run& run = figures.runs[static_cast<std::size_t>(slot)];
    // K_D = 10 H: V falls at twice that rate, whatever C is.
    EXPECT_NEAR(run.decay_rate, 20, 0.01);
    const int e = traces.channel(slot, "/e");
    double squares = 0, peak = 0, sum = 0, rows = 0;
    for (int64_t row = 0; row < traces.buffer().end_index(); ++row) {
      const double t = traces.buffer().time(row);
      if (t < 0.1 || t >= 0.3) continue;
      double square = 0;
      for (int i = 0; i < traces.nv(); ++i) {
        square += std::pow(static_cast<double>(traces.buffer().value(row, e + i)), 2);
      }
      squares += square;
      sum += std::sqrt(square);
      peak = std::max(peak, std::sqrt(square));
      ++rows;
    }
    EXPECT_NEAR(run.error.rms, std::sqrt(squares / rows), 1e-9);
    EXPECT_NEAR(run.error.mean, sum / rows, 1e-9);
    EXPECT_NEAR(run.error.peak, peak, 1e-9);
  }
  EXPECT_LT(figures.runs[0].turning, 1e-3);
  EXPECT_GT(figures.runs[1].turning, 0.5);
}

TEST_F(SelectedSpan, OfAStretchWithoutRowsIsUnknown) {
  OpenTwist(50);
  SpanFigures figures;
  UpdateSpanFigures(state_.scene->traces, 5, 6, &figures);
  EXPECT_TRUE(std::isnan(figures.runs[0].error.rms));
  EXPECT_TRUE(std::isnan(figures.runs[0].decay_rate));
  EXPECT_TRUE(std::isnan(figures.runs[1].turning));
}

TEST_F(SelectedSpan, IsDraggedWithShiftAndEndsWithAClick) {
  OpenTwist(800);
  const Rect plots = layout().plots;
  const float y = plots.y + 100, left = plots.x + 120, right = plots.x + 260;
  const double before = state_.time_axis.t0();
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, true);
  Drag(left, right, y);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, false);
  ASSERT_TRUE(state_.selected_span.has_value());
  EXPECT_GT(state_.selected_span->to, state_.selected_span->from + 0.05);
  EXPECT_EQ(state_.time_axis.t0(), before) << "the plots stay";
  Frame();
  EXPECT_EQ(state_.scene->span.from, state_.selected_span->from) << "the table follows";
  EXPECT_TRUE(std::isfinite(state_.scene->span.runs[1].error.rms));
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, true);
  Click(left, y);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, false);
  EXPECT_FALSE(state_.selected_span.has_value());
  EXPECT_EQ(snapshot().step, 800) << "it is no click that goes to a time";
  Drag(left, right, y);
  EXPECT_FALSE(state_.selected_span.has_value()) << "a drag without shift moves the plots";
}

TEST_F(SelectedSpan, IsDraggedInEveryPlotOfALargeWindow) {
  size_ = {1920, 1080};
  OpenTwist(800);
  const Rect plots = layout().plots;
  EXPECT_GT(plots.x, 800) << "the view is on the left";
  int places = 0;
  for (float y = plots.y + 90; y < plots.bottom(); y += 60) {
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, true);
    Drag(plots.x + 200, plots.x + 400, y);
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, false);
    Frame();
    if (!state_.selected_span) continue;
    EXPECT_GT(state_.selected_span->to, state_.selected_span->from);
    state_.selected_span.reset();
    ++places;
  }
  EXPECT_GE(places, 8) << "of 17, without titles and the plot of paths";
}

TEST(LineFigures, AreThoseOfTheirSamples) {
  TraceBuffer trace(2);
  for (int i = 0; i < 10; ++i) {
    const float values[] = {0, i == 4 ? std::nanf("") : static_cast<float>(i - 8)};
    trace.Append(i, values);
  }
  const LineFigures figures = CalcLineFigures(trace, 1, 2, 3, 8);  // −5, −3, −2, −1
  EXPECT_NEAR(figures.rms, 2 * std::sqrt(39.0 / 4), 1e-12);
  EXPECT_NEAR(figures.peak, 10, 1e-12);
  EXPECT_NEAR(figures.mean, -5.5, 1e-12);
  EXPECT_TRUE(std::isnan(CalcLineFigures(trace, 1, 1, 4, 5).rms));
}

TEST_F(SelectedSpan, FiguresOfAllPlotsAreCopied) {
  OpenTwist(400);
  CopySpanFigures(&state_);
  EXPECT_THAT(state_.toast.text, testing::HasSubstr("Select a stretch"));
  state_.selected_span = {0.1, 0.3};
  state_.plots.Show(PlotFamily::kJoints, std::vector<std::string>{"Tracking error", "/twist"});
  Frame();
  // The card under the pointer has them, too.
  MoveTo(layout().plots.middle_x(), layout().plots.y + 120);
  Frame();
  std::string copied;
  ImGui::GetPlatformIO().Platform_ClipboardUserData = &copied;
  ImGui::GetPlatformIO().Platform_SetClipboardTextFn = [](ImGuiContext*, const char* text) {
    *static_cast<std::string*>(ImGui::GetPlatformIO().Platform_ClipboardUserData) = text;
  };
  CopySpanFigures(&state_);
  const Traces& traces = state_.scene->traces;
  const LineFigures of_b =
      CalcLineFigures(traces.buffer(), traces.channel(Slot::kB, "/e/norm"), 1000,
                      traces.buffer().LowerBound(0.1), traces.buffer().LowerBound(0.3));
  EXPECT_THAT(copied, testing::HasSubstr("Tracking error B\tmrad\t" +
                                         internal::General(of_b.rms, 6) + "\t"));
  EXPECT_THAT(copied, testing::HasSubstr("/twist A\t°\t"));
}

TEST_F(SelectedSpan, ItsCardIsBesideThePlot) {
  for (const ImVec2 size : {ImVec2(1024, 700), ImVec2(1280, 800)}) {
    size_ = size;
    OpenTwist(400);
    state_.selected_span = {0.1, 0.3};
    state_.time_axis.Show(0, 0.4);
    const Rect plots = layout().plots;
    const bool is_column = size.x > 1100;  // otherwise two plots beside each other
    const float x = plots.x + (is_column ? 0.5f : 0.25f) * plots.w;
    MoveTo(x, plots.y + 100);
    Frame();
    ASSERT_FALSE(std::isnan(state_.time_axis.cursor()));
    Rect card;
    for (const DrawnShape& shape : DrawnFrame().shapes) {
      if (shape.color != ToImU32(state_.ui.theme.popup)) continue;
      const auto by_x = [](ImVec2 a, ImVec2 b) { return a.x < b.x; };
      const auto [left, right] = std::ranges::minmax(shape.corners, by_x);
      card = {left.x, 0, right.x - left.x, 1};
    }
    ASSERT_GT(card.w, 200);
    if (is_column) {
      EXPECT_LE(card.right(), plots.x + 8);
    } else {
      EXPECT_GE(card.x, plots.middle_x() - 8);
    }
  }
}

TEST_F(SelectedSpan, TheTableFoldsWhatIsAlike) {
  OpenTwist(600);
  Click(Find({"alike"}, layout().side));
  EXPECT_TRUE(state_.shows_alike);
  Frame();
}

}  // namespace ui_span_test
}  // namespace civita
