#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/app/child_program.h"
#include "tests/sim/throwing_law.h"
#include "tests/window/drawn_frame.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace ui_drive_test {

using testing::HasSubstr;
using Json = nlohmann::json;

class SliderTest : public FakeInput {
 protected:
  SliderTest() {
    PrepareFonts(&ui_);
    spec_.symbol = "Λ";
    spec_.name = "Tracking";
    spec_.min = 1;
    spec_.max = 100;
    spec_.default_value = 10;
    spec_.scale = SliderScale::kLogarithmic;
    spec_.decimals = -1;
    spec_.typed_min = 0;
    spec_.typed_max = 1e6;
  }

  void DrawContent() override {
    ImGui::SetNextWindowPos(ImVec2(0, 0));
    ImGui::SetNextWindowSize(size_);
    ImGui::Begin("w", nullptr, ImGuiWindowFlags_NoDecoration);
    const SliderResult result =
        GainSlider(ui_, "gain", spec_, &state_, kX, kY, kSliderWidth, &value_, enabled_);
    num_changed_ += result.changed ? 1 : 0;
    num_finished_ += result.finished ? 1 : 0;
    ImGui::End();
  }

  void TypeNumber(const char* text) {
    if (state_.editing == 0) Press(ImGuiKey_Enter);
    Frame();
    Press(ImGuiKey_A, true);
    Type(text);
    Press(ImGuiKey_Enter);
  }

  static constexpr float kX = 100, kY = 100, kSliderWidth = 314, kTrackY = kY + 30;
  Ui ui_;
  SliderSpec spec_;
  SliderState state_;
  double value_ = 10;
  bool enabled_ = true;
  int num_changed_ = 0, num_finished_ = 0;
};

TEST_F(SliderTest, DragsOnALogarithmicTrackWithinItsLimits) {
  Drag(kX + 7 + 150, kX + 7 + 225, kTrackY);  // three quarters of 1…100
  EXPECT_NEAR(value_, std::pow(10, 1.5), 0.1);
  EXPECT_GT(num_changed_, 3);
  EXPECT_EQ(num_finished_, 1);
  Drag(kX + 7 + 225, 1200, kTrackY);
  EXPECT_EQ(value_, 100);
  Drag(kX + 7 + 299, 2, kTrackY);
  EXPECT_EQ(value_, 1);
}

TEST_F(SliderTest, SnapsToItsDefault) {
  value_ = 40;
  Drag(kX + 7 + 240, kX + 7 + 152, kTrackY);  // the default is at 150
  EXPECT_EQ(value_, 10);
}

TEST_F(SliderTest, KeysNudgeAndDeleteGivesTheDefault) {
  Click(kX + 7 + 200, kTrackY);
  const double clicked = value_;
  EXPECT_NEAR(clicked, std::pow(100, 200.0 / 300), 0.2);
  Press(ImGuiKey_UpArrow);
  EXPECT_NEAR(value_, clicked * std::pow(100, 0.01), 0.1);
  Press(ImGuiKey_DownArrow);
  EXPECT_NEAR(value_, clicked, 0.1);
  Press(ImGuiKey_Delete);
  EXPECT_EQ(value_, 10);
}

TEST_F(SliderTest, TypedNumbersMayPassTheTrackButNotTheirOwnLimits) {
  Click(kX + 150, kTrackY);  // focuses it
  TypeNumber("2500");
  EXPECT_EQ(value_, 2500);
  TypeNumber("0");
  EXPECT_EQ(value_, 0);
  num_changed_ = 0;
  TypeNumber("2e6");
  EXPECT_EQ(value_, 0);
  EXPECT_EQ(state_.error, "Between 0.00 and 1.0·10⁶");
  TypeNumber("-1");
  EXPECT_EQ(state_.error, "Between 0.00 and 1.0·10⁶");
  TypeNumber("1+2");
  EXPECT_EQ(state_.error, "Not a number");
  EXPECT_EQ(value_, 0);
  EXPECT_EQ(num_changed_, 0);
  for (int i = 0; i < 3; ++i) Frame();  // until the field is edited again
  Press(ImGuiKey_Escape);
  EXPECT_EQ(state_.editing, 0u);
  EXPECT_EQ(value_, 0);
}

TEST_F(SliderTest, AClickOnTheNumberTypes) {
  Click(kX + kSliderWidth - 10, kY + 9);
  EXPECT_NE(state_.editing, 0u);
  Type("25");
  Press(ImGuiKey_Enter);
  EXPECT_EQ(value_, 25);
}

TEST_F(SliderTest, DisabledItDoesNothing) {
  enabled_ = false;
  Drag(kX + 150, kX + 250, kTrackY);
  Press(ImGuiKey_UpArrow);
  EXPECT_EQ(value_, 10);
  EXPECT_EQ(num_changed_ + num_finished_, 0);
}

TEST_F(WindowFrames, ADraggedGainRunsAndIsRecorded) {
  const std::filesystem::path out = folder_.path() / "run";
  Open("arm7", {}, false, out);
  ASSERT_TRUE(FramesUntil([&] { return snapshot().t > 0.1; }));
  const Tuning initial = state_.scene->tuning().initial();
  const double before = initial.gains[0].maxCoeff();
  EXPECT_EQ(snapshot().gains[0].maxCoeff(), before);
  const Rect track = FindFirstTrack();
  Drag(track.middle_x(), track.x + 0.8f * track.w, track.y);
  const double wanted = state_.scene->tuning().current().gains[0].maxCoeff();
  EXPECT_GT(wanted, 1.2 * before);
  EXPECT_TRUE(FramesUntil([&] { return snapshot().gains[0].maxCoeff() == wanted; }));
  EXPECT_TRUE(state_.scene->tuning().can_undo());
  EXPECT_TRUE(state_.scene->tuning().committed() == state_.scene->tuning().current());
  EXPECT_THAT(LastLine(LogLine::Kind::kAction), HasSubstr("Λ"));

  Press(ImGuiKey_Z, true);
  EXPECT_TRUE(FramesUntil([&] { return snapshot().gains[0] == initial.gains[0]; }));
  Press(ImGuiKey_Y, true);
  EXPECT_TRUE(FramesUntil([&] { return snapshot().gains[0].maxCoeff() == wanted; }));

  const double changed_at = snapshot().t;
  ASSERT_TRUE(FramesUntil([&] { return snapshot().t > changed_at + 0.05; }));
  state_.scene->session.Stop();
  const Json run = Json::parse(ReadAll(out / "run.json"));
  ASSERT_FALSE(run.at("events").empty());
  const std::string last = run.at("events").back().at("what");
  EXPECT_EQ(last.rfind("gains.Lambda = ", 0), 0u) << last;
  EXPECT_NEAR(std::stod(last.substr(15)), wanted, 1e-9 * wanted);
}

TEST_F(WindowFrames, TwoRunsAreComparedAndLetGo) {
  Open("arm7");
  ToggleComparison(&state_);
  ASSERT_TRUE(FramesUntil([&] { return state_.scene->is_comparing(); }));
  EXPECT_EQ(state_.tab, kCompareTab);
  ASSERT_TRUE(FramesUntil([&] { return snapshot().t > 0.1; }));
  EXPECT_EQ(snapshot().factorization, "christoffel");
  EXPECT_EQ(snapshot().other.factorization, "plain");
  EXPECT_EQ(state_.scene->traces.num_runs(), 2);

  // Tuning now affects only the second run.
  state_.scene->edited = Slot::kB;
  Tuning tuning = state_.scene->tuning().current();
  tuning.gains[0].setConstant(9);
  state_.scene->tuning().Edit(tuning);
  CommitTuning(&state_);
  ASSERT_TRUE(FramesUntil([&] { return snapshot().other.gains[0][0] == 9; }));
  EXPECT_NE(snapshot().gains[0][0], 9);

  ToggleComparison(&state_);
  ASSERT_TRUE(FramesUntil([&] { return !state_.scene->is_comparing(); }));
  EXPECT_NE(state_.tab, kCompareTab);
  ASSERT_TRUE(FramesUntil([&] { return snapshot().t > 0.05; }));
  EXPECT_TRUE(snapshot().other.qpos.empty());
}

TEST_F(WindowFrames, StiffGainsAreToldWhenTheyAreSet) {
  Open("arm7");
  const auto set_K_D = [&](double value) {
    Tuning tuning = state_.scene->tuning().current();
    tuning.gains[1].setConstant(value);
    state_.scene->tuning().Edit(tuning);
    CommitTuning(&state_);
  };
  const auto warnings = [&] {
    const auto& lines = state_.scene->log.lines();
    return std::count_if(lines.begin(), lines.end(), [](const LogLine& line) {
      return line.text.starts_with("gains.K_D is stiff for 1000 Hz");
    });
  };
  set_K_D(200);
  EXPECT_EQ(warnings(), 0);
  set_K_D(1500);
  EXPECT_EQ(warnings(), 1);
  EXPECT_EQ(state_.toast.text, "gains.K_D is stiff for 1000 Hz");
}

TEST_F(WindowFrames, KeysPauseStepAndHidePanels) {
  Open("arm7");
  ASSERT_TRUE(FramesUntil([&] { return snapshot().t > 0.05; }));
  Press(ImGuiKey_Space);
  ASSERT_TRUE(FramesUntil([&] { return snapshot().state == RunState::kPaused; }));
  const long paused_at = snapshot().step;
  for (int i = 0; i < 60; ++i) Frame();
  EXPECT_EQ(snapshot().step, paused_at);
  Press(ImGuiKey_RightArrow);
  EXPECT_TRUE(FramesUntil([&] { return snapshot().step == paused_at + 1; }));
  Press(ImGuiKey_Space);
  EXPECT_TRUE(FramesUntil([&] { return snapshot().state == RunState::kRunning; }));
  Press(ImGuiKey_Backspace);
  EXPECT_TRUE(FramesUntil([&] { return snapshot().step < paused_at; }));
  Press(ImGuiKey_Tab);
  EXPECT_FALSE(state_.panels.side);
  Press(ImGuiKey_F8);
  EXPECT_FALSE(state_.ui.theme.dark);
  Press(ImGuiKey_F1);
  EXPECT_TRUE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
  Press(ImGuiKey_Space);  // the list has the keys
  Press(ImGuiKey_Escape);
  EXPECT_FALSE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
  EXPECT_NE(snapshot().state, RunState::kPaused);
}

class EverySize : public WindowFrames {
 protected:
  void DrawTab(const char* tab) {
    state_.tab = tab;
    Frame();
    const Layout drawn = layout();
    if (drawn.side.w > 0) {
      EXPECT_EQ(state_.tab, tab);
    }
  }
  void DrawAll(const std::vector<const char*>& tabs) {
    for (const ImVec2 size : {ImVec2(1024, 700), ImVec2(1920, 1080), ImVec2(3840, 2160),
                              ImVec2(300, 200), ImVec2(1, 1)}) {
      SCOPED_TRACE(size.x);
      size_ = size;
      for (const char* tab : tabs) DrawTab(tab);
      view_->Render();
      ToggleTheme(&state_);
      state_.launcher.is_open = true;
      Frame();
      Frame();
      EXPECT_GT(ImGui::GetDrawData()->TotalVtxCount, 100);
      state_.launcher.is_open = false;
    }
  }
};

TEST_F(EverySize, TabAndThemeIsDrawn) {
  Open("arm7", {}, true);
  DrawAll({"Tune", "Matrix", "Push", "Log"});
}

TEST_F(EverySize, TabOfAComparisonIsDrawn) {
  Open("arm7");
  ToggleComparison(&state_);
  ASSERT_TRUE(FramesUntil([&] { return state_.scene->is_comparing() && snapshot().t > 0.05; }));
  DrawAll({"Compare", "Tune"});
}

TEST_F(EverySize, TabOfLegsIsDrawn) {
  Open("quadruped", {}, true);
  DrawAll({"Drive", "Matrix", "Tune", "Push"});
}

TEST_F(WindowFrames, TheFailCardsButtonsHelp) {
  Open("chain20");
  ASSERT_TRUE(FramesUntil([&] { return snapshot().t > 0.05; }));
  Tuning huge = state_.scene->tuning().current();
  const Eigen::VectorXd gain = huge.gains[0];
  huge.gains[0].setConstant(90000);
  state_.scene->tuning().Edit(huge);
  CommitTuning(&state_);
  const auto failed = [&] { return snapshot().state == RunState::kFailed; };
  ASSERT_TRUE(FramesUntil(failed));
  EXPECT_TRUE(IsFinite());
  Frame();
  EXPECT_EQ(CountErrors(), 1);
  const double failed_at = snapshot().t;
  EXPECT_GT(failed_at, 0.05);
  Press(ImGuiKey_Space);  // refused with a message
  EXPECT_TRUE(state_.toast.is_error);
  EXPECT_TRUE(failed());

  Click(Find({"log"}, layout().view));
  EXPECT_EQ(state_.tab, kLogTab);
  Frame();
  Click(Find({"revert"}, layout().view));
  EXPECT_TRUE(state_.scene->tuning().is_initial());
  EXPECT_TRUE(FramesUntil([&] { return snapshot().gains[0] == gain; }));
  EXPECT_TRUE(failed());
  Click(Find({"rewind"}, layout().view));
  ASSERT_TRUE(FramesUntil([&] { return snapshot().state == RunState::kPaused; }));
  EXPECT_LT(snapshot().t, failed_at);
  EXPECT_TRUE(IsFinite());
  Frame();
  EXPECT_EQ(CountErrors(), 1) << "the failure was told again";

  Press(ImGuiKey_Space);
  EXPECT_TRUE(FramesUntil([&] { return snapshot().t > failed_at + 0.1; }));
  EXPECT_EQ(snapshot().state, RunState::kRunning);
  for (const RunLog::EventMark& mark : state_.scene->log.marks()) {
    EXPECT_NE(mark.kind, PlotMark::Kind::kFailure) << "of the other branch";
  }
}

// The cause is that of the numbers, whatever else is unusual.
TEST_F(WindowFrames, AFailureIsBlamedOnWhatCausedIt) {
  const auto log = [&] { return LastLine(LogLine::Kind::kError); };
  const auto failed = [&] { return snapshot().state == RunState::kFailed; };
  Open("arm7_twist", {"control.mode=held", "gains.K_D=9000", "controller.factorization=t:1"});
  ASSERT_TRUE(FramesUntil(failed));
  Frame();
  EXPECT_THAT(state_.scene->failure_cause,
              testing::StartsWith("K_D is too large for 1\u2009000 Hz"));
  EXPECT_THAT(log(), HasSubstr(state_.scene->failure_cause));
  EXPECT_THAT(log(), testing::Not(HasSubstr("e+"))) << "numbers as in the window";
  EXPECT_THAT(log(), testing::ContainsRegex("rad/s"));
  ASSERT_LT(snapshot().t, 1);
  Click(Find({"rewind"}, layout().view));  // by a second there is none: to the start
  ASSERT_TRUE(FramesUntil([&] { return !failed(); }));
  EXPECT_EQ(snapshot().step, 0);

  Open("point_mass_5", {"gains.K_D=9000"});  // a torque at every stage
  ASSERT_TRUE(FramesUntil(failed));
  Frame();
  EXPECT_THAT(state_.scene->failure_cause,
              testing::StartsWith("K_D is too large for steps of 1 ms"));
  EXPECT_THAT(state_.scene->failure_cause, HasSubstr("grows from 2.79 on. Use K_D below 2"));

  Open("arm7_twist", {"controller.factorization=t:1e6", "control.mode=held"});
  ASSERT_TRUE(FramesUntil(failed));
  Frame();
  EXPECT_THAT(state_.scene->failure_cause, testing::StartsWith("The torsion of C is too large"));

  auto throwing = MakeThrowingScene({.place = ThrowingLaw::Place::kControl, .from_s = 0.02});
  throwing->law = &kThrowingLaw;
  state_.scene = std::make_unique<ActiveScene>(LoadedScenes{std::move(throwing), nullptr}, false);
  OpenView();
  ASSERT_TRUE(FramesUntil(failed));
  Frame();
  EXPECT_THAT(log(), HasSubstr("the law threw: out of ideas"));
  EXPECT_THAT(state_.scene->failure_cause, testing::StartsWith("The law itself"));
}

// Legs without torque fold: told once, in the status, the log and the plots, and taken back.
TEST_F(WindowFrames, AFallIsToldOnceAndMarked) {
  Open("quadruped", {"controller.type=pd_gravity", "gains.K_P=0", "gains.K_D=0"});
  ASSERT_TRUE(FramesUntil([&] { return snapshot().fall.fallen; }));
  ASSERT_TRUE(FramesUntil([&] { return snapshot().t > snapshot().fall.t + 0.1; }));
  const double t = snapshot().fall.t;
  const auto told = [&] {
    return std::ranges::count_if(state_.scene->log.lines(), [](const LogLine& line) {
      return line.kind == LogLine::Kind::kError && line.text.starts_with("The robot fell at t = ");
    });
  };
  const auto marked = [&] {
    return std::ranges::count_if(state_.scene->log.marks(), [](const RunLog::EventMark& mark) {
      return mark.kind == PlotMark::Kind::kFailure && mark.text == "fell";
    });
  };
  EXPECT_EQ(told(), 1);
  EXPECT_EQ(marked(), 1);
  RewindTo(&state_, 0.1 * t);
  ASSERT_TRUE(FramesUntil([&] { return !snapshot().fall.fallen; }));
  Frame();
  EXPECT_EQ(marked(), 1) << "the future is kept";
  Press(ImGuiKey_Space);  // until it goes on from the past
  EXPECT_TRUE(FramesUntil([&] { return marked() == 0; }));
  EXPECT_EQ(told(), 1) << "the log keeps what was seen";
}

TEST_F(WindowFrames, TorqueLimitsAreOneLineWithACount) {
  Open("arm7", {"plant.speed_limit=0.1"});
  ASSERT_TRUE(FramesUntil([&] { return snapshot().saturated_steps > 100; }));
  Frame();
  const auto& lines = state_.scene->log.lines();
  const auto of_limits = [](const LogLine& line) { return line.topic == "torque limit"; };
  EXPECT_EQ(std::ranges::count_if(lines, of_limits), 1);
  const std::string first = std::ranges::find_if(lines, of_limits)->text;
  const long steps = snapshot().saturated_steps;
  ASSERT_TRUE(FramesUntil([&] { return snapshot().saturated_steps > steps; }));
  Frame();
  EXPECT_EQ(std::ranges::count_if(lines, of_limits), 1);
  EXPECT_NE(std::ranges::find_if(lines, of_limits)->text, first) << "the count goes on";
  Find({"At torque limits"}, layout().status_bar);
  const auto& marks = state_.scene->log.marks();
  // A busy machine misses deadlines, which is told, too.
  EXPECT_EQ(std::ranges::count(marks, "torque limit", &RunLog::EventMark::text), 1);
  const RunLog::EventMark* action = state_.scene->log.LastAction(1e9);
  EXPECT_TRUE(action == nullptr || action->kind != PlotMark::Kind::kNotice);
}

TEST_F(WindowFrames, TheStatusBarHasStateSpeedAndMisses) {
  Open("planar_2r", {}, true);
  ImGui::GetStyle().AntiAliasedLinesUseTex = false;
  const Rect bar = layout().status_bar;
  Find({"state"}, bar);
  Find({"Speed"}, bar);
  const Rect misses = Find({"Deadline misses"}, bar);
  Point(0, 0);
  Frame();
  const DrawnFrame drawn;
  EXPECT_EQ(std::ranges::count_if(drawn.letters,
                                  [&](const DrawnLetter& letter) {
                                    const ImVec2 at(letter.place.x, letter.place.middle_y());
                                    return bar.contains(at) && at.x > misses.right();
                                  }),
            0);
}

TEST_F(WindowFrames, ScenesWithLegsHavePlotsAndMarksOfTheirOwn) {
  Open("quadruped");
  EXPECT_THAT(PlotTitles(), testing::Contains("Contacts"));
  Press(ImGuiKey_F9);
  EXPECT_FALSE(state_.shows_stance);
  Press(ImGuiKey_F9);
  EXPECT_TRUE(state_.shows_stance);

  // The ground supports the robot with the forces that the law commands.
  ASSERT_TRUE(FramesUntil([&] { return snapshot().t > 0.3; }));
  const Traces& traces = state_.scene->traces;
  const auto channel = [&](const char* signal) { return traces.channel(Slot::kA, signal); };
  ASSERT_EQ(traces.signals(Slot::kA).Find("/foot_force")->info.width, 4);
  const int64_t last = traces.buffer().end_index() - 1;
  double total = 0;
  for (int i = 0; i < 4; ++i) {
    total += static_cast<double>(traces.buffer().value(last, channel("/foot_force") + i));
  }
  const double weight = 9.81 * mj_getTotalmass(state_.scene->session.mj());
  EXPECT_NEAR(total, weight, 0.02 * weight);
  EXPECT_GT(traces.buffer().value(last, channel("/law/dcm_margin")), 0.05f);

  // A scalar gain keeps its one slider when joints get their own.
  state_.scene->gains_by_joint = true;
  const Rect track = FindFirstTrack();
  Drag(track.middle_x(), track.x + 0.8f * track.w, track.y);
  EXPECT_GT(state_.scene->tuning().current().gains[0][0], 10);
  Open("arm7");
  EXPECT_THAT(PlotTitles(), testing::Contains("Tracking error"));
  Press(ImGuiKey_F9);  // has no feet
  EXPECT_TRUE(state_.shows_stance);
}

// A frame may be drawn before the simulation has executed the command.
TEST_F(WindowFrames, AFailureIsToldOnceAlthoughTheRewindTakesAMoment) {
  Open("chain20", {"gains.Lambda=90000"});
  ASSERT_TRUE(FramesUntil([&] { return snapshot().state == RunState::kFailed; }));
  Frame();
  ASSERT_EQ(CountErrors(), 1);
  for (int i = 0; i < 50; ++i) {
    RewindTo(&state_, 0);
    UpdateState(&state_);
    EXPECT_EQ(CountErrors(), 1);
  }
}

}  // namespace ui_drive_test
}  // namespace civita
