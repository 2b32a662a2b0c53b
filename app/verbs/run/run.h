#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/flags.h"
#include "civita/study/open_scene.h"

namespace CLI {
class App;
}

namespace civita {

/// Minimum size of the window, logical pixels.
inline constexpr int kMinWidth = 1024, kMinHeight = 700;

/// What `civita` alone shows, and the window's tour: an arm that is thrown off a moving reference,
/// torsion-free beside t = 5, slowed down, again and again.
inline constexpr const char *kFirstScene = "arm7_twist", *kFirstDuration = "duration_s=1.5",
                            *kFirstCompared = "controller.factorization=t:5";
inline constexpr double kFirstSpeed = 0.2;

/// Options of `civita run`, and of `civita` alone.
struct RunOptions : SceneChoice {
  RunOptions() : SceneChoice{.scene = "arm7", .called = kFlags} {}

  bool headless = false;
  std::string out;     ///< run folder; empty: none
  std::string video;   ///< MP4 file of a headless run; empty: none
  std::string resume;  ///< run folder to go on with, in place of all else

  // Window only.
  std::vector<std::string> replay;   ///< one or two run folders to show instead of the scene
  std::string recordings;            ///< folder for those of the record button; empty: the present
  std::vector<std::string> compare;  ///< "key=value": overrides of a second run in step
  bool is_alone = false;             ///< `civita` without a command: perhaps someone's first time
  bool paused = false;
  std::optional<double> at_s;   ///< simulated time to run to and pause at
  std::optional<double> speed;  ///< multiple of real time
  bool repeats = false;         ///< starts anew at the end of the config's duration
  bool serves = false;          ///< opens the window's live link
  std::string tab;              ///< of the side panel; empty: the usual one
  bool light_theme = false;
  int width = 0, height = 0;      ///< logical pixels; 0: as the window was last
  double scale = 0;               ///< content scale; 0: the monitor's
  std::string screenshot;         ///< PNG file to write before closing; empty: none
  double screenshot_after_s = 3;  ///< real time, from at_s on if it is given
};

/// Adds the options that every verb with the window has.
void AddWindowOptions(CLI::App* command, RunOptions* options);

}  // namespace civita
