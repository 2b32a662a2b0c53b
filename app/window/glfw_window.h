#pragma once

#include <imgui.h>

#include <array>
#include <deque>
#include <string>
#include <vector>

struct GLFWwindow;

namespace civita {

/// The code of the key that a user's layout has where GLFW's code, a position on the US layout, is
/// `key`: of a key called a letter or one of "+", "=", "-" that of this character. `name` is
/// glfwGetKeyName's, null for keys without one. Where a layout has no Latin letters, the keys of
/// the US layout stand in for them.
int KeyOfName(int key, const char* name, bool has_letters);

/// Tells ImGui of a key with the modifiers that are down at its event (GLFW's `mods`). Keys that
/// arrive as characters, too, are left to a field that takes text: ImGui would take one in a frame.
void AddKey(ImGuiKey key, bool down, int mods);

/// The scale of the content on a monitor of so many pixels for which the system tells no scale, or
/// 1: larger from 3840 x 2160 on, which has 1.5.
float ScaleOfResolution(int width, int height);

/// Width or height of a first window, logical px: most of the screen's `pixels`, if known.
int FirstSize(int pixels, double scale, int least);

/// The times at which mouse buttons were pressed. ImGui counts clicks by the times of frames, which
/// may be slower than a double click: it is told that every second click is one, and this class, by
/// the events' own times, which are not.
class PressTimes {
 public:
  /// Tells ImGui so.
  static void Prepare(ImGuiIO* io);
  /// At `time` s.
  void Add(int button, double time);
  /// Corrects what ImGui::NewFrame has counted.
  void CountClicks(ImGuiIO* io);

 private:
  static constexpr int kButtons = 3;
  std::array<std::deque<double>, kButtons> waiting_;
  std::array<double, kButtons> last_ = {-1, -1, -1};
};

/// Which frames become pictures: of a long queue of input, of which a frame takes a key, few.
struct ShownFrames {
  static constexpr int kMostUnseen = 40;
  int unseen = 0;  ///< since the last picture
  bool IsNextShown(bool has_waiting_input) {
    unseen = has_waiting_input && unseen < kMostUnseen ? unseen + 1 : 0;
    return unseen == 0;
  }
};

/// GLFW's window with an OpenGL context (compatibility profile, as MuJoCo's renderer requires) and
/// Dear ImGui on both. One at a time.
class GlfwWindow {
 public:
  /// `width`, `height` 0: FirstSize. `scale` 0: the monitor's. @throws UserError: no display, no
  /// OpenGL.
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
  bool has_waiting_input() const;
  /// Files dropped since the last call.
  std::vector<std::string> TakeDropped();

  void ToggleFullscreen();
  bool is_fullscreen() const;

  /// Begins ImGui's frame, sized in device pixels.
  void BeginFrame();
  /// Draws ImGui's data into the back buffer.
  void DrawImGui();
  void Present();

 private:
  struct Events {
    long count = 0;
    std::vector<std::string> dropped;
    PressTimes presses;
    float pixels = 1;  // device pixels of the system's unit
  };

  static Events* EventsOf(GLFWwindow* window);
  void InstallCallbacks();

  GLFWwindow* window_ = nullptr;
  Events events_;
  double scale_option_;
  float untold_scale_ = 1;  // where the system tells 1; of the primary monitor
  int width_ = 0, height_ = 0;
  int windowed_x_ = 0, windowed_y_ = 0, windowed_width_ = 0, windowed_height_ = 0;
};

}  // namespace civita
