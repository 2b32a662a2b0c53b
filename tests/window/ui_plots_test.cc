#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "app/window/actions/kept.h"
#include "app/window/plot/export.h"
#include "app/window/plot/plot_content.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace ui_plots_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

Words TitlesOf(const PlotList& list) {
  Words titles;
  for (const ShownPlot& plot : list.plots()) titles.push_back(plot.title);
  return titles;
}

class PlotListTest : public testing::Test {
 protected:
  PlotListTest() { list_.Show(PlotFamily::kJoints, Words{"a", "b", "c", "d"}); }
  PlotList list_;
};

TEST_F(PlotListTest, AddsWhatIsNotThereWhileThereIsRoom) {
  EXPECT_FALSE(list_.Add("b"));
  EXPECT_TRUE(list_.Add("e"));
  EXPECT_THAT(TitlesOf(list_), ElementsAre("a", "b", "c", "d", "e"));
  for (int i = 0; i < 20; ++i) list_.Add("more " + std::to_string(i));
  EXPECT_EQ(list_.plots().size(), PlotList::kMost);
}

TEST_F(PlotListTest, MovesBeforeAnother) {
  list_.Move(0, 4);
  EXPECT_THAT(TitlesOf(list_), ElementsAre("b", "c", "d", "a"));
  list_.Move(3, 1);
  EXPECT_THAT(TitlesOf(list_), ElementsAre("b", "a", "c", "d"));
  list_.Move(1, 1);
  list_.Move(1, 2);
  list_.Move(9, 0);
  list_.Move(0, 9);
  EXPECT_THAT(TitlesOf(list_), ElementsAre("b", "a", "c", "d"));
}

TEST_F(PlotListTest, ExchangesWithAPlotThatShowsItAlready) {
  list_.Replace(0, "x");
  EXPECT_THAT(TitlesOf(list_), ElementsAre("x", "b", "c", "d"));
  list_.Replace(0, "d");
  EXPECT_THAT(TitlesOf(list_), ElementsAre("d", "b", "c", "x"));
  list_.Remove(1);
  list_.Remove(7);
  EXPECT_THAT(TitlesOf(list_), ElementsAre("d", "c", "x"));
}

TEST_F(PlotListTest, EachFamilyHasItsOwn) {
  list_.SetFamily(PlotFamily::kLegs);
  EXPECT_THAT(TitlesOf(list_), Contains("Contacts"));
  list_.Remove(0);
  list_.SetFamily(PlotFamily::kJoints);
  EXPECT_THAT(TitlesOf(list_), ElementsAre("a", "b", "c", "d"));
}

TEST(WordsTest, AllMustBeThereInAnyCase) {
  EXPECT_TRUE(ContainsWords("Lyapunov V", ""));
  EXPECT_TRUE(ContainsWords("Lyapunov V", "v lyap"));
  EXPECT_FALSE(ContainsWords("Lyapunov V", "v torque"));
}

class PlotsCard : public WindowFrames {
 protected:
  // The row of a plot's title.
  Rect TitleRow(const char* title) {
    const Rect r = Find({title, "signal"}, layout().plots);
    return {layout().plots.x, r.y, layout().plots.w, r.h};
  }
};

TEST_F(PlotsCard, AnySignalIsFoundByTyping) {
  Open("arm7");
  Click(Find({"add plot"}, layout().plots));
  Frame();
  Type("energy bal");
  Frame();
  Press(ImGuiKey_Enter);
  EXPECT_THAT(PlotTitles(), Contains("Energy balance"));
  EXPECT_EQ(PlotTitles().back(), "Energy balance");

  // By the words of its definition, into a plot that is there.
  Frame();
  Click(Find({"Torque", "signal"}, layout().plots));
  Frame();
  Type("dissipation promises");
  Frame();
  Press(ImGuiKey_Enter);
  EXPECT_THAT(PlotTitles(), Contains("/P"));
  EXPECT_THAT(PlotTitles(), Not(Contains("Torque")));
  Click(Find({"/P", "signal"}, layout().plots));
  Frame();
  Type("no such thing");
  Press(ImGuiKey_Enter);
  EXPECT_THAT(PlotTitles(), Contains("/P"));
  Press(ImGuiKey_Escape);
}

TEST_F(PlotsCard, EveryEntryOfALegendCanBeClicked) {
  Open("arm7");
  Frame();
  const auto plot = std::ranges::find(state_.plots.plots(), "Tracking error", &ShownPlot::title);
  for (int joint = 0; joint < 7; ++joint) {
    Click(Find({"Tracking error", joint, "legend"}, TitleRow("Tracking error")));
    EXPECT_FALSE(plot->state.shown(joint)) << joint;
  }
}

TEST_F(PlotsCard, PlotsAreRemovedFoldedAndMoved) {
  Open("arm7");
  Frame();
  const Words before = {"Tracking error", "Turning of s", "Path of the error", "Lyapunov V",
                        "Torque"};
  const auto shown = [this] {
    Words titles;
    for (const std::string& title : PlotTitles()) {
      if (FindChoice(state_.scene->plot_choices, title) != nullptr) titles.push_back(title);
    }
    return titles;
  };
  ASSERT_EQ(shown(), before);
  Click(Find({"Turning of s", "remove"}, TitleRow("Turning of s")));
  EXPECT_THAT(shown(), ElementsAre("Tracking error", "Path of the error", "Lyapunov V", "Torque"));

  const Rect open = Find({"Torque", "signal"}, layout().plots);
  Click(Find({"Lyapunov V", "fold"}, TitleRow("Lyapunov V")));
  EXPECT_LT(Find({"Torque", "signal"}, layout().plots).y, open.y);
  Click(Find({"Lyapunov V", "fold"}, TitleRow("Lyapunov V")));
  EXPECT_EQ(Find({"Torque", "signal"}, layout().plots).y, open.y);

  const Rect from = Find({"Torque", "signal"}, layout().plots);
  const Rect to = Find({"Tracking error", "signal"}, layout().plots);
  MoveTo(from.middle_x(), from.middle_y());
  Hold(true);
  Frame();
  for (const float share : {0.3f, 0.7f, 1.0f}) {
    Point(from.middle_x(), from.middle_y() + share * (to.middle_y() - from.middle_y()));
    Frame();
  }
  Hold(false);
  Frame();
  Frame();
  EXPECT_THAT(shown(), ElementsAre("Torque", "Tracking error", "Path of the error", "Lyapunov V"));
  EXPECT_FALSE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup))
      << "the drag was taken for a click";
}

TEST_F(PlotsCard, ATitleDroppedBesideTheCardStaysWhereItWas) {
  Open("arm7");
  const std::vector<std::string> before = PlotTitles();
  const Rect title = Find({"Torque", "signal"}, layout().plots);
  const Rect view = layout().view;
  MoveTo(title.middle_x(), title.middle_y());
  Hold(true);
  Frame();
  for (const float share : {0.5f, 1.0f}) {
    Point(title.middle_x() + share * (view.middle_x() - title.middle_x()), title.middle_y());
    Frame();
  }
  EXPECT_GE(state_.dragged_plot, 0);
  Hold(false);
  Frame();
  Frame();
  EXPECT_LT(state_.dragged_plot, 0);
  EXPECT_EQ(PlotTitles(), before);
}

TEST_F(PlotsCard, TwelvePlotsScrollAndStandInTwoColumnsBelowTheView) {
  Open("arm7");
  for (const PlotChoice& choice : state_.scene->plot_choices) state_.plots.Add(choice.title);
  ASSERT_EQ(state_.plots.plots().size(), PlotList::kMost);
  size_ = ImVec2(1024, 700);
  for (int i = 0; i < 3; ++i) Frame();
  const Rect left = Find({"Tracking error", "signal"}, layout().plots);
  const Rect right = Find({"Turning of s", "signal"}, layout().plots);
  EXPECT_EQ(left.y, right.y);
  EXPECT_GT(right.x, left.right());
  size_ = ImVec2(kWidth, kHeight);
  for (int i = 0; i < 3; ++i) Frame();
  Find({"Tracking error", "signal"}, layout().plots);
}

TEST_F(PlotsCard, ArrangementsOfOneFamilyComeBackWithIt) {
  Open("arm7");
  state_.plots.Show(PlotPresets(PlotFamily::kJoints)[3]);
  Frame();
  EXPECT_EQ(PlotTitles().front(), "Lyapunov V");
  Open("arm7_circle");
  EXPECT_THAT(PlotTitles(), Contains("Task error"));
  Open("planar_2r");
  EXPECT_EQ(PlotTitles().front(), "Lyapunov V");
}

TEST(PlotsSvg, HoldsEveryLineOfTheWindow) {
  TraceBuffer trace(2);
  for (int i = 0; i <= 5000; ++i) {
    const float t = 1e-3f * static_cast<float>(i);
    trace.Append(1e-3 * i, std::array<float, 2>{std::sin(7 * t), i == 2500 ? 9.0f : 1.0f});
  }
  const std::vector<PlotLine> lines = {{.trace = &trace, .channel = 0, .name = "one", .color = 1},
                                       {.trace = &trace, .channel = 1, .name = "two", .color = 2}};
  PlotSpec spec;
  spec.title = "Some title";
  spec.unit = "mrad";
  spec.lines = lines;
  const std::vector<PlotSpec> specs = {spec, spec};
  const std::string svg = FormatPlotsSvg(specs, 1, 4);
  for (const char* text : {"Some title", "mrad", "one", "two", "#000001", "#000002"}) {
    EXPECT_THAT(svg, HasSubstr(text));
  }
  EXPECT_THAT(svg, HasSubstr(">10<")) << "the short peak is lost";
  EXPECT_LT(svg.size(), 400'000u);
}

TEST_F(PlotsCard, ExportsWhatIsShown) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  state_.recordings.clear();
  Open("planar_2r");
  ASSERT_TRUE(FramesUntil([&] { return snapshot().t > 0.2; }));
  state_.plots.Show(PlotFamily::kJoints, Words{"Lyapunov V", "Torque"});
  state_.plots.plots()[1].is_folded = true;
  ExportPlots(&state_, PlotFormat::kSvg);
  ExportPlots(&state_, PlotFormat::kCsv);
  ExportPlots(&state_, PlotFormat::kPng);
  EXPECT_TRUE(state_.requests.plots_picture);
  std::filesystem::current_path(before);
  std::string csv, svg;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    (entry.path().extension() == ".svg" ? svg : csv) = text.str();
  }
  EXPECT_THAT(svg, HasSubstr("Lyapunov V"));
  EXPECT_THAT(svg, Not(HasSubstr("Torque")));
  EXPECT_THAT(csv, testing::StartsWith("t,Lyapunov V V (J)\n"));
}

// ---- the window's parts

class Panels : public WindowFrames {};

TEST_F(Panels, GapsAreDraggedAndADoubleClickResets) {
  Open("planar_2r");
  const Layout at_first = layout();
  const float y = at_first.side.middle_y();
  const float gap = at_first.side.x - 4;
  Drag(gap, gap - 90, y);
  EXPECT_NEAR(layout().side.w, at_first.side.w + 90, 2);
  EXPECT_GT(state_.panels.side_width, 0);
  const float plots_gap = layout().plots.x - 4;
  Drag(plots_gap, plots_gap + 40, y);
  EXPECT_GT(state_.panels.plots_width, 0);
  EXPECT_GE(layout().view.w, 300);
  const float moved = layout().side.x - 4;
  for (int i = 0; i < 2; ++i) Click(moved, y);
  EXPECT_EQ(state_.panels.side_width, 0);
  EXPECT_EQ(layout().side.w, at_first.side.w);
}

TEST_F(Panels, TheCameraIsKeptByScene) {
  Open("planar_2r");
  state_.settings = Settings(folder_.path());
  KeepCamera(&state_, *view_);
  EXPECT_FALSE(view_->PlacedCamera()) << "it frames the robot";
  view_->MoveCamera(mjMOUSE_ROTATE_H, 0.2, 0.1);
  view_->MoveCamera(mjMOUSE_ZOOM, 0, 0.1);
  const auto placed = view_->PlacedCamera();
  ASSERT_TRUE(placed);
  KeepCamera(&state_, *view_);
  Open("point_mass");
  RestoreCamera(state_, view_.get());
  EXPECT_FALSE(view_->PlacedCamera());
  Open("planar_2r");
  RestoreCamera(state_, view_.get());
  Frame();
  EXPECT_EQ(view_->PlacedCamera(), placed);
}

TEST_F(Panels, TheContentGrowsByKeys) {
  Open("planar_2r");
  Press(ImGuiKey_Equal, true);
  Press(ImGuiKey_Equal, true);
  EXPECT_FLOAT_EQ(state_.zoom, 1.2f);
  Press(ImGuiKey_Minus, true);
  EXPECT_FLOAT_EQ(state_.zoom, 1.1f);
  for (int i = 0; i < 40; ++i) Press(ImGuiKey_Equal, true);
  EXPECT_EQ(state_.zoom, kMaxZoom);
  Press(ImGuiKey_0, true);
  EXPECT_EQ(state_.zoom, 1);
  EXPECT_TRUE(state_.scene->session.target_speed() == 1) << "+ and − alone set the speed";

  // Fonts are built anew at each scale, in the same number.
  const int fonts = ImGui::GetIO().Fonts->Fonts.Size;
  for (const float scale : {1.5f, 0.8f, 2.5f, 1.0f}) {
    state_.ui.scale = scale;
    ScaleFonts(&state_.ui);
    ApplyStyle(state_.ui);
    Frame();
    EXPECT_EQ(ImGui::GetIO().Fonts->Fonts.Size, fonts);
  }
}

TEST_F(Panels, TheLogIsSearchedAndCopied) {
  Open("planar_2r", {}, true);
  state_.tab = kLogTab;
  state_.scene->log.Add({1.25, "Λ 5 → 8 1/s", LogLine::Kind::kAction});
  state_.scene->log.Add({2.5, "Push on hand: 26 N", LogLine::Kind::kAction});
  Frame();
  state_.log_filter = "push";
  Frame();
  Click(Find({"copy"}, layout().side));
  EXPECT_STREQ(ImGui::GetClipboardText(), "2.500\tPush on hand: 26 N\n");
  state_.log_filter.clear();
  Frame();
  Click(Find({1, "line"}, layout().side));
  EXPECT_STREQ(ImGui::GetClipboardText(), "1.250\tΛ 5 → 8 1/s\n");
}

TEST_F(Panels, LinesBreakAtSpacesOnly) {
  Open("planar_2r");
  const Font font = state_.ui.fonts.small;
  const std::string text = "Push of 5.00 N·s at 0.002 s";
  const float line = font.px;
  EXPECT_EQ(TextHeight(font, TextWidth(font, text), text), line);
  // Just too narrow for "5.00": the whole number goes to the next line.
  const float narrow = TextWidth(font, "Push of 5.0");
  EXPECT_EQ(TextHeight(font, narrow, "Push of 5.00"), 2 * line);
  EXPECT_EQ(TextHeight(font, TextWidth(font, "5.00"), "5.00"), line);
  EXPECT_GT(TextHeight(font, TextWidth(font, "abc"), "abcdefghijkl"), 2 * line);
  EXPECT_EQ(TextHeight(font, 500, "a\nb"), 2 * line);
}

TEST_F(WindowFrames, CursorsOfAllPlotsAreUnderThePointerAtOnce) {
  Open("arm7");
  ASSERT_TRUE(FramesUntil([&] { return snapshot().t > 0.3; }));
  const Rect area = Find({"Lyapunov V", "area"}, layout().plots);
  MoveTo(area.x + 40, area.middle_y());
  Point(area.x + 90, area.middle_y());
  Frame();
  const TimeAxis& axis = state_.time_axis;
  const double share = (axis.cursor() - axis.t0()) / axis.length();
  EXPECT_NEAR(share * static_cast<double>(area.w), 90, 2) << "not where it was a frame before";
}

TEST_F(WindowFrames, PlotsThatStayAfterAThrowSayTheWayBack) {
  Open("arm7");
  ASSERT_TRUE(FramesUntil([&] { return snapshot().t > 0.1; }));
  Press(ImGuiKey_F3);
  EXPECT_FALSE(state_.time_axis.following());
  const Rect follow = Find({"follow"}, layout().plots);
  EXPECT_GT(follow.w, 50) << "a word, not an icon";
  Click(follow);
  EXPECT_TRUE(state_.time_axis.following());
}

}  // namespace ui_plots_test
}  // namespace civita
