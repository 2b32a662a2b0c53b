#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/window/window_frames.h"

namespace civita {
namespace ui_legs_test {

using testing::HasSubstr;

class LegsInTheWindow : public WindowFrames {
 protected:
  // Whether the simulation eventually gives the robot this command.
  bool IsTold(double forward, double left, double turn) {
    return FramesUntil([&] {
      const BodyCommand& body = snapshot().body;
      return body.walk && (body.velocity - Eigen::Vector2d(forward, left)).norm() < 1e-9 &&
             std::abs(body.yaw_rate - turn) < 1e-9;
    });
  }
};

TEST_F(LegsInTheWindow, ArrowKeysDriveARobotAndGiveItBack) {
  Open("quadruped");
  ASSERT_TRUE(FramesUntil([&] { return snapshot().t > 0.02; }));
  Press(ImGuiKey_UpArrow);
  EXPECT_FALSE(state_.scene->drive.has_value()) << "without being asked";
  Press(ImGuiKey_F11);
  ASSERT_TRUE(state_.scene->drive.has_value());
  EXPECT_THAT(state_.toast.text, HasSubstr("arrow keys"));
  EXPECT_TRUE(IsTold(0, 0, 0));

  Press(ImGuiKey_UpArrow);
  Press(ImGuiKey_UpArrow);
  Press(ImGuiKey_DownArrow);
  Press(ImGuiKey_LeftArrow);
  PressShift(ImGuiKey_RightArrow);
  EXPECT_TRUE(IsTold(0.1, -0.1, 0.2));
  EXPECT_EQ(snapshot().state, RunState::kRunning) << "the arrows moved in time";
  for (int i = 0; i < 30; ++i) Press(ImGuiKey_RightArrow);
  EXPECT_EQ(state_.scene->drive->yaw_rate, -kMaxDriveYawRate);

  Press(ImGuiKey_End);
  EXPECT_TRUE(IsTold(0, 0, 0));
  EXPECT_EQ(snapshot().state, RunState::kRunning);
  EXPECT_EQ(state_.tab, kDriveTab);
  Press(ImGuiKey_Space);
  EXPECT_TRUE(FramesUntil([&] { return snapshot().state == RunState::kPaused; }));
  Press(ImGuiKey_Space);
  EXPECT_TRUE(FramesUntil([&] { return snapshot().state == RunState::kRunning; }));
  Press(ImGuiKey_F11);
  EXPECT_FALSE(state_.scene->drive.has_value());
  EXPECT_TRUE(FramesUntil([&] { return !snapshot().body.walk; }));
  Press(ImGuiKey_Space);
  EXPECT_TRUE(FramesUntil([&] { return snapshot().state == RunState::kPaused; }));
}

TEST_F(LegsInTheWindow, ThePanelDrivesAndResetForgetsIt) {
  Open("quadruped");
  state_.tab = "Drive";
  Frame();
  const Rect track = FindTrack("forward");
  const auto drag = [&] { Drag(track.middle_x(), track.x + 0.75f * track.w, track.y); };
  drag();
  EXPECT_FALSE(state_.scene->drive.has_value()) << "a slider that shows the reference's was moved";
  Click(Find({"drive"}, layout().side));
  ASSERT_TRUE(state_.scene->drive.has_value());
  drag();
  ASSERT_NEAR(state_.scene->drive->velocity[0], 0.5, 0.02);
  const double slid = state_.scene->drive->velocity[0];
  Press(ImGuiKey_UpArrow);  // controls the robot, although the slider was clicked last
  EXPECT_NEAR(state_.scene->drive->velocity[0], 0.1 * std::round(10 * slid + 1), 1e-9);
  Click(Find({"stop"}, layout().side));
  EXPECT_EQ(state_.scene->drive->velocity.norm(), 0);
  Press(ImGuiKey_Backspace);
  EXPECT_FALSE(state_.scene->drive.has_value());
  EXPECT_TRUE(FramesUntil([&] { return !snapshot().body.walk; }));
}

TEST_F(LegsInTheWindow, ArmsAreNotDriven) {
  Open("arm7", {}, true);
  Press(ImGuiKey_F11);
  EXPECT_FALSE(state_.scene->drive.has_value());
  EXPECT_TRUE(state_.toast.is_error);
  state_.tab = "Drive";
  Frame();
  EXPECT_EQ(state_.tab, kTuneTab) << "a tab that arms have not";
}

// The control steps of the push transmit the impulse given in the form.
TEST_F(LegsInTheWindow, ARobotIsPushedAsAWholeByAnImpulse) {
  Open("quadruped", {"control.rate_hz=500"}, true);
  ASSERT_TRUE(PushesWhole(*state_.scene));
  state_.scene->push.impulse = 6;
  state_.scene->push.elevation_deg = 90;
  state_.scene->push.duration_ms = 50;
  PushNow(&state_);
  ASSERT_EQ(state_.scene->pushes.size(), 1u);
  const Push& push = state_.scene->pushes[0].push;
  EXPECT_TRUE(push.of_tree);
  EXPECT_NEAR(push.force[2], 0.5 * std::numbers::pi * 6 / 0.05, 0.01 * push.force[2]);
  double sum = 0;
  for (int k = 0; k < 25; ++k) sum += 0.002 * push.ShareAt(push.start_s + 0.002 * k, 0.002);
  EXPECT_NEAR(sum * push.force[2], 6, 1e-9);
  EXPECT_NEAR(ImpulseOf(push), 6, 0.02);
  EXPECT_THAT(LastLine(LogLine::Kind::kAction), HasSubstr("Push on whole robot: "));
  state_.scene->push.body_choice = 1;
  PushNow(&state_);
  EXPECT_FALSE(state_.scene->pushes[1].push.of_tree);
  EXPECT_EQ(state_.scene->pushes[1].push.shape, PushShape::kConstant);
}

}  // namespace ui_legs_test
}  // namespace civita
