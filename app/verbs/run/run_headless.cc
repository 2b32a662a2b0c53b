#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "app/interrupt.h"
#include "app/program.h"
#include "app/progress_line.h"
#include "app/verbs/run/run.h"
#include "app/verbs/run/run_film.h"
#include "app/verbs/run/run_scene.h"
#include "app/verbs/run/run_table.h"
#include "civita/error.h"
#include "civita/scenes/registry.h"
#include "civita/sim/recorder.h"
#include "civita/sim/run_to_end.h"
#include "civita/sim/simulation.h"

namespace civita {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string FormatProgress(double t, double duration_s, double elapsed_s) {
  char text[96];
  std::snprintf(text, sizeof text, "%.1f of %g s, %.3g× real time", t, duration_s, t / elapsed_s);
  return text;
}

bool RunWithProgress(const InterruptGuard& guard, Simulation* simulation, Recorder* recorder,
                     RunFilm* film) {
  const double duration_s = simulation->scene().config.duration_s;
  ProgressLine progress;
  return RunToEnd(simulation, recorder, [&] {
    if (film != nullptr) film->Follow(*simulation);
    if (simulation->step() % (film != nullptr ? 8 : 128) == 0 && progress.Due()) {
      progress.Show(FormatProgress(simulation->time(), duration_s, progress.elapsed_s()),
                    simulation->time() / duration_s);
    }
    return !guard.interrupted();
  });
}

}  // namespace

int RunHeadless(const RunOptions& options, const Registry& registry) {
  if (!options.video.empty() && registry.film_run == nullptr) {
    throw UserError("--video: this civita was built without its window, which draws the pictures");
  }
  std::unique_ptr<Scene> scene = OpenScene(options);
  for (const std::string& notice : scene->notices) {
    std::fprintf(stderr, "civita: note: %s\n", notice.c_str());
  }
  Simulation simulation(std::move(scene));
  const InterruptGuard guard;  // before any file is created
  const std::unique_ptr<RunFilm> film =
      options.video.empty() ? nullptr : registry.film_run(options, simulation);
  Recorder recorder(simulation, options.out);
  const Clock::time_point start = Clock::now();
  const bool interrupted = RunWithProgress(guard, &simulation, &recorder, film.get());
  const RunSummary summary = recorder.Finish(simulation, SecondsSince(start), interrupted);
  const std::string files = film == nullptr       ? options.out
                            : options.out.empty() ? film->Finish()
                                                  : options.out + ", " + film->Finish();
  std::fputs(FormatSummary(simulation, summary, files).c_str(), stdout);
  if (!summary.passed) {
    std::fprintf(stderr, "civita: %s\n", summary.verdict.c_str());
    return kExitFailed;
  }
  return interrupted ? kExitInterrupted : kExitDone;
}

}  // namespace civita
