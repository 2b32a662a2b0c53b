#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/window/actions/run_events.h"
#include "app/window/panels/panels.h"
#include "civita/error.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace ui_run_up_test {

using testing::HasSubstr;

class RunUpTest : public WindowFrames {
 protected:
  bool Finish(RunUp* run_up) {
    return FramesUntil([&] { return run_up->Advance(&state_); });
  }
};

TEST_F(RunUpTest, PausesExactlyAtTheTimeWithAllRowsOnTheWay) {
  Open("planar_2r", {}, true);
  RunUp run_up(4.5);  // several portions
  ASSERT_TRUE(Finish(&run_up));
  const double dt = state_.scene->session.control_dt();
  EXPECT_EQ(snapshot().state, RunState::kPaused);
  EXPECT_NEAR(snapshot().t, 4.5, dt / 2);
  EXPECT_EQ(snapshot().newest_t, snapshot().t);
  EXPECT_EQ(state_.scene->session.dropped_rows(), 0);
  // It leaves the run alone from then on.
  RewindTo(&state_, 1);
  ASSERT_TRUE(FramesUntil([&] { return snapshot().t < 2; }));
  EXPECT_TRUE(run_up.Advance(&state_));
  Frame();
  EXPECT_NEAR(snapshot().t, 1, dt);
}

TEST_F(RunUpTest, EndsWhereTheRunFails) {
  Open("chain20", {"gains.Lambda=90000"}, true);
  RunUp run_up(20);
  ASSERT_TRUE(Finish(&run_up));
  EXPECT_EQ(snapshot().state, RunState::kFailed);
  EXPECT_LT(snapshot().t, 20);
}

TEST_F(RunUpTest, HasNothingToDoWithoutATimeOrWhileTheUserPlays) {
  Open("planar_2r", {}, true);
  EXPECT_TRUE(RunUp(std::nullopt).Advance(&state_));
  TogglePlay(&state_);
  ASSERT_TRUE(FramesUntil([&] { return snapshot().state == RunState::kRunning; }));
  EXPECT_TRUE(RunUp(1e3).Advance(&state_));
}

TEST(SideTab, IsFoundInWhateverCaseAndItsNamesAreTold) {
  EXPECT_EQ(FindSideTab("matrix"), kMatrixTab);
  EXPECT_EQ(FindSideTab("LOG"), kLogTab);
  try {
    FindSideTab("matri");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("Matrix"));
  }
}

}  // namespace ui_run_up_test
}  // namespace civita
