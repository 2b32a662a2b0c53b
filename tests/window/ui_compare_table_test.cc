// The table of two runs, as it is drawn.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "app/window/panels/panels.h"
#include "app/window/plot/plot_content.h"
#include "tests/window/drawn_frame.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace ui_compare_table_test {

using testing::HasSubstr;
using testing::Not;

// The parts of a line of text that gaps as between columns separate.
struct Line {
  float middle = 0;
  std::vector<Rect> parts;
};

std::vector<Line> LinesIn(const Rect& area) {
  constexpr float kOneLine = 5, kGap = 8;  // pixels
  const DrawnFrame frame;
  std::vector<Rect> letters;
  for (const DrawnLetter& letter : frame.letters) {
    if (area.contains(letter.place.min()) && letter.place.w > 0) letters.push_back(letter.place);
  }
  std::ranges::sort(letters, {}, &Rect::x);
  std::vector<Line> lines;
  for (const Rect& letter : letters) {
    auto line = std::ranges::find_if(lines, [&](const Line& each) {
      return std::abs(each.middle - letter.middle_y()) < kOneLine;
    });
    if (line == lines.end()) line = lines.insert(line, {letter.middle_y(), {}});
    if (line->parts.empty() || letter.x > line->parts.back().right() + kGap) {
      line->parts.push_back(letter);
    } else {
      Rect& last = line->parts.back();
      last.w = std::max(last.right(), letter.right()) - last.x;
    }
  }
  return lines;
}

class CompareTable : public WindowFrames {
 protected:
  void Begin() {
    Open("arm7_twist", {}, false, {}, {"controller.factorization=t:5"});
    ImGui::GetStyle().AntiAliasedLinesUseTex = false;
    ASSERT_TRUE(FramesUntil([&] { return snapshot().t > 0.4; }));
    Post(&state_, command::Pause{});
    ASSERT_TRUE(FramesUntil([&] { return snapshot().state == RunState::kPaused; }));
    Tuning tuning = state_.scene->tuning().current();
    tuning.gains[0].setConstant(0.6441);
    state_.scene->tuning().Edit(std::move(tuning));
    CommitTuning(&state_);
    ASSERT_TRUE(FramesUntil([&] { return state_.scene->session.HasAnswered(snapshot()); }));
    Frame();
  }
  // Rows with a value at the right edge have a name and two values, apart from each other.
  void HasColumns(int least_rows) {
    const Rect side = layout().side;
    const std::vector<Line> lines = LinesIn({side.x, side.y + 80, side.w, side.h - 80});
    float right = 0;
    for (const Line& line : lines) {
      if (line.parts.size() > 2) right = std::max(right, line.parts.back().right());
    }
    int rows = 0;
    for (const Line& line : lines) {
      if (line.parts.size() < 2 || line.parts.back().right() < right - 4) continue;
      EXPECT_EQ(line.parts.size(), 3u) << "at " << line.middle;
      ++rows;
    }
    EXPECT_GE(rows, least_rows);
  }
};

TEST_F(CompareTable, NumbersDoNotRunIntoEachOther) {
  Begin();
  HasColumns(3);
  state_.selected_span = {.from = 0.1, .to = 0.3};
  for (int i = 0; i < 3; ++i) Frame();
  HasColumns(10);
}

// In the narrowest window with the plots beside the view half of a name is left.
TEST_F(CompareTable, NamesThatAreCutStayApart) {
  for (const char* scene : {"arm7_twist", "quadruped_trot", "torsion_gallery"}) {
    Open(scene, {}, true, {}, {"controller.factorization=t:5"});
    std::map<std::string, std::string> units;  // by name
    for (const MetricInfo& info : state_.scene->session.metrics(Slot::kA)) {
      units[info.label] = info.unit;
    }
    for (const char* what : {", RMS", ", peak", ", mean"}) {
      units["s" + std::string(what)] = "rad/s, m/s";
      units["tracking error" + std::string(what)] = units["tracking error, RMS"];
      units["torque" + std::string(what)] = "N·m";
    }
    const Font font = state_.ui.fonts.small;
    for (const float room : {99.0f, 110.0f, 125.0f}) {
      std::map<std::string, std::string> shown;
      for (const auto& [name, unit] : units) {
        const float width = room - (unit.empty() ? 0 : 6 + TextWidth(font, unit));
        const std::string cut = ShortenedName(font, width, name);
        EXPECT_LE(TextWidth(font, cut), width) << name;
        const auto [at, is_new] = shown.emplace(cut, name);
        EXPECT_TRUE(is_new) << name << " and " << at->second << " are both " << cut;
      }
    }
  }
}

TEST_F(CompareTable, NamesAreCutInTheMiddleAtWords) {
  Open("planar_2r", {}, true);
  const Font font = state_.ui.fonts.small;
  const std::string name = "tracking error, RMS";
  EXPECT_EQ(ShortenedName(font, 1000, name), name);
  EXPECT_EQ(ShortenedName(font, TextWidth(font, name), name), name);
  EXPECT_EQ(ShortenedName(font, TextWidth(font, "tracking… RMS") + 1, name), "tracking… RMS");
  EXPECT_EQ(ShortenedName(font, TextWidth(font, "gripper_left…_12_joint") + 1,
                          "gripper_left_fingertip_12_joint"),
            "gripper_left…_12_joint");
  const std::string cut = ShortenedName(font, 60, "ααααααααααααααα\u0301βββββββββββββββ");
  EXPECT_LE(TextWidth(font, cut), 60);
  EXPECT_TRUE(cut.starts_with("α") && cut.ends_with("β")) << cut;
  EXPECT_EQ(ShortenedName(font, 3, name), "");
}

TEST_F(CompareTable, AnErrorThatIsNotPredictedTakesOneRow) {
  Open("quadruped_trot", {}, true, {}, {"controller.factorization=t:5"});
  ASSERT_TRUE(FramesUntil([&] { return !state_.forecast.result()[0].why_not.empty(); }));
  Frame();
  EXPECT_NEAR(Find({"predicted"}, layout().side).h, 22, 1);
}

// In the table, and at the end of the plot's lines.
TEST_F(CompareTable, TheTurningIsThatOfThePlot) {
  Open("arm7_twist", {}, true, {}, {"controller.factorization=t:5"});
  const auto step_to = [&](long step) {
    Post(&state_, command::StepOnce{step - snapshot().step});
    ASSERT_TRUE(FramesUntil([&] { return snapshot().step == step; }));
    Frame();
  };
  const PlotChoice* plot = FindChoice(state_.scene->plot_choices, "Turning of s");
  ASSERT_NE(plot, nullptr);
  const auto shown = [&](std::size_t line) {
    const TraceBuffer& rows = state_.scene->traces.buffer();
    return static_cast<double>(rows.value(rows.end_index() - 1, plot->lines[line].channel));
  };
  const auto is_that_of_table = [&] {
    const auto& metrics = state_.scene->session.metrics();
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      const bool is_ideal = metrics[i].key == "ideal_turning_rad";
      if (!is_ideal && metrics[i].key != "twist_rad") continue;
      const std::size_t line = is_ideal ? 2 : 0;
      EXPECT_NEAR(shown(line), snapshot().figures.values[i], 1e-5);
      EXPECT_NEAR(shown(line + 1), snapshot().other.figures.values[i], 1e-5);
    }
  };
  step_to(300);
  is_that_of_table();
  const double before = shown(1);
  EXPECT_GT(before, 0.5);
  ThrowOff(&state_);
  step_to(400);
  is_that_of_table();
  const double thrown = shown(1);
  EXPECT_GT(thrown, 0.1);
  ThrowOff(&state_);
  step_to(450);
  is_that_of_table();
  RewindTo(&state_, 0.3995);
  ASSERT_TRUE(FramesUntil([&] { return snapshot().step == 399; }));
  Post(&state_, command::StopPushes{});  // an input, thus another branch, without the second throw
  step_to(401);
  EXPECT_NEAR(shown(1), thrown, 0.05);
}

TEST_F(CompareTable, NothingIsConcludedFromNoTime) {
  Open("arm7_twist", {}, true, {}, {"controller.factorization=t:30"});
  EXPECT_TRUE(TellDifference(&state_).empty());
  ThrowOff(&state_);
  StepForward(&state_, 10);
  // Behind the last of the steps, since lines of a moment ago stand while a run goes on.
  ASSERT_TRUE(FramesUntil([&] { return snapshot().step == 10; }));
  EXPECT_LT(snapshot().figures.since_t, snapshot().t);
  EXPECT_FALSE(TellDifference(&state_).empty());
}

// What a change of C does is not told by the errors that another C has left.
TEST_F(CompareTable, AfterAChangeNoRunIsSaidToBeBetterBeforeItIsThrown) {
  Begin();
  StepForward(&state_, 50);
  ASSERT_TRUE(FramesUntil([&] { return snapshot().figures.since_t < snapshot().t - 0.04; }));
  EXPECT_THAT(TellDifference(&state_),
              testing::ElementsAre(HasSubstr("still those of before: what a change does")));
  ThrowOff(&state_);
  StepForward(&state_, 50);
  ASSERT_TRUE(FramesUntil([&] { return snapshot().figures.since_throw; }));
  ASSERT_TRUE(FramesUntil([&] { return snapshot().figures.since_t < snapshot().t - 0.04; }));
  for (const std::string& line : TellDifference(&state_)) {
    EXPECT_THAT(line, Not(HasSubstr("of before")));
  }
}

}  // namespace ui_compare_table_test
}  // namespace civita
