// A walk through the whole window: every tab of many scenes, and every key of the table of keys.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

#include "app/window/actions/action_table.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace window_walk_test {

class WindowWalk : public WindowFrames {
 protected:
  void Answer() {
    EXPECT_TRUE(FramesUntil([&] { return state_.scene->session.HasAnswered(snapshot()); }));
    Frame();
  }
  /// To a state in the middle of a run, paused.
  void TakeSteps(long steps) {
    Post(&state_, command::Pause{});
    Answer();
    const long to = snapshot().step + steps;
    Post(&state_, command::StepOnce{steps});
    ASSERT_TRUE(FramesUntil([&] { return snapshot().step == to; }));
    Answer();
  }
  std::string Text() const { return state_.toast.text; }

  /// Pressed twice, a key changes what `read` says and changes it back.
  template <typename Read>
  void Toggles(ImGuiKey key, bool ctrl, Read read) {
    const auto before = read();
    Press(key, ctrl);
    EXPECT_NE(read(), before);
    Press(key, ctrl);
    EXPECT_EQ(read(), before);
  }
  /// One key changes a value, another one changes it back.
  template <typename Read>
  void GoesThereAndBack(ImGuiKey key, ImGuiKey back, bool ctrl, Read read) {
    const auto before = read();
    Press(key, ctrl);
    Answer();
    EXPECT_NE(read(), before);
    Press(back, ctrl);
    Answer();
    EXPECT_EQ(read(), before);
  }
  void IsClosedByEsc(const std::function<bool()>& is_open) {
    EXPECT_TRUE(is_open());
    Frame();
    Press(ImGuiKey_Escape);
    EXPECT_FALSE(is_open());
  }
  static bool IsPopupOpen() { return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup); }
};

/// A user's robot: two links and a joint between them, without anything else.
constexpr const char* kUrdf = R"(<robot name="own"><link name="base"/>
  <link name="arm"><inertial><origin xyz="0 0 0.2"/><mass value="2"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0 0 0.2"/><geometry><box size="0.1 0.1 0.4"/></geometry></visual></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/>
    <axis xyz="0 1 0"/></joint></robot>)";

TEST_F(WindowWalk, EveryTabOfEveryKindOfScene) {
  const std::string own = folder_.Write("own.urdf", kUrdf);
  Open("planar_2r", {}, true);
  for (const std::string& scene :
       {std::string("arm7"), std::string("arm7_circle"), std::string("arm7_payload_adaptive"),
        std::string("ball_arm"), std::string("four_bar"), std::string("space_arm"),
        std::string("quadruped"), std::string("quadruped_blocks"), std::string("biped_walk"),
        own}) {
    SCOPED_TRACE(scene);
    const std::string before = state_.scene->title;
    OpenScene(&state_, scene);
    ASSERT_TRUE(FramesUntil([&] { return !state_.loader.is_loading(); }));
    ASSERT_NE(state_.scene->title, before);
    TakeSteps(20);
    std::set<std::string_view> seen;
    for (const ImVec2 size : {ImVec2(1024, 700), ImVec2(1280, 800), ImVec2(1920, 1080)}) {
      size_ = size;
      for (const char* tab : {"Tune", "Matrix", "Drive", "Push", "Log"}) {
        state_.tab = tab;
        Frame();
        Frame();
        seen.insert(state_.tab);
      }
    }
    const bool has_legs = state_.scene->session.scene().legs != nullptr;
    EXPECT_EQ(seen.size(), has_legs ? 5u : 4u);
    size_ = ImVec2(kWidth, kHeight);
    const Rect& side = layout().side;
    seen.clear();
    for (int i = 0; i < 4 + (has_legs ? 1 : 0); ++i) {
      Click(Find({"side tabs", i, "tab"}, {side.x, side.y, side.w, state_.ui.px(40)}));
      seen.insert(state_.tab);
      EXPECT_EQ(static_cast<int>(seen.size()), i + 1) << state_.tab;
    }
    EXPECT_EQ(state_.tab, kLogTab);
    EXPECT_TRUE(IsFinite());
    EXPECT_EQ(CountErrors(), 0) << state_.scene->log.lines().back().text;
    EXPECT_FALSE(IsPopupOpen());
  }
}

TEST_F(WindowWalk, EveryKeyOfTheTable) {
  Open("quadruped", {}, true);
  TakeSteps(40);
  const auto time = [&] { return snapshot().step; };
  const auto marks = [&](bool ViewMarks::*mark) {
    return [&, mark] { return state_.marks.*mark; };
  };
  const auto gain = [&] { return state_.scene->tuning().current().gains[0][0]; };
  const auto drive = [&] {
    const DriveCommand wanted = state_.scene->drive.value_or(DriveCommand{});
    return std::tuple(wanted.velocity[0], wanted.velocity[1], wanted.yaw_rate);
  };
  const auto choose_slider = [&] {
    Press(ImGuiKey_Escape);
    const Rect track = FindFirstTrack();
    Click(track.x + 0.5f * track.w, track.y);
    Answer();
  };
  const auto open = [&](const std::string& scene) {
    OpenScene(&state_, scene);
    EXPECT_TRUE(FramesUntil([&] { return !state_.loader.is_loading(); }));
    TakeSteps(40);
  };
  const std::vector<int> first_flags = Flags();
  // The keys as the table names them. Those of a robot that stands, then those that another scene
  // or the running simulation needs, and what closes things last.
  using Check = std::function<void()>;
  const std::vector<std::pair<std::string, Check>> checks = {
      {"→ / ←", [&] { GoesThereAndBack(ImGuiKey_RightArrow, ImGuiKey_LeftArrow, false, time); }},
      {"+ / −",
       [&] {
         GoesThereAndBack(ImGuiKey_Equal, ImGuiKey_Minus, false,
                          [&] { return state_.scene->session.target_speed(); });
       }},
      {"shift-→ / ctrl-→ / shift-← / ctrl-←",
       [&] {
         const long before = snapshot().step;
         PressShift(ImGuiKey_RightArrow);
         EXPECT_TRUE(FramesUntil([&] { return snapshot().step == before + 10; }));
         Press(ImGuiKey_RightArrow, true);
         EXPECT_TRUE(FramesUntil([&] { return snapshot().step == before + 110; }));
         PressShift(ImGuiKey_LeftArrow);
         EXPECT_TRUE(FramesUntil([&] { return snapshot().step == before + 100; }));
         Press(ImGuiKey_LeftArrow, true);
         EXPECT_TRUE(FramesUntil([&] { return snapshot().step == before; }));
         PressShift(ImGuiKey_RightArrow);
         Press(ImGuiKey_RightArrow, true);
         EXPECT_TRUE(FramesUntil([&] { return snapshot().step == before + 110; }));
       }},
      {"ctrl-B",
       [&] {
         Press(ImGuiKey_B, true);
         EXPECT_THAT(Text(), testing::HasSubstr("one branch"));
         RewindTo(&state_, 20 * state_.scene->session.control_dt());
         Answer();
         PushNow(&state_);
         Answer();
         TakeSteps(1);
         EXPECT_FALSE(std::isnan(snapshot().branch_t));
         Toggles(ImGuiKey_B, true, [&] {
           Answer();
           return snapshot().newest_t;
         });
       }},
      {"space",
       [&] {
         Press(ImGuiKey_Space);
         EXPECT_TRUE(FramesUntil([&] { return snapshot().state == RunState::kRunning; }));
         Press(ImGuiKey_Space);
         EXPECT_TRUE(FramesUntil([&] { return snapshot().state == RunState::kPaused; }));
       }},
      {"backspace",
       [&] {
         Press(ImGuiKey_Backspace);
         EXPECT_TRUE(FramesUntil([&] { return time() == 0; }));
         TakeSteps(40);
       }},
      {"shift-backspace",
       [&] {
         PressShift(ImGuiKey_Backspace);
         EXPECT_TRUE(state_.repeat_s.has_value());
         PressShift(ImGuiKey_Backspace);
         EXPECT_FALSE(state_.repeat_s.has_value());
       }},
      {"F2",
       [&] {
         Press(ImGuiKey_F2);
         EXPECT_EQ(Text(), "Compare two runs first");
       }},
      {"ctrl-C",
       [&] {
         Press(ImGuiKey_C, true);
         EXPECT_THAT(ImGui::GetClipboardText(), testing::HasSubstr("civita run"));
       }},
      {"F3",
       [&] {
         Press(ImGuiKey_F3);
         EXPECT_THAT(Text(), testing::HasSubstr("Thrown off"));
         Answer();
       }},
      {"F10",
       [&] {
         const std::size_t before = state_.scene->pushes.size();
         Press(ImGuiKey_F10);
         EXPECT_EQ(state_.scene->pushes.size(), before + 1);
         Answer();
       }},
      {"F11",
       [&] {
         Press(ImGuiKey_F11);
         EXPECT_TRUE(state_.scene->drive.has_value());
         Answer();
       }},
      {"↑ / ↓", [&] { GoesThereAndBack(ImGuiKey_UpArrow, ImGuiKey_DownArrow, false, drive); }},
      {"← / →", [&] { GoesThereAndBack(ImGuiKey_LeftArrow, ImGuiKey_RightArrow, false, drive); }},
      {"shift-← / shift-→",
       [&] {
         const auto before = drive();
         PressShift(ImGuiKey_LeftArrow);
         EXPECT_NE(drive(), before);
         PressShift(ImGuiKey_RightArrow);
         EXPECT_EQ(drive(), before);
       }},
      {"end",
       [&] {
         const auto in_place = drive();
         Press(ImGuiKey_UpArrow);
         EXPECT_NE(drive(), in_place);
         Press(ImGuiKey_End);
         EXPECT_EQ(drive(), in_place);
         Press(ImGuiKey_F11);
         EXPECT_FALSE(state_.scene->drive.has_value());
         Answer();
       }},
      {"F9", [&] { Toggles(ImGuiKey_F9, false, [&] { return state_.shows_stance; }); }},
      {"ctrl-F", [&] { Toggles(ImGuiKey_F, true, marks(&ViewMarks::cones)); }},
      {"ctrl-T / ctrl-E",
       [&] {
         Toggles(ImGuiKey_T, true, marks(&ViewMarks::torques));
         Toggles(ImGuiKey_E, true, marks(&ViewMarks::sliding));
       }},
      {"ctrl-G",
       [&] {
         Press(ImGuiKey_G, true);
         EXPECT_FALSE(state_.marks.reference_ghost) << "on legs";
         open("arm7");
         Toggles(ImGuiKey_G, true, marks(&ViewMarks::reference_ghost));
       }},
      {"esc",
       [&] {
         Click(Find({"marks"}, layout().view));
         IsClosedByEsc(IsPopupOpen);
         view_->SetCamera(1);
         Press(ImGuiKey_Escape);
         EXPECT_EQ(view_->camera_choice(), 0);
       }},
      {"home / ctrl-A",
       [&] {
         for (const bool ctrl : {false, true}) {
           view_->SetCamera(1);
           for (const View3d::Flag& flag : view_->flags()) *flag.value = *flag.value == 0 ? 1 : 0;
           Press(ctrl ? ImGuiKey_A : ImGuiKey_Home, ctrl);
           EXPECT_EQ(view_->camera_choice(), 0);
           EXPECT_EQ(Flags(), first_flags);
         }
       }},
      {"[ / ]",
       [&] {
         ASSERT_GT(view_->cameras().size(), 1u);
         const int before = view_->camera_choice();
         Type("]");  // as a character, wherever a layout has it
         EXPECT_NE(view_->camera_choice(), before);
         Type("[");
         EXPECT_EQ(view_->camera_choice(), before);
       }},
      {"F6 / F7",
       [&] {
         for (int i = 0; i < mjNFRAME; ++i) Press(ImGuiKey_F6);
         EXPECT_EQ(view_->options().frame, mjFRAME_NONE);
         for (int i = 0; i < mjNLABEL; ++i) Press(ImGuiKey_F7);
         EXPECT_EQ(view_->options().label, mjLABEL_NONE);
       }},
      {"sliders: ↑ / ↓",
       [&] {
         choose_slider();
         const double before = gain();
         Press(ImGuiKey_UpArrow);
         EXPECT_GT(gain(), before);
         Press(ImGuiKey_DownArrow);
         EXPECT_NEAR(gain(), before, 1e-9);
       }},
      {"enter",
       [&] {
         choose_slider();
         Press(ImGuiKey_Enter);
         EXPECT_NE(state_.slider.editing, 0u);
         Frame();
         Frame();
         Press(ImGuiKey_Escape);
         EXPECT_EQ(state_.slider.editing, 0u);
       }},
      {"delete",
       [&] {
         choose_slider();
         Press(ImGuiKey_UpArrow);
         Press(ImGuiKey_Delete);
         EXPECT_NEAR(gain(), state_.scene->tuned().of_scene.gains[0][0], 1e-9);
         Press(ImGuiKey_Escape);
       }},
      {"ctrl-Z / ctrl-Y",
       [&] {
         choose_slider();
         GoesThereAndBack(ImGuiKey_Z, ImGuiKey_Y, true, gain);
       }},
      {"ctrl-R",
       [&] {
         choose_slider();
         Press(ImGuiKey_R, true);
         Answer();
         EXPECT_NEAR(gain(), state_.scene->tuned().of_scene.gains[0][0], 1e-9);
       }},
      {"tab / shift-tab",
       [&] {
         Toggles(ImGuiKey_Tab, false, [&] { return state_.panels.side; });
         PressShift(ImGuiKey_Tab);
         EXPECT_FALSE(state_.panels.plots);
         PressShift(ImGuiKey_Tab);
         EXPECT_TRUE(state_.panels.plots);
       }},
      {"ctrl-tab", [&] { Toggles(ImGuiKey_Tab, true, [&] { return state_.by_keys; }); }},
      {"ctrl-D", [&] { Toggles(ImGuiKey_D, true, [&] { return state_.link != nullptr; }); }},
      {"F1 / ctrl-K",
       [&] {
         Press(ImGuiKey_F1);
         IsClosedByEsc(IsPopupOpen);
         Press(ImGuiKey_K, true);
         IsClosedByEsc(IsPopupOpen);
       }},
      {"F5",
       [&] {
         Press(ImGuiKey_F5);
         EXPECT_TRUE(state_.requests.toggle_fullscreen);
       }},
      {"F8", [&] { Toggles(ImGuiKey_F8, false, [&] { return state_.ui.theme.dark; }); }},
      {"ctrl-+ / ctrl-−",
       [&] {
         GoesThereAndBack(ImGuiKey_Equal, ImGuiKey_Minus, true, [&] { return state_.zoom; });
       }},
      {"ctrl-0",
       [&] {
         Press(ImGuiKey_Equal, true);
         Press(ImGuiKey_0, true);
         EXPECT_EQ(state_.zoom, 1);
       }},
      {"ctrl-P",
       [&] {
         Press(ImGuiKey_P, true);
         EXPECT_TRUE(state_.requests.screenshot);
       }},
      {"F12",
       [&] {
         Press(ImGuiKey_F12);
         EXPECT_TRUE(FramesUntil([&] { return snapshot().is_recording; }));
         const auto before = time();
         Press(ImGuiKey_Space);
         EXPECT_TRUE(FramesUntil([&] { return time() > before; }));
         Press(ImGuiKey_Space);
         Press(ImGuiKey_F12);
         EXPECT_TRUE(FramesUntil([&] { return !snapshot().is_recording && !state_.recording; }));
       }},
      {"ctrl-O",
       [&] {
         Press(ImGuiKey_O, true);
         EXPECT_TRUE(state_.launcher.shows_files);
         IsClosedByEsc([&] { return state_.launcher.is_open; });
       }},
      {"ctrl-N",
       [&] {
         Press(ImGuiKey_N, true);
         EXPECT_FALSE(state_.launcher.shows_files);
         IsClosedByEsc([&] { return state_.launcher.is_open; });
       }},
      {"ctrl-J",
       [&] {
         Press(ImGuiKey_J, true);
         IsClosedByEsc([&] { return state_.jobs.is_open; });
       }},
      {"ctrl-L",
       [&] {
         EXPECT_GT(time(), 0);
         Press(ImGuiKey_L, true);
         EXPECT_TRUE(FramesUntil([&] { return !state_.loader.is_loading() && time() == 0; }));
       }},
      {"ctrl-Q",
       [&] {
         EXPECT_FALSE(state_.requests.quit);
         Press(ImGuiKey_Q, true);
         EXPECT_TRUE(state_.requests.quit);
       }},
  };
  std::string checked = " / ";
  for (const auto& [keys, check] : checks) {
    SCOPED_TRACE(keys);
    check();
    EXPECT_FALSE(IsPopupOpen());
    EXPECT_EQ(CountErrors(), 0) << state_.scene->log.lines().back().text;
    checked += keys + " / ";
  }
  // No key of the table is forgotten here. The mouse has tests of its own.
  for (const Action& action : Actions()) {
    if (action.chord.key == ImGuiKey_None) continue;
    EXPECT_THAT(checked, testing::HasSubstr(" / " + KeyText(action) + " / ")) << action.name;
  }
}

}  // namespace window_walk_test
}  // namespace civita
