#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

#include "app/verbs/run/run.h"
#include "app/verbs/verb.h"
#include "civita/error.h"
#include "civita/scenes/registry.h"

namespace civita {
namespace {

constexpr const char* kReplayAbout =
    "Shows a recorded run: the picture and all plots from the files of its folder, without a "
    "simulation.";

constexpr const char* kReplayFooter = R"(
Two folders of runs with the same robot and rate are shown together, as a comparison, from where both
have begun; so are the two runs of a recorded comparison, of which B is in the folder of that name.
civita verify DIR simulates a run anew and compares every row with the recorded one.
)";

}  // namespace

std::function<int()> AddReplay(CLI::App* command, const Registry& registry) {
  const auto options = std::make_shared<RunOptions>();
  command->description(kReplayAbout)->footer(kReplayFooter);
  command->add_option("directory", options->replay, "a run folder, or two")
      ->required()
      ->expected(1, 2)
      ->type_name("DIR");
  AddWindowOptions(command, options.get());
  return [options, run_in_window = registry.run_in_window] {
    if (run_in_window == nullptr) {
      throw UserError("this civita was built without its window; civita verify DIR needs none");
    }
    return run_in_window(*options);
  };
}

}  // namespace civita
