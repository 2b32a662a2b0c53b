#pragma once

#include <imgui.h>

#include <array>
#include <vector>

namespace civita {

/// The code of the key that a user's layout has where GLFW's code, a position on the US layout, is
/// `key`: of a key called a letter or one of "+", "=", "-" that of this character. `name` is
/// glfwGetKeyName's, null for keys without one. Where a layout has no Latin letters, the keys of
/// the US layout stand in for them.
int KeyOfName(int key, const char* name, bool has_letters);

/// Key presses, mouse buttons and characters between two frames. ImGui 1.86 samples buttons and
/// keys once a frame and misses what went down and up in between; with slow frames double clicks
/// and letters would be lost. Each event is passed on in its order, as many in a frame as ImGui can
/// tell apart.
class InputQueue {
 public:
  /// `key` as GLFW's; `mods` of GLFW.
  void AddKey(int key, bool down, int mods);
  /// At `position` in device pixels, at `time` s.
  void AddButton(int button, bool down, ImVec2 position, double time);
  void AddCharacter(unsigned code);

  /// Whether events wait for a frame.
  bool is_waiting() const { return !events_.empty(); }

  /// Sets keys, buttons, characters and, where a button's event needs it, the position of the next
  /// frame. Call before ImGui::NewFrame, after the pointer's present position is known.
  void Feed(ImGuiIO* io);

 private:
  struct Event {
    enum class Kind { kKey, kButton, kCharacter } kind;
    int code = 0;
    bool down = false;
    int mods = 0;
    ImVec2 position = ImVec2(0, 0);
    double time = 0;
  };

  bool FeedKey(const Event& event, ImGuiIO* io);
  bool FeedButton(const Event& event, ImGuiIO* io);

  static constexpr int kButtons = 3;
  std::vector<Event> events_;
  std::array<bool, 512> is_key_down_ = {};
  std::array<bool, 512> is_lifted_ = {};  ///< in this frame, between two presses
  std::array<bool, kButtons> is_button_down_ = {}, has_changed_ = {};
  std::array<double, kButtons> pressed_at_ = {-1, -1, -1};
  bool has_key_ = false, has_button_ = false, has_character_ = false;  ///< in this frame
  ImVec2 seen_ = ImVec2(0, 0);  ///< position in the last frame
};

}  // namespace civita
