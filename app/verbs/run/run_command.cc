#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <memory>

#include "app/program.h"
#include "app/verbs/options.h"
#include "app/verbs/run/run.h"
#include "civita/error.h"
#include "civita/scenes/registry.h"

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
Keys for --set are those of the config files: gains.K_D=20, controller.factorization=t:0.5,
controller.type=pd_gravity, control.mode=every_stage.
)";

void AddRunOptions(CLI::App* run, RunOptions* options) {
  run->add_option(
         "scene", options->scene,
         "a scene (civita scenes lists them), a config or a chain of screws (.yaml), an MJCF or "
         "a URDF file")
      ->capture_default_str()
      ->type_name("SCENE");
  run->add_flag("--headless", options->headless, "without a window, as fast as possible");
  run->add_option("--duration", options->duration_s, "simulated time of a headless run")
      ->type_name("SECONDS");
  run->add_option("--out", options->out, "write the run folder DIR")->type_name("DIR");
  run->add_option(
         "--video", options->video,
         "film a headless run: FILE.mp4 by ffmpeg, without it PNG files in the folder FILE")
      ->type_name("FILE.mp4");
  run->add_option("--resume", options->resume,
                  "go on with the run of a folder that was interrupted or killed, headless")
      ->type_name("DIR");
  AddRepeatable(run, "--set", "KEY=VALUE", "override a key of the config", &options->overrides);
  run->add_option("--seed", options->seed, "seed of all random numbers")->type_name("N");

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
  const auto check_time = [&](const char* flag, double seconds) {
    if (!std::isfinite(seconds) || seconds <= 0) {
      refuse(flag, "not a positive number of seconds: " + run.get_option(flag)->results().front());
    }
  };
  if (options.seed && *options.seed < 0) {
    refuse("--seed", "not a whole number from 0 to 2147483647: " + std::to_string(*options.seed));
  }
  if (options.duration_s) check_time("--duration", *options.duration_s);
  if (run.count("--after") > 0) check_time("--after", options.screenshot_after_s);
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
  if (options.headless && !options.screenshot.empty()) {
    refuse("--screenshot", "needs the window, thus not --headless");
  }
}

}  // namespace

void AddWindowOptions(CLI::App* command, RunOptions* options) {
  command->add_flag("--paused", options->paused, "start paused")->group(kWindowGroup);
  command->add_option("--at", options->at_s, "start paused at this simulated time")
      ->type_name("SECONDS")
      ->check(CLI::NonNegativeNumber)
      ->group(kWindowGroup);
  command
      ->add_option("--tab", options->tab, "tab of the side panel: tune, geometry, push, log, ...")
      ->type_name("NAME")
      ->group(kWindowGroup);
  command->add_flag("--light", options->light_theme, "light colours")->group(kWindowGroup);
  command
      ->add_option("--width", options->width,
                   "width in logical pixels; default: the last one's, of a video 1280")
      ->type_name("N")
      ->check(CLI::Range(kMinWidth, 16384))
      ->group(kWindowGroup);
  command
      ->add_option("--height", options->height,
                   "height in logical pixels; default: the last one's, of a video 720")
      ->type_name("N")
      ->check(CLI::Range(kMinHeight, 16384))
      ->group(kWindowGroup);
  command->add_option("--scale", options->scale, "content scale; default: the monitor's")
      ->type_name("X")
      ->check(CLI::Range(0.5, 4.0))
      ->group(kWindowGroup);
  command
      ->add_option("--recordings", options->recordings,
                   "where the record button makes its folders; default: here")
      ->type_name("DIR")
      ->group(kWindowGroup);
  CLI::Option* screenshot = command
                                ->add_option("--screenshot", options->screenshot,
                                             "write a picture to this PNG, then exit")
                                ->type_name("FILE")
                                ->group(kWindowGroup);
  command
      ->add_option("--after", options->screenshot_after_s,
                   "real time before the picture, from --at on if that is given")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->needs(screenshot)
      ->group(kWindowGroup);
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
    options->is_alone = !command->parsed();
    return registry.run_in_window(*options);
  };
}

}  // namespace civita
