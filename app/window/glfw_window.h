#pragma once

#include <imgui.h>

#include <array>
#include <string>
#include <vector>

struct GLFWwindow;

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

/// GLFW's window with an OpenGL context (compatibility profile, as MuJoCo's renderer requires) and
/// Dear ImGui on both. One at a time.
class GlfwWindow {
 public:
  /// `scale` 0: the monitor's. @throws UserError: no display, no OpenGL.
  GlfwWindow(int width, int height, double scale, const std::string& title);
  ~GlfwWindow();
  GlfwWindow(const GlfwWindow&) = delete;
  GlfwWindow& operator=(const GlfwWindow&) = delete;

  bool should_close() const;
  void set_title(const std::string& title);
  /// Factor from logical to device pixels; may change when the window moves to another monitor.
  float scale() const;
  /// Or hidden.
  bool is_minimised() const;
  void Hide();
  void Show();
  /// "llvmpipe (LLVM 15.0.6, 256 bits)"
  std::string renderer() const;
  /// In device pixels; may be 0 while minimised.
  int width() const { return width_; }
  int height() const { return height_; }

  /// Processes pending events, waiting up to `seconds` for one.
  void Wait(double seconds);
  /// Number of events so far: keys, pointer, size, exposure.
  long num_events() const { return events_.count; }
  /// Whether input waits for a frame.
  bool has_waiting_input() const { return events_.input.is_waiting(); }
  /// Files dropped since the last call.
  std::vector<std::string> TakeDropped();

  void ToggleFullscreen();
  bool is_fullscreen() const;

  /// Begins ImGui's frame, sized in device pixels.
  void BeginFrame();
  /// Draws ImGui's data into the back buffer.
  void DrawImGui();
  void Present();
  /// Call after ImGui's fonts were rebuilt.
  void ReloadFonts();

 private:
  struct Events {
    long count = 0;
    std::vector<std::string> dropped;
    InputQueue input;
    float pixels = 1;  // device pixels of the system's unit
  };

  static Events* EventsOf(GLFWwindow* window);
  void InstallCallbacks();

  GLFWwindow* window_ = nullptr;
  Events events_;
  double scale_option_;
  int width_ = 0, height_ = 0;
  int windowed_x_ = 0, windowed_y_ = 0, windowed_width_ = 0, windowed_height_ = 0;
};

}  // namespace civita
