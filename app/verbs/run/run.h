#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace civita {

struct Registry;

/// The smallest window, in logical pixels.
inline constexpr int kMinWidth = 1024, kMinHeight = 700;

/// `civita run`, and `civita` alone.
struct RunOptions {
  std::string scene = "arm7";  ///< a scene's name, a config, an MJCF or URDF file
  bool headless = false;
  std::optional<double> duration_s;
  std::optional<int> seed;
  std::vector<std::string> overrides;  ///< "key=value"
  std::string out;                     ///< run folder; empty: none

  // Window only.
  std::vector<std::string> compare;  ///< "key=value": a second run in step, so changed
  bool paused = false;
  bool light_theme = false;
  int width = 1280, height = 800;  ///< logical pixels
  double scale = 0;                ///< of everything on the screen; 0: the monitor's
  std::string screenshot;          ///< PNG file to write before ending; empty: none
  double screenshot_after_s = 3;   ///< real time
};

/// The verb's options and help, see Verb::add. In the window by Registry::run_in_window.
std::function<int()> AddRun(CLI::App* command, const Registry& registry);

/// The run without a window: table on standard output, progress on standard error.
/// @throws UserError.
int RunHeadless(const RunOptions& options);

}  // namespace civita
