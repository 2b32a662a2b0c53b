#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include "app/window/glfw_window.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace input_queue_test {

TEST(ScaleOfResolution, GrowsFromFourThousandPixelsOn) {
  EXPECT_EQ(ScaleOfResolution(1280, 800), 1);
  EXPECT_EQ(ScaleOfResolution(1920, 1080), 1);
  EXPECT_EQ(ScaleOfResolution(2560, 1600), 1);
  EXPECT_EQ(ScaleOfResolution(3840, 1600), 1) << "wide, not high";
  EXPECT_EQ(ScaleOfResolution(3840, 2160), 1.5);
  EXPECT_EQ(ScaleOfResolution(5120, 2880), 2);
}

TEST(FirstSize, IsMostOfTheScreenAndNoLessThanItNeeds) {
  EXPECT_EQ(FirstSize(1920, 1, 1280), 1632);
  EXPECT_EQ(FirstSize(3840, 1.5, 1280), 2176);
  EXPECT_EQ(FirstSize(1280, 1, 1280), 1280);
  EXPECT_EQ(FirstSize(1600, 1, 1280), 1280);
  EXPECT_EQ(FirstSize(1080, 1, 800), 918);
  EXPECT_EQ(FirstSize(0, 1, 1280), 1280) << "of no known screen";
}

// A text field and a button at so few frames that many events fall into one.
class SlowFrames : public FakeInput {
 protected:
  SlowFrames() {
    Ui ui;
    PrepareFonts(&ui);
    PressTimes::Prepare(&ImGui::GetIO());
    Point(500, 500);
  }

  void DrawContent() override {
    presses_.CountClicks(&ImGui::GetIO());
    ImGui::SetNextWindowPos(ImVec2(0, 0));
    ImGui::SetNextWindowSize(size_);
    ImGui::Begin("window", nullptr, ImGuiWindowFlags_NoDecoration);
    ImGui::SetCursorPos(ImVec2(10, 10));
    clicks_ += ImGui::Button("button", ImVec2(100, 40));
    const bool on = ImGui::IsItemHovered();
    doubles_ += on && ImGui::IsMouseDoubleClicked(0);
    ImGui::SetCursorPos(ImVec2(10, 100));
    if (std::exchange(grab_, false)) ImGui::SetKeyboardFocusHere();
    ImGui::InputText("text", text_, sizeof text_);
    for (int i = 0; i < 26; ++i) {
      const bool pressed = ImGui::IsKeyPressed(static_cast<ImGuiKey>(ImGuiKey_A + i), false);
      if (!pressed || ImGui::GetIO().WantTextInput) continue;
      if (ImGui::GetIO().KeyCtrl) keys_ += '^';
      keys_ += static_cast<char>('A' + i);
    }
    ImGui::End();
  }

  void Slow(int frames) {
    for (int i = 0; i < frames; ++i) DrawFrameAfter(0.25f);
  }
  void Click(ImVec2 at, double time) {
    Point(at.x, at.y);
    Hold(true);
    presses_.Add(0, time);
    Hold(false);
  }
  void Strike(ImGuiKey key, unsigned character) {
    AddKey(key, true, 0);
    if (character != 0) ImGui::GetIO().AddInputCharacter(character);
    AddKey(key, false, 0);
  }

  PressTimes presses_;
  int clicks_ = 0, doubles_ = 0;
  bool grab_ = false;
  char text_[64] = "";
  std::string keys_;
};

TEST(KeyOfName, IsTheLayoutsAndNotThePlaces) {
  // AZERTY: A is where Q is, M where the semicolon is, and a comma where M is.
  EXPECT_EQ(KeyOfName(GLFW_KEY_Q, "a", true), GLFW_KEY_A);
  EXPECT_EQ(KeyOfName(GLFW_KEY_A, "q", true), GLFW_KEY_Q);
  EXPECT_EQ(KeyOfName(GLFW_KEY_SEMICOLON, "m", true), GLFW_KEY_M);
  EXPECT_EQ(KeyOfName(GLFW_KEY_M, ",", true), GLFW_KEY_WORLD_1) << "no letter";
  EXPECT_EQ(KeyOfName(GLFW_KEY_1, "&", true), GLFW_KEY_1);
  EXPECT_EQ(KeyOfName(GLFW_KEY_0, "à", true), GLFW_KEY_0);
  // QWERTZ: a plus beside ü, a minus at the end of the last row, ß where the minus is.
  EXPECT_EQ(KeyOfName(GLFW_KEY_Y, "z", true), GLFW_KEY_Z);
  EXPECT_EQ(KeyOfName(GLFW_KEY_RIGHT_BRACKET, "+", true), GLFW_KEY_EQUAL);
  EXPECT_EQ(KeyOfName(GLFW_KEY_SLASH, "-", true), GLFW_KEY_MINUS);
  EXPECT_EQ(KeyOfName(GLFW_KEY_MINUS, "ß", true), GLFW_KEY_WORLD_1);
  // Cyrillic letters stand where Latin ones do elsewhere.
  EXPECT_EQ(KeyOfName(GLFW_KEY_Z, "я", false), GLFW_KEY_Z);
  EXPECT_EQ(KeyOfName(GLFW_KEY_F3, nullptr, true), GLFW_KEY_F3);
  EXPECT_EQ(KeyOfName(GLFW_KEY_KP_ADD, "+", true), GLFW_KEY_KP_ADD);
}

TEST_F(SlowFrames, ADoubleClickBetweenTwoFramesIsOne) {
  Slow(2);
  Click(ImVec2(40, 30), 1.0);
  Click(ImVec2(40, 30), 1.15);
  Slow(8);
  EXPECT_TRUE(ImGui::GetCurrentContext()->InputEventsQueue.empty());
  EXPECT_EQ(doubles_, 1);
  EXPECT_EQ(clicks_, 2);
}

TEST_F(SlowFrames, TwoSlowClicksAreNoDoubleClick) {
  Slow(2);
  Click(ImVec2(40, 30), 1.0);
  Click(ImVec2(40, 30), 1.6);
  Slow(8);
  EXPECT_EQ(doubles_, 0);
  EXPECT_EQ(clicks_, 2);
}

TEST_F(SlowFrames, AClickCountsWhereItWasMade) {
  Slow(2);
  Click(ImVec2(40, 30), 1);
  Point(400, 400);  // gone before the next frame
  Slow(6);
  EXPECT_EQ(clicks_, 1);
}

TEST_F(SlowFrames, EveryLetterArrivesInOrder) {
  grab_ = true;
  Slow(3);
  ASSERT_TRUE(ImGui::GetIO().WantTextInput);
  for (const char c : {'a', 'd', 'a', 'p', 't', 'z', 'z', 'z'}) {
    Strike(static_cast<ImGuiKey>(ImGuiKey_A + c - 'a'), static_cast<unsigned>(c));
  }
  Slow(4);
  EXPECT_STREQ(text_, "adaptzzz");
  Strike(ImGuiKey_Backspace, 0);
  Strike(ImGuiKey_X, 'x');
  Slow(8);
  EXPECT_STREQ(text_, "adaptzzx");
  EXPECT_EQ(keys_, "") << "a letter was a shortcut, too";
}

TEST_F(SlowFrames, KeysPressedTwiceBetweenFramesCountTwice) {
  Slow(2);
  Strike(ImGuiKey_B, 0);
  Strike(ImGuiKey_B, 0);
  Strike(ImGuiKey_C, 0);
  Slow(8);
  EXPECT_EQ(keys_, "BBC");
}

TEST_F(SlowFrames, ALongQueueOfKeysIsTakenInFewPictures) {
  Slow(2);
  constexpr int kStrikes = 60;
  for (int i = 0; i < kStrikes; ++i) Strike(ImGuiKey_B, 0);
  ShownFrames shown;
  int frames = 0, pictures = 0;
  for (bool waits = true; waits; ++frames) {
    Slow(1);
    waits = !ImGui::GetCurrentContext()->InputEventsQueue.empty();
    pictures += shown.IsNextShown(waits) ? 1 : 0;
  }
  EXPECT_EQ(keys_, std::string(kStrikes, 'B'));
  EXPECT_GE(frames, kStrikes) << "a key takes one";
  EXPECT_EQ(pictures, (frames - 1) / (ShownFrames::kMostUnseen + 1) + 1);
  EXPECT_TRUE(shown.IsNextShown(false)) << "without a queue each is";
}

TEST_F(SlowFrames, AModifierIsThatOfItsKeys) {
  constexpr int kCtrl = GLFW_MOD_CONTROL;
  Slow(2);
  AddKey(ImGuiKey_LeftCtrl, true, kCtrl);
  Slow(1);
  AddKey(ImGuiKey_P, true, kCtrl);
  AddKey(ImGuiKey_LeftCtrl, false, 0);  // before the next frame, and before the key
  AddKey(ImGuiKey_P, false, 0);
  Strike(ImGuiKey_B, 0);
  AddKey(ImGuiKey_LeftCtrl, true, kCtrl);
  Slow(8);
  EXPECT_EQ(keys_, "^PB");
  AddKey(ImGuiKey_LeftCtrl, false, 0);
  Slow(1);
  EXPECT_FALSE(ImGui::GetIO().KeyCtrl) << "alone it needs no frame more";
}

TEST_F(SlowFrames, AHeldKeyStaysDownAndADragReachesItsEnd) {
  Slow(2);
  ImGui::GetIO().AddKeyEvent(ImGuiKey_C, true);
  Slow(3);
  EXPECT_TRUE(ImGui::IsKeyDown(ImGuiKey_C));
  ImGui::GetIO().AddKeyEvent(ImGuiKey_C, false);
  Slow(1);
  EXPECT_FALSE(ImGui::IsKeyDown(ImGuiKey_C));
  Point(300, 300);
  Hold(true);
  Point(350, 300);
  Hold(false);
  Point(360, 300);
  Slow(1);
  EXPECT_TRUE(ImGui::IsMouseDown(0));
  Slow(1);
  EXPECT_EQ(ImGui::GetIO().MousePos.x, 350);
  Slow(1);
  EXPECT_FALSE(ImGui::IsMouseDown(0));
}

}  // namespace input_queue_test
}  // namespace civita
