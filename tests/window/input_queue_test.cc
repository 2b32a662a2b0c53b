#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include "app/window/glfw_window.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace input_queue_test {

// A text field and a button, fed from a queue at so few frames that many events fall into one.
class SlowFrames : public FakeInput {
 protected:
  SlowFrames() {
    Ui ui;
    PrepareFonts(&ui);
  }

  void DrawContent() override {
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
    for (int key = GLFW_KEY_A; key <= GLFW_KEY_Z; ++key) {
      if (ImGui::IsKeyPressed(key, false)) keys_ += static_cast<char>(key);
    }
    ImGui::End();
  }

  void Slow(int frames) {
    for (int i = 0; i < frames; ++i) {
      ImGuiIO& io = ImGui::GetIO();
      io.MousePos = pointer_;
      queue_.Feed(&io);
      io.DisplaySize = size_;
      io.DeltaTime = 0.25f;
      ImGui::NewFrame();
      DrawContent();
      ImGui::Render();
    }
  }
  void Click(ImVec2 at, double time) {
    pointer_ = at;
    queue_.AddButton(0, true, at, time);
    queue_.AddButton(0, false, at, time + 0.05);
  }
  void Strike(int key, unsigned character) {
    queue_.AddKey(key, true, 0);
    if (character != 0) queue_.AddCharacter(character);
    queue_.AddKey(key, false, 0);
  }

  InputQueue queue_;
  ImVec2 pointer_ = ImVec2(500, 500);
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
  EXPECT_FALSE(queue_.is_waiting());
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
  pointer_ = ImVec2(400, 400);  // gone before the next frame
  Slow(6);
  EXPECT_EQ(clicks_, 1);
}

TEST_F(SlowFrames, EveryLetterArrivesInOrder) {
  grab_ = true;
  Slow(3);
  ASSERT_TRUE(ImGui::GetIO().WantTextInput);
  for (const char c : {'a', 'd', 'a', 'p', 't', 'z', 'z', 'z'}) {
    Strike(GLFW_KEY_A + c - 'a', static_cast<unsigned>(c));
  }
  Slow(4);
  EXPECT_STREQ(text_, "adaptzzz");
  Strike(GLFW_KEY_BACKSPACE, 0);
  Strike(GLFW_KEY_X, 'x');
  Slow(8);
  EXPECT_STREQ(text_, "adaptzzx");
  EXPECT_EQ(keys_, "") << "a letter was a shortcut, too";
}

TEST_F(SlowFrames, KeysPressedTwiceBetweenFramesCountTwice) {
  Slow(2);
  Strike(GLFW_KEY_B, 0);
  Strike(GLFW_KEY_B, 0);
  Strike(GLFW_KEY_C, 0);
  Slow(8);
  EXPECT_EQ(keys_, "BBC");
}

TEST_F(SlowFrames, AHeldKeyStaysDownAndADragReachesItsEnd) {
  Slow(2);
  queue_.AddKey(GLFW_KEY_C, true, 0);
  Slow(3);
  EXPECT_TRUE(ImGui::GetIO().KeysDown[GLFW_KEY_C]);
  queue_.AddKey(GLFW_KEY_C, false, 0);
  Slow(1);
  EXPECT_FALSE(ImGui::GetIO().KeysDown[GLFW_KEY_C]);
  queue_.AddButton(0, true, ImVec2(300, 300), 1);
  queue_.AddButton(0, false, ImVec2(350, 300), 2);
  pointer_ = ImVec2(360, 300);
  Slow(2);
  EXPECT_TRUE(ImGui::GetIO().MouseDown[0]);
  Slow(1);
  EXPECT_EQ(ImGui::GetIO().MousePos.x, 350);
  Slow(1);
  EXPECT_FALSE(ImGui::GetIO().MouseDown[0]);
}

}  // namespace input_queue_test
}  // namespace civita
