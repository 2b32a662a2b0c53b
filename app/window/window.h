#pragma once

#include <ctime>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/model/scene_loader.h"
#include "app/window/model/settings.h"
#include "civita/sim/run_summary.h"

namespace civita {

class GlfwWindow;
struct WindowState;

/// CPU time, s, of CLOCK_THREAD_CPUTIME_ID or CLOCK_PROCESS_CPUTIME_ID.
inline double CpuSeconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Watches the window, and acts on it, for its measurement.
class WindowObserver {
 public:
  virtual ~WindowObserver() = default;
  /// Called after each turn of the window's loop. `ui_ms`: CPU time of the panels of the frame
  /// that was drawn, without 3-D; NaN if none was. @returns whether to go on.
  virtual bool Observe(GlfwWindow* window, WindowState* state, double ui_ms) = 0;
  /// Whether frames are drawn on the screen; otherwise they are only composed.
  virtual bool ShowsFrames() const { return true; }
};

struct WindowOptions {
  LoadedScenes scenes;                 ///< at the start
  std::string opened;                  ///< name or path from which it was opened: for ctrl-L
  std::vector<std::string> overrides;  ///< with which it was opened
  std::filesystem::path directory;     ///< run folder to write; empty: none
  std::filesystem::path recordings;    ///< where the record button makes its folders
  bool start_paused = false;
  std::optional<double> at_s;   ///< simulated time to run to and pause at, before anything else
  std::optional<double> speed;  ///< multiple of real time
  bool repeats = false;         ///< starts anew at the end of the scene's duration
  bool serves = false;          ///< opens the live link, see link_actions.h
  std::string_view tab;         ///< of the side panel; empty: the usual one
  bool light_theme = false;
  int width = 0, height = 0;  ///< logical pixels; 0: as kept in the settings
  double scale = 0;           ///< content scale; 0: the monitor's
  /// PNG file to write `screenshot_after_s` of real time after the start, or after `at_s` is
  /// reached, before closing
  std::filesystem::path screenshot;
  double screenshot_after_s = 3;
  Settings settings;                  ///< kept from the last window
  bool offers_tour = false;           ///< to who has not seen it
  std::function<bool()> interrupted;  ///< called every frame; may be empty
  WindowObserver* observer = nullptr;
};

struct WindowResult {
  std::optional<RunSummary> summary;  ///< of a recorded run
  bool interrupted = false;
};

/// Opens the window and runs until it is closed. @throws UserError when there is no display or
/// OpenGL, when the run folder or the screenshot cannot be written.
WindowResult RunWindow(WindowOptions options);

}  // namespace civita
