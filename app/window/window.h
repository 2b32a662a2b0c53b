#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/verbs/run/run.h"
#include "app/window/model/scene_loader.h"
#include "app/window/model/settings.h"
#include "civita/sim/run_summary.h"

namespace civita {

class GlfwWindow;
struct WindowState;

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

struct WindowOptions : RunOptions {
  WindowOptions() = default;
  explicit WindowOptions(const RunOptions& options) : RunOptions(options) {}

  LoadedScenes scenes;                ///< at the start
  std::string opened;                 ///< name or path from which it was opened: for ctrl-L
  Settings settings;                  ///< kept from the last window
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
