#pragma once

#include <optional>
#include <string>
#include <vector>

namespace civita {

/// What a program says by ending.
enum ExitCode : int {
  kExitDone = 0,
  kExitFailed = 1,         ///< it ran, and failed: blow-up
  kExitBadInput = 2,       ///< command line, file, key, directory, display
  kExitInterrupted = 130,  ///< by Ctrl-C; files are kept
};

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

/// The program: reads the command line, does what it says; without `run_in_window` it has no
/// window.
/// @returns an ExitCode; one line on standard error says why when it is not kExitDone.
int RunProgram(int argc, const char* const* argv, int (*run_in_window)(const RunOptions&));

/// The run without a window: table on standard output, progress on standard error.
/// @throws UserError.
int RunHeadless(const RunOptions& options);

/// The table of `civita scenes`.
int ListScenes();

}  // namespace civita
