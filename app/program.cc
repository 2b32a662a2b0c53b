#include "app/program.h"

#include <fcntl.h>
#include <mujoco/mujoco.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "app/verbs/bench/bench.h"
#include "app/verbs/compare/compare.h"
#include "app/verbs/eval/eval.h"
#include "app/verbs/keys/keys.h"
#include "app/verbs/reproduce/reproduce.h"
#include "app/verbs/survive/survive.h"
#include "civita/build_info.h"
#include "core/error.h"
#include "core/mujoco/convert.h"
#include "core/suggest.h"
#include "scenes/scene.h"

namespace civita {
namespace {

constexpr const char* kAbout =
    "civita: robots under passivity-based control with a Coriolis matrix of your choice.\n"
    "Alone it opens the window on the seven-joint arm.";

constexpr const char* kExamples = R"(
Examples:
  civita                                         the window
  civita run chain20                             another scene in the window
  civita run robot.urdf                          any MJCF or URDF file
  civita run arm7 --headless --duration 10 --out results/arm7
  civita run arm7 --headless --set gains.Lambda=10 --set controller.factorization=t:1
  civita compare arm7_twist --vary factorization=christoffel,t:1
  civita survive go2 --push 1.5                  how often a pushed robot stays on its feet
  civita scenes                                  what there is to run
  civita keys reference                          what a config may say
  civita eval arm7 --quantities H,C,Gamma        numbers of any model as JSON
  civita reproduce all                           the papers' results beside ours
  civita bench --models chain20 --peer           how fast, beside other libraries

Exit codes: 0 done, 1 the run failed, 2 bad input, 130 interrupted (files are kept).
)";

constexpr const char* kRunAbout =
    "One run of a scene: in the window, or with --headless as fast as it goes, with a table at the "
    "end.";

constexpr const char* kRunFooter = R"(
The run folder (--out) gets run.json, signals.csv, signals.npz, timing.csv and config.yaml. It must
be new, empty, or hold an earlier run, which is replaced.
Keys for --set are those of the config files: gains.K_D=20, controller.factorization=t:0.5,
controller.type=pd_gravity, control.mode=every_stage.
Forms of a factorization: christoffel | plain | other | t:0.3 | body:BODY:ang:β | body:BODY:lin:β |
joint:β[:S.csv], terms joined by '+'.
)";

/// MuJoCo's warnings are counted and shown by the program; what it dies of is one line. It may come
/// from any thread, so that no destructors run: they would wait for, or take away from, the others.
void HandleMujocoLog(const mjLogMessage* message) {
  if (message->level != mjLOG_ERROR) return;
  std::fprintf(stderr, "civita: MuJoCo: %s\n", message->subject);
  std::fflush(nullptr);
  std::_Exit(kExitFailed);
}

void AddRunOptions(CLI::App* run, RunOptions* options) {
  run->add_option("scene", options->scene,
                  "a scene (civita scenes lists them), a config.yaml, an MJCF or a URDF file")
      ->capture_default_str()
      ->type_name("SCENE");
  run->add_flag("--headless", options->headless, "without a window, as fast as it goes");
  run->add_option("--duration", options->duration_s, "simulated time of a headless run")
      ->type_name("SECONDS");
  run->add_option("--out", options->out, "write the run folder DIR")->type_name("DIR");
  run->add_option("--set", options->overrides, "override a key of the config; repeatable")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
  run->add_option("--seed", options->seed, "seed of all that is random")->type_name("N");

  const std::string window = "Window";
  run->add_flag("--paused", options->paused, "start paused")->group(window);
  run->add_option("--compare", options->compare,
                  "run a second one in step that differs in this key of the config; repeatable")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all()
      ->group(window);
  run->add_flag("--light", options->light_theme, "light colours")->group(window);
  run->add_option("--width", options->width, "width in logical pixels")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(kMinWidth, 16384))
      ->group(window);
  run->add_option("--height", options->height, "height in logical pixels")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(kMinHeight, 16384))
      ->group(window);
  run->add_option("--scale", options->scale, "size of everything; else the monitor's")
      ->type_name("X")
      ->check(CLI::Range(0.5, 4.0))
      ->group(window);
  CLI::Option* screenshot =
      run->add_option("--screenshot", options->screenshot, "write a picture to this PNG, then end")
          ->type_name("FILE")
          ->group(window);
  run->add_option("--after", options->screenshot_after_s, "real time before the picture")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->needs(screenshot)
      ->group(window);
}

/// What CLI11 cannot know.
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
  if (run.count("--out") > 0 && options.out.empty())
    refuse("--out", "needs the name of a directory");
  if (options.headless && !options.compare.empty()) {
    refuse("--compare", "needs the window; without it: civita compare");
  }
  if (options.headless && !options.screenshot.empty()) {
    refuse("--screenshot", "needs the window, thus not --headless");
  }
}

/// A file that takes the number of a closed standard stream would get what is printed there.
void OpenStandardStreams() {
  for (int fd = ::open("/dev/null", O_RDWR); fd >= 0; fd = ::open("/dev/null", O_RDWR)) {
    if (fd <= STDERR_FILENO) continue;
    ::close(fd);
    return;
  }
}

/// A table that did not arrive is no success.
int CheckPrinted(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::fprintf(stderr, "civita: standard output cannot be written: %s\n", std::strerror(errno));
  return code == kExitDone ? kExitFailed : code;
}

/// CLI11 says only that an unknown word was not expected.
void CheckCommand(int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  const std::string word = argv[1];
  const std::vector<std::string> verbs = {"run",  "compare",   "survive", "scenes", "keys",
                                          "eval", "reproduce", "bench",   "schema"};
  if (std::find(verbs.begin(), verbs.end(), word) != verbs.end()) return;
  for (const SceneInfo& scene : Scenes()) {
    if (word == scene.name) {
      std::string message = "unknown command '" + word;
      message += "' (did you mean 'civita run " + word + "'?)";
      throw UserError(message);
    }
  }
  throw UserError(UnknownName("command", word, verbs) + "; civita --help tells more");
}

int ParseAndRun(int argc, const char* const* argv, int (*run_in_window)(const RunOptions&)) {
  CheckCommand(argc, argv);
  RunOptions options;
  CLI::App app(kAbout, "civita");
  app.set_version_flag("--version", "civita " + std::string(kVersion) + " (" +
                                        std::string(kGitDescribe) + "), MuJoCo " +
                                        std::string(kMujocoVersion));
  app.footer(kExamples);
  CLI::App* run = app.add_subcommand("run", kRunAbout);
  run->footer(kRunFooter);
  AddRunOptions(run, &options);
  const CLI::App* scenes = app.add_subcommand("scenes", "Lists the scenes.");
  KeysOptions keys_options;
  const CLI::App* keys = AddKeysCommand(&app, &keys_options);
  const CLI::App* schema = AddSchemaCommand(&app);
  CompareOptions compare_options;
  const CLI::App* compare = AddCompareCommand(&app, &compare_options);
  SurviveOptions survive_options;
  const CLI::App* survive = AddSurviveCommand(&app, &survive_options);
  EvalOptions eval_options;
  const CLI::App* eval = AddEvalCommand(&app, &eval_options);
  ReproduceOptions reproduce_options;
  const CLI::App* reproduce = AddReproduceCommand(&app, &reproduce_options);
  BenchOptions bench_options;
  const CLI::App* bench = AddBenchCommand(&app, &bench_options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);
    throw UserError(std::string(error.what()) + " (civita --help tells more)");
  }
  if (scenes->parsed()) return ListScenes();
  if (keys->parsed()) return RunKeys(keys_options);
  if (schema->parsed()) return RunSchema();
  if (compare->parsed()) return RunCompare(compare_options);
  if (survive->parsed()) return RunSurvive(survive_options);
  if (eval->parsed()) return RunEval(eval_options);
  if (reproduce->parsed()) return RunReproduce(reproduce_options);
  if (bench->parsed()) return RunBench(bench_options);
  CheckRunOptions(*run, options);
  if (options.headless) return RunHeadless(options);
  if (run_in_window == nullptr) {
    throw UserError("this civita was built without its window; use --headless");
  }
  return run_in_window(options);
}

}  // namespace

int RunProgram(int argc, const char* const* argv, int (*run_in_window)(const RunOptions&)) {
  OpenStandardStreams();
  try {
    CheckMujocoVersion();
    mju_setLogHandler(HandleMujocoLog);
    return CheckPrinted(ParseAndRun(argc, argv, run_in_window));
  } catch (const UserError& error) {
    std::fprintf(stderr, "civita: %s\n", error.what());
    return kExitBadInput;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "civita: internal error: %s\n", error.what());
    return kExitFailed;
  }
}

}  // namespace civita
