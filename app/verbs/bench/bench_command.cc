#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/verbs/bench/bench.h"
#include "app/verbs/options.h"
#include "civita/error.h"
#include "civita/scenes/registry.h"

namespace civita {
namespace {

constexpr double kWindowSeconds = 5;

constexpr const char* kBenchAbout =
    "Times H, C, Christoffel symbols, inverse dynamics and more on one core, from the state to all "
    "output.";

constexpr const char* kBenchFooter = R"(
Models: chainN, treeN, bipedN, quadrupedN with N hinges (1 to 300), biped and quadruped floating,
random inertias from a fixed seed; or any scene, MJCF or URDF file.
Flops are what the kernels' vectors do, counted by running them with numbers that count; the shares
are those of this core's peak, measured by a loop of multiply-adds, and of the time that merely
writing as much output takes. Batches are as many states as a vector holds, then 64 on all cores.
--window opens the window on the arm and measures the work of a frame without 3-D with twelve plots
of a minute, the first frame, the control step beside a run without window, the CPU while the
window is hidden, and memory; --seconds is then the length of each measurement (default 5).
--peer times MuJoCo's and Pinocchio's own functions in turn with ours, after a comparison of the
numbers; scripts/peers installs and builds what Pinocchio needs.
The folder (--out) gets benchmarks.md, benchmarks.json and, with --scaling, benchmarks.svg; files of
the same names are replaced.
Exit codes: 0 done, 1 a peer computes other numbers, 2 bad input, 130 interrupted (what was
measured is kept).
)";

}  // namespace

std::function<int()> AddBench(CLI::App* command, const Registry& registry) {
  const auto options = std::make_shared<BenchOptions>();
  command->description(kBenchAbout);
  command->footer(kBenchFooter);
  command->add_option("--models", options->models, "what to time them on")
      ->type_name("MODEL,…")
      ->delimiter(',')
      ->expected(1)
      ->take_all()
      ->capture_default_str();
  command->add_flag("--scaling", options->scaling, "also C+H and Gamma for 5 to 200 joints");
  command->add_flag("--peer", options->peer, "beside MuJoCo and, if built, Pinocchio");
  command->add_option("--json", options->json, "write FILE")->type_name("FILE");
  AddOutDirectory(command, "write the record into DIR", &options->out);
  CLI::Option* seconds = command->add_option("--seconds", options->seconds, "of each measurement")
                             ->type_name("S")
                             ->capture_default_str()
                             ->check(CLI::Range(0.001, 3600.0));
  CLI::Option* window = command->add_flag("--window", options->window, "times the window instead");
  command->add_option("--switches", options->switches, "of the scene, for the window's memory")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(2, 1000))
      ->needs(window);
  for (const char* other : {"--models", "--out", "--scaling", "--peer"})
    window->excludes(command->get_option(other));
  return [options, seconds, bench_window = registry.bench_window] {
    if (!options->window) return RunBench(*options);
    if (bench_window == nullptr) throw UserError("--window: this civita was built without it");
    if (seconds->count() == 0) options->seconds = kWindowSeconds;
    return bench_window(*options);
  };
}

}  // namespace civita
