// What the texts of the tour promise, in the numbers of a run that follows it.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/window/actions/forecasts.h"
#include "app/window/model/tour.h"
#include "app/window/panels/panels.h"
#include "tests/window/drawn_frame.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace ui_tour_test {

using testing::ContainsRegex;

constexpr double kSeen = 1;  // s after a throw
class TourOfTheWindow : public WindowFrames {
 protected:
  const TraceBuffer& rows() const { return state_.scene->traces.buffer(); }
  double At(const char* signal, int64_t row, Slot slot = Slot::kA) const {
    return static_cast<double>(rows().value(row, state_.scene->traces.channel(slot, signal)));
  }
  double Last(const char* signal, Slot slot) const {
    return At(signal, rows().end_index() - 1, slot);
  }
  /// Waits until the throw of a step has been shown for most of its time.
  void Watch(int step) {
    ASSERT_TRUE(FramesUntil([&] { return state_.tour.step == step && state_.tour.has_thrown; }));
    SetSpeed(&state_, 1);
    const auto is_seen = [&] {
      return state_.scene->session.HasAnswered(snapshot()) && snapshot().t > kSeen;
    };
    ASSERT_TRUE(FramesUntil([&] { return snapshot().t < 0.3; }));
    ASSERT_TRUE(FramesUntil(is_seen));
    // "thrown off their moving reference alike"
    EXPECT_GT(At("/V", 0), 10);
    EXPECT_NEAR(At("/V", 0), At("/V", 0, Slot::kB), 1e-9 * At("/V", 0));
    const Reference& moving = *state_.scene->session.scene().reference;
    ReferenceState reference{snapshot().q_d, Eigen::VectorXd::Zero(7), Eigen::VectorXd::Zero(7)};
    moving.Sample(0, reference);
    EXPECT_GT(reference.v.norm(), 1);
  }
  double Turned(Slot slot) const { return Last("/twist", slot); }
  double Figure(const char* key, Slot slot) const {
    const auto& metrics = state_.scene->session.metrics();
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      if (metrics[i].key != key) continue;
      return (slot == Slot::kA ? snapshot().figures : snapshot().other.figures).values[i];
    }
    return kNaN;
  }
};

TEST_F(TourOfTheWindow, ShowsWhatItSays) {
  Open("arm7", {"pushes=[]"});
  state_.tour.is_offered = true;
  Press(ImGuiKey_Enter);
  Watch(0);
  EXPECT_EQ(snapshot().factorization, "christoffel");
  EXPECT_EQ(snapshot().other.factorization, "t:5");
  // "falls on one line for both": straight on the logarithmic axis, and the same.
  const double V0 = At("/V", 0), end = rows().time(500);
  for (int64_t row = 0; row <= 500; row += 50) {
    const double V = At("/V", row), line = std::log(At("/V", 500) / V0) * rows().time(row) / end;
    EXPECT_NEAR(std::log(V / V0), line, 1e-3);
    EXPECT_NEAR(At("/V", row, Slot::kB) / V, 1, 1e-5);
  }
  // "in A it keeps its direction, in B the torsion of C turns it by more than 90°"
  GoOnInTour(&state_);
  Watch(1);
  constexpr double kRightAngle = 1.5708;
  const double turned = Turned(Slot::kB);
  EXPECT_LT(Turned(Slot::kA), 1e-3);
  EXPECT_GT(turned, kRightAngle);
  EXPECT_NEAR(Last("/ideal_turning", Slot::kB), turned, 0.02 * turned) << "by torsion";
  // "its RMS tracking error is more than half as large again", and the prediction below it
  GoOnInTour(&state_);
  Watch(2);
  const double a = Figure("error_rms", Slot::kA), b = Figure("error_rms", Slot::kB);
  EXPECT_GT(b / a, 1.5);
  ASSERT_TRUE(FramesUntil([&] { return std::isfinite(PredictedErrors(state_)[1]); }));
  EXPECT_NEAR(PredictedErrors(state_)[0] / Figure("error_rms", Slot::kA), 1, 0.02);
  EXPECT_NEAR(PredictedErrors(state_)[1] / Figure("error_rms", Slot::kB), 1, 0.02);
  // What stands over the picture.
  const std::vector<std::string> lines = TellDifference(&state_);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], "Two controllers with the same energy V.");
  EXPECT_THAT(lines[1],
              ContainsRegex("Torsion sends B another way: [5-9][0-9] % more error, as predicted"));
  // "t = 1 now, and turns its error less than a third as far"
  GoOnInTour(&state_);
  Watch(3);
  EXPECT_LT(Turned(Slot::kB), turned / 3);
  EXPECT_GT(Turned(Slot::kB), 0.1);
  // "to the last bit"
  GoOnInTour(&state_);
  Watch(4);
  const Traces& traces = state_.scene->traces;
  const int e_a = traces.channel(Slot::kA, "/e"), e_b = traces.channel(Slot::kB, "/e");
  for (int64_t row = 0; row < 500; ++row) {
    for (int i = 0; i < traces.nv(); ++i) {
      ASSERT_EQ(rows().value(row, e_a + i), rows().value(row, e_b + i));
    }
  }
  GoOnInTour(&state_);
  EXPECT_FALSE(state_.tour.is_open());
  EXPECT_TRUE(FramesUntil([&] { return snapshot().other.factorization == "t:5"; }))
      << "as the tour began";
  Frame();
  EXPECT_FALSE(state_.tour.has_thrown) << "once";
}

TEST_F(TourOfTheWindow, CompareAfterSingleShowsTheSecondRunOfBefore) {
  Open("arm7_twist", {}, false, {}, {"controller.factorization=t:5", "gains.K_D=3"});
  SetSpeed(&state_, 0.2);
  RepeatRun(&state_);
  const auto toggle = [&] {
    const bool was_comparing = state_.scene->is_comparing();
    ToggleComparison(&state_);
    ASSERT_TRUE(FramesUntil([&] {
      return state_.scene->is_comparing() != was_comparing &&
             state_.scene->session.HasAnswered(snapshot());
    }));
    EXPECT_EQ(state_.scene->session.target_speed(), 0.2);
    EXPECT_TRUE(state_.repeat_s.has_value());
  };
  toggle();
  ASSERT_FALSE(state_.scene->is_comparing());
  toggle();
  EXPECT_EQ(snapshot().factorization, "christoffel");
  EXPECT_EQ(snapshot().other.factorization, "t:5");
  EXPECT_EQ(snapshot().other.gains[1][0], 3);
  EXPECT_TRUE(state_.marks.sentence);
}

TEST_F(TourOfTheWindow, NothingCoversTheRobot) {
  for (const ImVec2 size : {ImVec2(1024, 700), ImVec2(1280, 800), ImVec2(1920, 1080)}) {
    size_ = size;
    Open("arm7_twist", {"duration_s=1.5"}, true, {}, {"controller.factorization=t:5"});
    RepeatRun(&state_);
    Post(&state_, command::StepOnce{300});
    ASSERT_TRUE(FramesUntil([&] { return snapshot().step == 300; }));
    const Rect picture = PictureArea(state_.ui, layout().view);
    for (const bool has_offer : {false, true}) {
      state_.tour = {};
      if (has_offer) state_.tour.is_offered = true;
      view_->Resize(static_cast<int>(picture.w), static_cast<int>(picture.h));
      Frame();
      ImGui::GetStyle().AntiAliasedLinesUseTex = false;
      Frame();
      view_->Render();
      // Of the words over the lower part of the picture.
      Rect words{picture.right(), picture.bottom(), 0, 0};
      for (const DrawnLetter& letter : DrawnFrame().letters) {
        const Rect& place = letter.place;
        if (place.x < picture.x || place.right() > picture.right()) continue;
        if (place.y < picture.y + 50 || place.bottom() > picture.bottom()) continue;
        words.y = std::min(words.y, place.y);
        words.w = std::max(words.w, place.right() - picture.x);
      }
      EXPECT_GT(words.w, 200);
      EXPECT_LT(words.w, 480) << "no wider than its text";
      for (int body = 1; body < view_->model().nbody; ++body) {
        const mjtNum* x = view_->data().xpos + 3 * body;
        const auto place = view_->PlaceOf({x[0], x[1], x[2]});
        ASSERT_TRUE(place);
        const double right = (*place)[0] * picture.w, y = picture.y + (*place)[1] * picture.h;
        EXPECT_TRUE(right > words.w || y < words.y)
            << body << " at " << right << ", " << y << " in " << size.x << " × " << size.y;
      }
    }
  }
}

TEST_F(TourOfTheWindow, ARunThatRepeatsStartsAnewAtItsEnd) {
  Open("arm7_twist", {"duration_s=0.3"}, false, {}, {"controller.factorization=t:5"});
  Press(ImGuiKey_Backspace);
  EXPECT_FALSE(state_.repeat_s.has_value());
  RepeatRun(&state_);
  const auto turns = [&] {
    return FramesUntil([&] { return snapshot().t > 0.2; }) &&
           FramesUntil([&] { return snapshot().t < 0.1; });
  };
  // A slow machine has lines of its own, behind which it starts anew in a line again.
  const auto& lines = state_.scene->log.lines();
  const auto told = [&] { return std::ranges::count(lines, "Starts anew", &LogLine::text); };
  const auto is_twice = [](const LogLine& a, const LogLine& b) {
    return a.text == "Starts anew" && b.text == a.text;
  };
  ASSERT_TRUE(turns());
  ASSERT_TRUE(turns());
  EXPECT_EQ(std::ranges::adjacent_find(lines, is_twice), lines.end()) << "nothing was done";
  ASSERT_TRUE(FramesUntil([&] { return snapshot().t > 0.1; }));
  const auto before = told();
  Press(ImGuiKey_F3);
  ASSERT_TRUE(FramesUntil([&] { return snapshot().t < 0.1; }));
  EXPECT_GT(told(), before);
  ToggleRepeat(&state_);
  ASSERT_TRUE(FramesUntil([&] { return snapshot().t > 0.5; })) << "it goes on";
}

TEST_F(TourOfTheWindow, ARecordingIsNotCutByRepeating) {
  Open("arm7_twist", {"duration_s=0.2"}, false, folder_.path() / "run");
  RepeatRun(&state_);
  EXPECT_TRUE(FramesUntil([&] { return snapshot().t > 0.5; }));
}

}  // namespace ui_tour_test
}  // namespace civita
