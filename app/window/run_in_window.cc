#include "app/window/run_in_window.h"

#include <utility>

#include "app/interrupt.h"
#include "app/program.h"
#include "app/terminal.h"
#include "app/window/panels/panels.h"
#include "app/window/window.h"
#include "civita/scenes/registry.h"
#include "civita/sim/run_summary.h"

namespace civita {

int RunInWindow(const RunOptions& options) {
  const InterruptGuard guard;
  WindowOptions window(options);
  if (options.replay.size() > 1) {
    window.scenes = LoadReplay(options.replay[0], options.replay[1]);
  } else if (!options.replay.empty() || IsRunFolder(options.scene)) {
    window.scenes = LoadRecording(options.replay.empty() ? options.scene : options.replay[0]);
  } else {
    window.scenes.scene = OpenScene(options);
  }
  if (!options.compare.empty()) {
    RunOptions other = options;
    other.overrides.insert(other.overrides.end(), options.compare.begin(), options.compare.end());
    window.scenes.other = OpenScene(other);
  }
  window.opened = options.replay.empty() ? options.scene : options.replay[0];
  window.paused = options.paused || options.at_s.has_value();
  if (!options.tab.empty()) window.tab = FindSideTab(options.tab);
  // A picture on request looks the same for everyone.
  if (options.screenshot.empty()) window.settings = Settings(ConfigFolder());
  window.interrupted = [&guard] { return guard.interrupted(); };
  const WindowResult result = RunWindow(std::move(window));
  if (result.summary && (!result.summary->passed || !result.summary->write_error.empty())) {
    PrintError(result.summary->passed ? result.summary->write_error : result.summary->verdict);
    return kExitFailed;
  }
  return result.interrupted ? kExitInterrupted : kExitDone;
}

void AddWindow(Registry* registry) {
  registry->run_in_window = RunInWindow;
  registry->film_run = MakeSceneFilm;
}

}  // namespace civita
