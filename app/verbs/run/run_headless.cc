#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/interrupt.h"
#include "app/program.h"
#include "app/progress_line.h"
#include "app/terminal.h"
#include "app/verbs/run/run.h"
#include "app/verbs/run/run_cost.h"
#include "app/verbs/run/run_film.h"
#include "app/verbs/run/run_table.h"
#include "base/number_text.h"
#include "civita/error.h"
#include "civita/scenes/registry.h"
#include "civita/sim/output_file.h"
#include "civita/sim/recorder.h"
#include "civita/sim/run_record.h"
#include "civita/sim/run_to_end.h"
#include "civita/sim/simulation.h"

namespace civita {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string FormatProgress(double t, double duration_s, double elapsed_s) {
  return internal::WithDecimals(t, 1) + " of " + internal::General(duration_s) + " s, " +
         internal::General(t / elapsed_s, 3) + "× real time";
}

// Whether a look at the clock after each step costs nothing beside it.
bool IsSlow(const StepRecord& step) { return step.control_s + step.physics_s > 1e-3; }

/// `film`: null, or dropped when it cannot be written; `film_error` says why.
bool RunWithProgress(const InterruptGuard& guard, Simulation* simulation, Recorder* recorder,
                     RunFilm* film, std::string* film_error) {
  const double duration_s = simulation->scene().config.duration_s;
  const double start_s = simulation->time();
  RunCost cost(duration_s - start_s);
  ProgressLine progress;
  return RunToEnd(simulation, recorder, [&] {
    try {
      if (film != nullptr) film->Follow(*simulation);
    } catch (const WriteError& error) {
      *film_error = error.what();
      film = nullptr;
    }
    if (simulation->step() % (film != nullptr ? 8 : 128) != 0 && !IsSlow(simulation->record())) {
      return !guard.interrupted();
    }
    const std::string told = cost.Follow(simulation->time() - start_s, progress.elapsed_s());
    if (!told.empty()) progress.Note(told);
    if (progress.Due()) {
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
  std::optional<RunRecord> record;
  if (!options.resume.empty()) record.emplace(options.resume);
  std::unique_ptr<Scene> scene = record ? LoadScene(record->config()) : OpenScene(options);
  for (const std::string& notice : scene->notices) PrintNote(notice);
  Simulation simulation(std::move(scene));
  const InterruptGuard guard;  // before any file is created
  simulation.set_stop(InterruptGuard::flag());
  const std::unique_ptr<RunFilm> film =
      options.video.empty() ? nullptr : registry.film_run(options, simulation);
  const std::unique_ptr<Recorder> recorder =
      record ? ResumeRun(*std::exchange(record, std::nullopt), &simulation)
             : std::make_unique<Recorder>(simulation, options.out);
  const Clock::time_point start = Clock::now();
  std::string film_error;
  const bool interrupted =
      RunWithProgress(guard, &simulation, recorder.get(), film.get(), &film_error);
  const RunSummary summary = recorder->Finish(simulation, SecondsSince(start), interrupted);
  std::string files = options.resume.empty() ? options.out : options.resume;
  try {
    if (film != nullptr && film_error.empty()) {
      files += (files.empty() ? "" : ", ") + film->Finish();
    }
  } catch (const WriteError& error) {
    film_error = error.what();
  }
  for (const std::string& note : summary.notes) PrintNote(note);
  PrintOut(FormatSummary(simulation, summary, files));
  if (!summary.passed) {
    PrintError(summary.verdict);
    return kExitFailed;
  }
  const std::string& lost = summary.write_error.empty() ? film_error : summary.write_error;
  if (!lost.empty()) {
    PrintError(lost);
    return kExitFailed;
  }
  return interrupted ? kExitInterrupted : kExitDone;
}

}  // namespace civita
