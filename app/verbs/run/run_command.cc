#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/interrupt.h"
#include "app/program.h"
#include "app/terminal.h"
#include "app/verbs/options.h"
#include "app/verbs/run/run.h"
#include "app/verbs/run/run_film.h"
#include "app/verbs/run/run_table.h"
#include "app/verbs/verb.h"
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

constexpr const char* kRunAbout =
    "One run of a scene: in the window, or with --headless as fast as it goes, with a table at the "
    "end.";

constexpr const char* kWindowGroup = "Window";

constexpr const char* kRunFooter = R"(
The run folder (--out) gets run.json, signals.csv, signals.npz, timing.csv and config.yaml. It must
be new, empty, or hold an earlier run, which is replaced.
With --resume DIR a run goes on from its last saved state, with the bits of one that was not stopped.
Keys for --set are those of the config files: gains.K_D=20, controller.type=pd_gravity,
control.mode=every_stage.
)";

void AddRunOptions(CLI::App* run, RunOptions* options) {
  AddValue(run, "scene", "SCENE",
           "a scene (civita scenes lists them), a config or a chain of screws (.yaml), an MJCF or "
           "a URDF file",
           &options->scene)
      ->capture_default_str();
  run->add_flag("--headless", options->headless, "without a window, as fast as possible");
  AddDuration(run, &options->duration_s);
  AddValue(run, "--out", "DIR", "write the run folder DIR", &options->out);
  AddValue(run, "--video", "FILE.mp4",
           "film a headless run: FILE.mp4 by ffmpeg, without it PNG files in the folder FILE",
           &options->video);
  AddValue(run, "--resume", "DIR",
           "go on with the run of a folder that was interrupted or killed, headless",
           &options->resume);
  AddRepeatable(run, "--set", "KEY=VALUE", "override a key of the config", &options->overrides);
  AddFactorization(run, &options->overrides);
  AddSeed(run, "seed of all random numbers", &options->seed);
  AddRepeatable(run, "--compare", "KEY=VALUE",
                "run a second one in step that differs in this config key", &options->compare)
      ->group(kWindowGroup);
  AddWindowOptions(run, options);
}

/// Checks what CLI11 cannot.
void CheckRunOptions(const CLI::App& run, const RunOptions& options) {
  const auto refuse = [](const std::string& flag, const std::string& why) {
    throw UserError(flag + ": " + why);
  };
  if (!(std::isfinite(options.screenshot_after_s) && options.screenshot_after_s > 0)) {
    refuse("--after", "not a positive number of seconds");
  }
  if (run.count("--out") > 0 && (options.out.empty() || options.out.starts_with("--"))) {
    refuse("--out", "needs the name of a directory");
  }
  if (run.count("--video") > 0) {
    const std::filesystem::path video = options.video;
    if (video.extension() != ".mp4" || video.stem().empty()) {
      refuse("--video", "not a name that ends in .mp4: '" + options.video + "'");
    }
    if (!options.headless) refuse("--video", "needs --headless; the window records with F12");
  }
  if (run.count("--resume") > 0) {
    for (const CLI::Option* other : run.get_options()) {
      const std::string name = other->get_name();
      if (other->count() == 0 || name == "--resume" || name == "--headless") continue;
      refuse("--resume", "takes all else from the folder, thus not " + name);
    }
  }
  if (options.headless && !options.compare.empty()) {
    refuse("--compare", "needs the window; without it: civita compare");
  }
  if (options.at_s && !std::isfinite(*options.at_s)) refuse("--at", "not a number of seconds");
  if (options.headless && options.serves)
    refuse("--serve", "needs the window, thus not --headless");
  if (options.headless && !options.screenshot.empty()) {
    refuse("--screenshot", "needs the window, thus not --headless");
  }
}

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

/// Runs without a window: table on standard output, progress on standard error; films the run as
/// the registry says how. @returns an ExitCode. @throws UserError.
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

}  // namespace

void AddWindowOptions(CLI::App* command, RunOptions* options) {
  const std::string other_group = command->option_defaults()->get_group();
  command->option_defaults()->group(kWindowGroup);
  command->add_flag("--paused", options->paused, "start paused");
  AddValue(command, "--at", "SECONDS", "start paused at this simulated time", &options->at_s)
      ->check(CLI::NonNegativeNumber);
  AddValue(command, "--speed", "X", "multiple of real time at the start, 0.001 to 8",
           &options->speed)
      ->check(CLI::Range(0.001, 8.0));
  command->add_flag("--repeat", options->repeats,
                    "start anew at the end, and say over the picture what two runs differ in");
  command->add_flag("--serve", options->serves,
                    "open a socket by which civita.attach() in Python reads and changes the run");
  AddValue(command, "--tab", "NAME", "tab of the side panel: tune, geometry, push, log, ...",
           &options->tab);
  command->add_flag("--light", options->light_theme, "light colours");
  AddValue(command, "--width", "N",
           "width in logical pixels; default: the last one's, of a video 1280", &options->width)
      ->check(CLI::Range(kMinWidth, 16384));
  AddValue(command, "--height", "N",
           "height in logical pixels; default: the last one's, of a video 720", &options->height)
      ->check(CLI::Range(kMinHeight, 16384));
  AddValue(command, "--scale", "X", "content scale; default: the monitor's", &options->scale)
      ->check(CLI::Range(0.5, 4.0));
  AddValue(command, "--recordings", "DIR",
           "where the record button makes its folders; default: here", &options->recordings);
  CLI::Option* screenshot =
      AddValue(command, "--screenshot", "FILE", "write a picture to this PNG, then exit",
               &options->screenshot);
  AddValue(command, "--after", "SECONDS",
           "real time before the picture, from --at on if that is given",
           &options->screenshot_after_s)
      ->capture_default_str()
      ->needs(screenshot);
  command->option_defaults()->group(other_group);
}

std::function<int()> AddRun(CLI::App* command, const Registry& registry) {
  const auto options = std::make_shared<RunOptions>();
  command->description(kRunAbout)->footer(std::string(kRunFooter) + kFactorizationForms);
  AddRunOptions(command, options.get());
  return [command, options, &registry] {
    CheckRunOptions(*command, *options);
    if (options->headless || !options->resume.empty()) return RunHeadless(*options, registry);
    if (registry.run_in_window == nullptr) {
      throw UserError(
          "this civita was built without its window; civita run SCENE --headless runs without one");
    }
    if (!command->parsed()) {
      options->is_alone = options->repeats = true;
      options->scene = kFirstScene;
      options->overrides = {kFirstDuration};
      options->compare = {kFirstCompared};
      options->speed = kFirstSpeed;
    }
    return registry.run_in_window(*options);
  };
}

}  // namespace civita
