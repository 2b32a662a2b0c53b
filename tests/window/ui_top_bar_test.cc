// The buttons of the top bar.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/window/drawn_frame.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace ui_top_bar_test {

class TopBar : public WindowFrames {
 protected:
  // Of the right half of the bar, where the buttons are.
  std::ptrdiff_t CountLetters() const {
    const Rect bar = layout().top_bar;
    const DrawnFrame frame;
    return std::ranges::count_if(frame.letters, [&](const DrawnLetter& letter) {
      return bar.contains(letter.place.min()) && letter.place.x > bar.middle_x();
    });
  }
  bool HasTint(Rgb tint) const {
    const ImU32 color = ToImU32(tint, state_.ui.theme.tint_alpha);
    const Rect bar = layout().top_bar;
    const DrawnFrame frame;
    return std::ranges::any_of(frame.shapes, [&](const DrawnShape& shape) {
      return shape.color == color && bar.contains(shape.corners[0]);
    });
  }
};

TEST_F(TopBar, ButtonsHaveWordsWhereThereIsRoom) {
  Open("planar_2r", {}, true);
  ImGui::GetStyle().AntiAliasedLinesUseTex = false;
  Frame();
  const std::ptrdiff_t with_words = CountLetters();
  size_.x = 1179;
  Frame();
  Frame();
  // Throw Push Record Picture Light Keys
  EXPECT_EQ(with_words - CountLetters(), 31);
}

TEST_F(TopBar, NothingMovesWhileItRecords) {
  Open("planar_2r", {}, true);
  const Rect before = Find({"runs", 1, "cell"}, layout().top_bar);
  Press(ImGuiKey_F12);
  ASSERT_TRUE(FramesUntil([&] { return snapshot().is_recording; }));
  EXPECT_EQ(Find({"runs", 1, "cell"}, layout().top_bar).x, before.x);
}

TEST_F(TopBar, RecordingIsRed) {
  Open("planar_2r", {}, true);
  ImGui::GetStyle().AntiAliasedLinesUseTex = false;
  EXPECT_FALSE(HasTint(state_.ui.theme.error));
  Press(ImGuiKey_F12);
  ASSERT_TRUE(FramesUntil([&] { return snapshot().is_recording; }));
  Frame();
  EXPECT_TRUE(HasTint(state_.ui.theme.error));
  EXPECT_FALSE(HasTint(state_.ui.theme.accent));
  Press(ImGuiKey_F12);
  ASSERT_TRUE(FramesUntil([&] { return !snapshot().is_recording; }));
}

}  // namespace ui_top_bar_test
}  // namespace civita
