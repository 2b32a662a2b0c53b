// That all text reads on what is behind it, computed from what a frame draws.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/window/drawn_frame.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace ui_contrast_test {

constexpr double kLeast = 4.5;  // WCAG 2.1, AA

using Color = std::array<float, 3>;

Color Over(Color ground, ImU32 color) {
  const float alpha = static_cast<float>(color >> IM_COL32_A_SHIFT & 0xFFu) / 255;
  const std::array<ImU32, 3> shifts = {IM_COL32_R_SHIFT, IM_COL32_G_SHIFT, IM_COL32_B_SHIFT};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto channel = static_cast<float>(color >> shifts[i] & 0xFFu);
    ground[i] += alpha * (channel - ground[i]);
  }
  return ground;
}

Rgb ToRgb(const Color& color) {
  Rgb rgb = 0;
  for (const float channel : color) rgb = rgb << 8 | static_cast<Rgb>(std::lround(channel));
  return rgb;
}

// Ink and ground of the letters of a frame that do not read, and where. A picture behind a letter
// is taken as the darkest and as the lightest.
std::string Unreadable(const DrawnFrame& frame) {
  std::map<std::pair<Rgb, Rgb>, ImVec2> found;
  for (const DrawnLetter& letter : frame.letters) {
    const ImVec2 at(letter.place.middle_x(), letter.place.middle_y());
    Color dark = {0, 0, 0}, light = {0, 0, 0};
    for (std::size_t i = 0; i < letter.shapes; ++i) {
      const DrawnShape& shape = frame.shapes[i];
      if (!shape.Contains(at)) continue;
      dark = shape.is_picture ? Color{0, 0, 0} : Over(dark, shape.color);
      light = shape.is_picture ? Color{255, 255, 255} : Over(light, shape.color);
    }
    for (const Color& ground : {dark, light}) {
      const auto pair = std::pair(ToRgb(Over(ground, letter.color)), ToRgb(ground));
      if (Contrast(pair.first, pair.second) < kLeast) found.emplace(pair, at);
    }
  }
  std::ostringstream out;
  for (const auto& [pair, at] : found) {
    out << std::hex << "  " << pair.first << " on " << pair.second << std::dec << ": "
        << Contrast(pair.first, pair.second) << " at " << at.x << ", " << at.y << "\n";
  }
  return out.str();
}

class Contrasts : public WindowFrames, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override { state_.ui.theme = GetParam() ? kDarkTheme : kLightTheme; }
  void Begin(const char* scene, const std::vector<std::string>& overrides = {},
             const std::vector<std::string>& compared = {}) {
    Open(scene, overrides, false, {}, compared);
    ImGui::GetStyle().AntiAliasedLinesUseTex = false;  // letters alone have textures
    ASSERT_TRUE(FramesUntil([&] { return snapshot().t > 0.4; }));
    Post(&state_, command::Pause{});
    Frame();
  }
  // Of what is shown after some frames, so that the mouse is nowhere and fading has ended.
  void Reads(const std::string& what, std::size_t least_letters = 200) {
    Point(-1, -1);
    for (int i = 0; i < 3; ++i) Frame();
    const DrawnFrame frame;
    EXPECT_GT(frame.letters.size(), least_letters) << what;
    EXPECT_EQ(Unreadable(frame), "") << what;
  }
};

TEST_P(Contrasts, OfAllTabsOfTwoRuns) {
  Begin("arm7_twist", {}, {"controller.factorization=t:5"});
  for (const std::string_view tab : SideTabs(*state_.scene)) {
    state_.tab = tab;
    Reads(std::string(tab));
  }
  state_.marks.sentence = true;
  Reads("sentence");
  state_.selected_span = {.from = 0.1, .to = 0.3};
  Reads("span");
}

TEST_P(Contrasts, OfSheetsAndLists) {
  Begin("planar_2r");
  const auto reads_after = [&](const char* what, ImGuiKey key, bool ctrl) {
    Press(key, ctrl);
    Reads(what);
    Press(ImGuiKey_Escape);
    Frame();
  };
  reads_after("actions", ImGuiKey_K, true);
  reads_after("jobs", ImGuiKey_J, true);
  reads_after("scenes", ImGuiKey_N, true);
  state_.launcher.recent = {"/tmp/robot.urdf"};
  Press(ImGuiKey_O, true);
  state_.launcher.error = "robot.urdf: no such file";
  Reads("files");
  Press(ImGuiKey_Escape);
  ShowToast(&state_, "What is wrong", true);
  Reads("toast");
  Press(ImGuiKey_F12);
  ASSERT_TRUE(FramesUntil([&] { return snapshot().is_recording; }));
  Reads("recording");
  Press(ImGuiKey_F12);
  ASSERT_TRUE(FramesUntil([&] { return !snapshot().is_recording; }));
}

TEST_P(Contrasts, OfLegs) {
  Begin("quadruped");
  Reads("legs");
  state_.tab = kDriveTab;
  Reads("drive");
}

TEST_P(Contrasts, OfARunThatFailedAndOfTheTour) {
  Open("chain20", {"gains.Lambda=90000"});
  ImGui::GetStyle().AntiAliasedLinesUseTex = false;
  ASSERT_TRUE(FramesUntil([&] { return snapshot().state == RunState::kFailed; }));
  Reads("failure");
  state_.tab = kLogTab;
  state_.tour.Go(0);
  Reads("tour");
}

INSTANTIATE_TEST_SUITE_P(Both, Contrasts, testing::Bool(),
                         [](const auto& dark) { return dark.param ? "Dark" : "Light"; });

}  // namespace ui_contrast_test
}  // namespace civita
