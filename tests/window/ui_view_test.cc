// Marks, cameras and handles over the 3-D view.
#include <gtest/gtest.h>
#include <malloc.h>

#include <array>
#include <cmath>
#include <string>

#include "app/window/render/decor.h"
#include "tests/sanitizers.h"
#include "tests/window/drawn_frame.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace ui_view_test {

class ViewInTheWindow : public WindowFrames {};

TEST_F(ViewInTheWindow, EscClosesAnOpenListBeforeItClearsTheSelection) {
  Open("arm7", {}, true);
  for (double x = 0.2; x < 0.8 && view_->selected_body() == 0; x += 0.02) view_->SelectAt(x, 0.5);
  const int body = view_->selected_body();
  ASSERT_GT(body, 0);
  Click(Find({"camera"}, PictureArea(state_.ui, layout().view)));
  Frame();
  ASSERT_TRUE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
  Press(ImGuiKey_Escape);
  EXPECT_FALSE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
  EXPECT_EQ(view_->selected_body(), body);
  Press(ImGuiKey_Escape);
  EXPECT_EQ(view_->selected_body(), 0);
}

TEST_F(ViewInTheWindow, HomeAndCtrlABringTheFirstCameraBack) {
  Open("arm7", {}, true);
  const auto picture = [&] {
    view_->RenderStill();
    return view_->Snapshot().rgb;
  };
  const auto difference = [](const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) {
    int largest = 0;
    for (size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
  };
  Press(ImGuiKey_Home);
  const std::vector<uint8_t> first = picture();
  for (const bool ctrl : {false, true}) {
    view_->MoveCamera(mjMOUSE_ROTATE_V, 0.3, 0.1);
    view_->MoveCamera(mjMOUSE_MOVE_V, 0.2, 0.1);
    EXPECT_GT(difference(picture(), first), 50);
    Press(ctrl ? ImGuiKey_A : ImGuiKey_Home, ctrl);
    EXPECT_LE(difference(picture(), first), 3);
  }
}

TEST_F(ViewInTheWindow, HiddenPanelsLeaveHandles) {
  Open("arm7", {}, true);
  Press(ImGuiKey_Tab);
  ASSERT_FALSE(state_.panels.side);
  Click(Find({"show side"}, layout().view));
  EXPECT_TRUE(state_.panels.side);
  state_.panels.plots = false;
  Frame();
  Click(Find({"show plots"}, layout().view));
  EXPECT_TRUE(state_.panels.plots);
}

TEST_F(ViewInTheWindow, TheCameraCanBeChosenWhileComparing) {
  Open("arm7", {}, true);
  ToggleComparison(&state_);
  ASSERT_TRUE(FramesUntil([&] { return state_.scene->is_comparing(); }));
  Find({"camera"}, PictureArea(state_.ui, layout().view));  // fails if it is not there
}

TEST_F(ViewInTheWindow, ALongNameLeavesRoomForTheLists) {
  std::string name = "the_tool_of_the_left_arm";
  for (int i = 0; i < 3; ++i) name += "_" + name;
  folder_.Write("long.xml", "<mujoco><worldbody><body name='" + name + R"('>
    <joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0 0 -0.5' size='0.04'/>
  </body></worldbody></mujoco>)");
  for (const ImVec2 size : {ImVec2(1024, 700), ImVec2(1280, 800)}) {
    size_ = size;
    Open((folder_.path() / "long.xml").string(), {}, true);
    ImGui::GetStyle().AntiAliasedLinesUseTex = false;
    const Rect picture = PictureArea(state_.ui, layout().view);
    const Rect marks = Find({"marks"}, picture);
    EXPECT_LT(marks.y, picture.y + 20) << "beside the legend";
    Point(1, 1);
    Frame();
    for (const DrawnLetter& letter : DrawnFrame().letters) {
      const Rect& place = letter.place;
      if (place.w == 0 || place.x < picture.x || place.x > marks.x) continue;
      if (std::abs(place.middle_y() - marks.middle_y()) > 10) continue;
      EXPECT_LT(place.right(), marks.x - 4);
    }
  }
}

TEST_F(ViewInTheWindow, MarksAreSwitchedByKeysAndInTheList) {
  Open("arm7", {}, true);
  Press(ImGuiKey_G, true);
  EXPECT_TRUE(state_.marks.reference_ghost);
  Press(ImGuiKey_T, true);
  EXPECT_TRUE(state_.marks.torques);
  Press(ImGuiKey_E, true);
  EXPECT_TRUE(state_.marks.sliding);
  Press(ImGuiKey_F, true);  // no feet
  EXPECT_FALSE(state_.marks.cones);
  Click(Find({"marks"}, PictureArea(state_.ui, layout().view)));
  Frame();
  Type("reference robot");
  Frame();
  Press(ImGuiKey_Enter);
  EXPECT_FALSE(state_.marks.reference_ghost);
}

TEST_F(ViewInTheWindow, FlagsOfMujocoAreInTheListAndNoLetterOrDigitActs) {
  Open("arm7", {}, true);
  const std::vector<int> first = Flags();
  EXPECT_GT(first.size(), 40u);
  for (int key = ImGuiKey_0; key <= ImGuiKey_Z; ++key) Press(static_cast<ImGuiKey>(key));
  EXPECT_EQ(Flags(), first);
  Click(Find({"marks"}, PictureArea(state_.ui, layout().view)));
  Frame();
  Type("geometry group 1");
  Frame();
  Press(ImGuiKey_Enter);
  EXPECT_NE(Flags(), first);
  Press(ImGuiKey_Home);
  EXPECT_EQ(Flags(), first);
}

TEST_F(ViewInTheWindow, FunctionKeysActWhileANumberIsTyped) {
  Open("arm7", {}, true);
  const Rect track = FindFirstTrack();
  Click(track.x + 0.5f * track.w, track.y);
  Press(ImGuiKey_Enter);
  Frame();
  ASSERT_NE(state_.slider.editing, 0u);
  Type("3");
  Press(ImGuiKey_F6);
  EXPECT_EQ(view_->options().frame, mjFRAME_BODY);
}

TEST_F(ViewInTheWindow, FramesAndLabelsOfMujocoCycle) {
  Open("arm7", {}, true);
  Press(ImGuiKey_F6);
  EXPECT_EQ(view_->options().frame, mjFRAME_BODY);
  Press(ImGuiKey_F7);
  EXPECT_EQ(view_->options().label, mjLABEL_BODY);
  for (int i = 1; i < mjNFRAME; ++i) Press(ImGuiKey_F6);
  EXPECT_EQ(view_->options().frame, mjFRAME_NONE);
}

TEST_F(ViewInTheWindow, AGhostAtTheReferenceShows) {
  Open("arm7", {}, true);
  view_->RenderStill();
  const std::vector<uint8_t> alone = view_->Snapshot().rgb;
  std::vector<double> turned(snapshot().qpos.begin(), snapshot().qpos.end());
  turned[0] += 1;
  view_->SetReferenceGhost(turned);
  EXPECT_TRUE(view_->has_reference_ghost());
  view_->RenderStill();
  EXPECT_NE(view_->Snapshot().rgb, alone);
  view_->SetReferenceGhost({});
  view_->RenderStill();
  EXPECT_EQ(view_->Snapshot().rgb, alone);
}

// One arrow for a hinge, along its axis, in proportion to its number.
TEST_F(ViewInTheWindow, ArrowsOfJointsPointAlongTheirAxes) {
  Open("planar_2r", {}, true);
  const mjModel& m = view_->model();
  const std::vector<double> values = {2, -1};
  const std::vector<ColoredArrow> arrows = JointArrows(m, view_->data(), values, 4, 0.8, 0x123456);
  ASSERT_EQ(arrows.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    for (size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(arrows[i].way[k], 0.8 / 4 * values[i] * view_->data().xaxis[3 * i + k], 1e-12);
      EXPECT_NEAR(arrows[i].point[k], view_->data().xanchor[3 * i + k], 1e-12);
    }
  }
  EXPECT_TRUE(JointArrows(m, view_->data(), values, 0, 1, 0).empty());
}

#ifndef CIVITA_ADDRESS_SANITIZER  // which keeps what was freed
// What is allocated in this process, MB; resident memory comes and goes with what the allocator
// keeps.
double AllocatedMb() {
  const struct mallinfo2 heaps = mallinfo2();
  return static_cast<double>(heaps.uordblks + heaps.hblkhd) / 1e6;
}

TEST_F(ViewInTheWindow, MemoryStaysFlatOverManyScenes) {
  constexpr std::array kScenes = {"arm7", "quadruped", "tree20", "planar_2r", "ball_arm"};
  constexpr int kRounds = 5;
  constexpr double kGrowth = 2;  // MB over 25 scenes, less than one of them
  Open("arm7", {}, true);
  // The least of some rounds, since what threads hold for a while comes and goes.
  const auto least_of_rounds = [&] {
    double least = 1e9;
    for (int round = 0; round < kRounds; ++round) {
      for (const char* scene : kScenes) {
        OpenScene(&state_, scene);
        while (!UpdateState(&state_)) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        view_ = std::make_unique<View3d>(*state_.scene->session.mj(), state_.ui.theme, kQuick);
        Frame();
        view_->Render();
      }
      least = std::min(least, AllocatedMb());
    }
    return least;
  };
  const double before = least_of_rounds();
  EXPECT_LT(least_of_rounds() - before, kGrowth);
}
#endif

}  // namespace ui_view_test
}  // namespace civita
