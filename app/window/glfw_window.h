#pragma once

#include <string>
#include <vector>

struct GLFWwindow;

namespace civita {

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
  /// In device pixels; 0 while minimised.
  int width() const { return width_; }
  int height() const { return height_; }

  /// Processes pending events, waiting up to `seconds` for one.
  void Wait(double seconds);
  /// Number of events so far: keys, pointer, size, exposure.
  long num_events() const { return events_.count; }
  /// Whether presses wait for a frame.
  bool has_waiting_keys() const { return !events_.presses.empty(); }
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
  struct KeyPress {
    int key = 0;
    int mods = 0;
  };
  struct Events {
    long count = 0;
    std::vector<std::string> dropped;
    std::vector<KeyPress> presses;  // not yet passed to ImGui
  };

  static Events* EventsOf(GLFWwindow* window);
  void InstallCallbacks();
  void FeedKeyPresses();

  GLFWwindow* window_ = nullptr;
  Events events_;
  double scale_option_;
  int fed_key_ = -1;
  int width_ = 0, height_ = 0;
  int windowed_x_ = 0, windowed_y_ = 0, windowed_width_ = 0, windowed_height_ = 0;
};

}  // namespace civita
