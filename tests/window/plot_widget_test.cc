#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "app/window/plot/export.h"
#include "app/window/plot/plot.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace plot_widget_test {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// Draws one plot in each frame without a renderer, with simulated mouse input.
class PlotWidgetTest : public testing::Test {
 protected:
  PlotWidgetTest() : trace_(2) {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = ImVec2(800, 600);
    io.BackendFlags |=
        ImGuiBackendFlags_RendererHasVtxOffset | ImGuiBackendFlags_RendererHasTextures;
    io.Fonts->AddFontDefault();
    for (Font* font : {&ui_.fonts.tiny, &ui_.fonts.small, &ui_.fonts.body, &ui_.fonts.strong,
                       &ui_.fonts.large}) {
      *font = {io.Fonts->Fonts[0], 13};
    }
    for (int i = 0; i <= 20'000; ++i) {
      const float t = 1e-3f * static_cast<float>(i);
      const std::array<float, 2> v = {std::sin(t), std::exp(-t)};
      trace_.Append(1e-3 * i, v);
    }
    lines_ = {{.trace = &trace_, .channel = 0, .name = "1", .color = 0xFF0000},
              {.trace = &trace_, .channel = 1, .name = "2", .color = 0x00FF00}};
    spec_.id = "plot";
    spec_.title = "Title";
    spec_.unit = "J";
    spec_.lines = lines_;
  }
  ~PlotWidgetTest() override { ImGui::DestroyContext(); }

  PlotEvents Frame(Rect frame = {10, 10, 600, 300}) {
    ImGuiIO& io = ImGui::GetIO();
    io.DeltaTime = 1.0f / 60;
    ImGui::NewFrame();
    ImGui::SetNextWindowPos(ImVec2(0, 0));
    ImGui::SetNextWindowSize(io.DisplaySize);
    ImGui::Begin("root", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove);
    axis_.Update(trace_.first_time(), trace_.last_time());
    const PlotEvents events = DrawPlot(ui_, frame, spec_, &axis_, &state_);
    vertices_ = ImGui::GetWindowDrawList()->VtxBuffer.Size;
    CheckDrawList(*ImGui::GetWindowDrawList());
    ImGui::End();
    ImGui::Render();
    AcceptTextures();
    return events;
  }

  // Checks that every vertex is finite, and every index within its command's vertices.
  static void CheckDrawList(const ImDrawList& draw) {
    for (const ImDrawVert& v : draw.VtxBuffer) {
      ASSERT_TRUE(std::isfinite(v.pos.x) && std::isfinite(v.pos.y));
    }
    for (const ImDrawCmd& command : draw.CmdBuffer) {
      for (unsigned i = 0; i < command.ElemCount; ++i) {
        const int index = draw.IdxBuffer[static_cast<int>(command.IdxOffset + i)];
        ASSERT_LT(index + static_cast<int>(command.VtxOffset), draw.VtxBuffer.Size);
      }
    }
  }

  void MoveTo(float x, float y) { ImGui::GetIO().AddMousePosEvent(x, y); }
  void Press(int button, bool down) { ImGui::GetIO().AddMouseButtonEvent(button, down); }
  void Rest(int frames) {
    for (int i = 0; i < frames; ++i) Frame();
  }

  Ui ui_;
  TraceBuffer trace_;
  std::vector<PlotLine> lines_;
  PlotSpec spec_;
  TimeAxis axis_;
  PlotState state_;
  int vertices_ = 0;
};

TEST_F(PlotWidgetTest, DrawsWhatThereIsAndNothingInTinyFrames) {
  Frame();
  const int full = vertices_;
  EXPECT_GT(full, 2000);
  Frame({10, 10, 80, 300});
  EXPECT_LT(vertices_, 50);
  Frame({10, 10, 600, 50});
  EXPECT_LT(vertices_, 50);
}

TEST_F(PlotWidgetTest, WheelZoomsTimeAtThePointer) {
  Rest(2);
  MoveTo(337, 150);
  Rest(2);
  const double before = axis_.cursor();
  ImGui::GetIO().AddMouseWheelEvent(0, 3);
  Rest(3);
  EXPECT_LT(axis_.length(), 7);
  EXPECT_NEAR(axis_.cursor(), before, 1e-9);
  EXPECT_FALSE(axis_.following());
}

TEST_F(PlotWidgetTest, DragPansByWhatThePointerMoved) {
  Rest(2);
  MoveTo(300, 150);
  Rest(2);
  const double before = axis_.cursor();
  Press(0, true);
  Rest(2);
  for (int i = 1; i <= 10; ++i) {
    MoveTo(300 + 10.0f * static_cast<float>(i), 150);
    Frame();
  }
  Press(0, false);
  Rest(2);
  EXPECT_FALSE(axis_.following());
  EXPECT_NEAR(axis_.cursor(), before, 0.25);  // the curve follows, except for the first few pixels
  EXPECT_LT(axis_.t1(), 19);
}

TEST_F(PlotWidgetTest, ClickIsToldOnceAndDoubleClickFits) {
  MoveTo(300, 150);
  Rest(3);
  const double at = axis_.cursor();
  Press(0, true);
  Frame();
  Press(0, false);
  int clicks = 0;
  double time = 0;
  for (int i = 0; i < 60; ++i) {
    const PlotEvents events = Frame();
    clicks += events.clicked;
    if (events.clicked) time = events.clicked_time;
    EXPECT_EQ(events.clicked, i == 0) << "at once";
  }
  EXPECT_EQ(clicks, 1);
  EXPECT_NEAR(time, at, 1e-9);
  int double_clicks = 0;
  for (const bool down : {true, false, true, false}) {
    Press(0, down);
    const PlotEvents events = Frame();
    clicks += events.clicked;
    double_clicks += events.double_clicked;
  }
  for (int i = 0; i < 60; ++i) clicks += Frame().clicked;
  EXPECT_EQ(clicks, 2) << "a double click begins with a click";
  EXPECT_EQ(double_clicks, 1);
  EXPECT_EQ(axis_.t0(), 0);  // the whole record
  EXPECT_EQ(axis_.t1(), 20);
}

TEST_F(PlotWidgetTest, RightDragZoomsToTheBox) {
  Rest(2);
  MoveTo(200, 100);
  Rest(2);
  const double a = axis_.cursor();
  Press(1, true);
  Rest(2);
  MoveTo(300, 200);
  Rest(2);
  const double b = axis_.cursor();
  Press(1, false);
  Rest(3);
  EXPECT_NEAR(axis_.t0(), a, 1e-6);
  EXPECT_NEAR(axis_.t1(), b, 1e-6);
}

TEST_F(PlotWidgetTest, LegendTogglesAndCtrlClickShowsOneAlone) {
  Rest(2);
  const int both = vertices_;
  MoveTo(575, 25);  // the last entry
  Rest(2);
  Press(0, true);
  Frame();
  Press(0, false);
  Rest(2);
  EXPECT_TRUE(state_.shown(0));
  EXPECT_FALSE(state_.shown(1));
  EXPECT_LT(vertices_, both - 500);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, true);
  Frame();
  Press(0, true);
  Frame();
  Press(0, false);
  Rest(2);
  EXPECT_FALSE(state_.shown(0));
  EXPECT_TRUE(state_.shown(1));
  state_.Solo(1, 2);
  EXPECT_TRUE(state_.shown(0));
}

TEST_F(PlotWidgetTest, HostileDataIsDrawnSafely) {
  TraceBuffer wild(2);
  for (int i = 0; i < 30'000; ++i) {
    std::array<float, 2> v = {i % 2 ? 3e38f : -3e38f, i % 3 ? 1e-38f : 0.0f};
    if (i % 5 == 0) v = {kNaN, std::numeric_limits<float>::infinity()};
    wild.Append(1e-3 * i, v);
  }
  for (PlotLine& line : lines_) line.trace = &wild;
  const std::vector<PlotMark> marks = {
      {.kind = PlotMark::Kind::kFailure, .t = 15},
      {.kind = PlotMark::Kind::kSaturation, .t = -1e9, .t_end = 1e9, .text = "limit"},
      {.kind = PlotMark::Kind::kPush, .t = 16, .text = "push"}};
  spec_.marks = marks;
  MoveTo(300, 150);
  for (const bool log : {false, true}) {
    spec_.log = log;
    state_ = {};
    Rest(3);
    EXPECT_GT(vertices_, 500);
  }
}

TEST_F(PlotWidgetTest, NoiseOfManyLinesKeepsWithinSixteenBitIndices) {
  TraceBuffer noisy(1);
  for (int i = 0; i < 20'000; ++i) {
    const std::array<float, 1> v = {static_cast<float>((i * 7919) % 1000)};
    noisy.Append(1e-3 * i, v);
  }
  lines_.assign(60, {.trace = &noisy, .channel = 0, .name = "x"});
  spec_.lines = lines_;
  Frame();
  EXPECT_GT(vertices_, 65'536);
  ImGui::GetIO().BackendFlags &= ~ImGuiBackendFlags_RendererHasVtxOffset;
  Frame();
  EXPECT_LT(vertices_, 65'536);  // no vertex offsets: fewer lines rather than wrong ones
}

TEST_F(PlotWidgetTest, EmptyTracesSaySo) {
  const TraceBuffer none(2);
  for (PlotLine& line : lines_) line.trace = &none;
  Frame();
  const int without_text = vertices_;
  spec_.empty_text = "";
  Frame();
  EXPECT_GT(without_text, vertices_);
}

// Vertices of this colour between two heights of the last frame.
int VerticesIn(float y0, float y1, Rgb color) {
  int count = 0;
  for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists) {
    for (const ImDrawVert& v : list->VtxBuffer) {
      count += v.pos.y > y0 && v.pos.y < y1 && v.col == ToImU32(color);
    }
  }
  return count;
}

TEST_F(PlotWidgetTest, LongNamesStayInTheLegend) {
  const Rect frame{10, 10, 400, 300};
  const float top = PlotArea(ui_, frame, false).y;
  lines_[1].name = lines_[1].ghost = "civita-run-20261127-221952 of the arm with a stiffer wrist";
  Frame(frame);
  EXPECT_GT(VerticesIn(frame.y, top - 5, lines_[1].color), 0) << "its dash";
}

TEST_F(PlotWidgetTest, ALegendWithoutRoomBesideTheTitleGoesOnBelowIt) {
  const TraceBuffer none(1);  // no curves: what has a line's colour is in the legend
  const std::vector<std::string> names = {"A FL", "A FR", "A RL", "A RR",
                                          "B FL", "B FR", "B RL", "B RR"};
  lines_.clear();
  for (std::size_t i = 0; i < names.size(); ++i) {
    lines_.push_back({.trace = &none, .name = names[i], .color = 0x800000 + static_cast<Rgb>(i)});
  }
  spec_.lines = lines_;
  const auto entries = [&](const Rect& frame, float y0, float y1) {
    Frame(frame);
    return std::ranges::count_if(
        lines_, [&](const PlotLine& line) { return VerticesIn(y0, y1, line.color) > 0; });
  };
  const Rect wide{10, 10, 780, 300}, narrow{10, 10, 390, 300}, narrowest{10, 10, 240, 90};
  EXPECT_EQ(entries(wide, 10, 30), 8);
  EXPECT_EQ(entries(narrow, 10, 30), 4) << "as many in each row";
  EXPECT_EQ(entries(narrow, 30, 50), 4);
  const auto shown = entries(narrowest, 10, 100);
  EXPECT_GT(shown, 0);
  EXPECT_LT(shown, 8);
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  const auto tells_rest = [&] {
    for (float x = 10; x < 250; x += 3) {
      MoveTo(x, 25);
      Frame(narrowest);
      Frame(narrowest);
      if (g.HoveredWindow == nullptr) continue;
      const ImGuiID plot = ImHashStr("plot", 0, g.HoveredWindow->ID);
      if (g.HoveredId == ImHashStr("left out", 0, plot)) return true;
    }
    return false;
  };
  EXPECT_TRUE(tells_rest());
}

TEST_F(PlotWidgetTest, ANoteCoversNoCurve) {
  const Rect frame{10, 10, 600, 300};
  const float top = PlotArea(ui_, frame, false).y;
  spec_.fixed_lo = -1;
  spec_.fixed_hi = 1;
  Frame(frame);
  EXPECT_GT(VerticesIn(top - 3, top + 10, lines_[0].color), 0) << "sin t reaches the top";
  const int without = VerticesIn(top - 12, top + 10, ui_.theme.muted);
  spec_.note = "what else turns s";
  Frame(frame);
  EXPECT_EQ(VerticesIn(top - 3, top + 10, lines_[0].color), 0);
  EXPECT_GE(VerticesIn(top - 12, top + 10, ui_.theme.muted), without + 4 * 8) << "its letters";
}

TEST(PlotCsvTest, JoinsTracesByTime) {
  TraceBuffer a(1), b(2);
  for (int i = 0; i < 4; ++i) {
    const std::array<float, 1> v = {0.5f * static_cast<float>(i)};
    a.Append(0.1 * i, v);
  }
  for (int i = 0; i < 2; ++i) {
    const std::array<float, 2> v = {kNaN, 2};
    b.Append(0.2 * i, v);
  }
  const std::vector<PlotLine> lines = {{.trace = &a, .name = "e, \"1\"", .scale = 1000},
                                       {.trace = &b, .channel = 0, .name = "x"},
                                       {.trace = &b, .channel = 1, .name = "y"}};
  std::ostringstream out;
  WritePlotCsv(out, lines, 0.05, 0.25);
  EXPECT_EQ(out.str(),
            "t,\"e, \"\"1\"\"\",x,y\n"
            "0.1,500,,\n"
            "0.2,1000,nan,2\n");
}

TEST_F(PlotWidgetTest, TheCursorStaysUnderThePointerWhileTheRunGoesOn) {
  Rest(2);
  MoveTo(337, 150);
  Rest(2);
  const Rect area = PlotArea(ui_, {10, 10, 600, 300}, false);
  for (int i = 1; i <= 5; ++i) {
    trace_.Append(20 + 0.7 * i, std::array<float, 2>{0, 1});
    Frame();
    EXPECT_TRUE(axis_.following());
    // As far to the right in this window as in the one before, for every plot that asks.
    EXPECT_NEAR((axis_.cursor() - axis_.t0()) / axis_.length(), CursorShare(area, 337), 1e-9) << i;
  }
}

}  // namespace plot_widget_test
}  // namespace civita
