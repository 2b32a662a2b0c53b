#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "app/flags.h"
#include "app/verbs/options.h"
#include "app/verbs/poe/poe.h"
#include "civita/study/poe/poe_functions.h"

namespace civita {
namespace {

constexpr const char* kPoeAbout =
    "Dynamics of a serial chain given as a product of exponentials: a function of Modern Robotics, "
    "chapter 8, at one state or along a trajectory, as JSON.";

constexpr const char* kPoeFooter = R"(
States: {"states": [{"theta": [...], "tau": [...], ...}, ...]}, one for each instant. What is left
out is zero; flags apply to every state. The output has this form and may be read again.

Examples:
  civita poe inverse_dynamics_rnea config/poe/ur5_three_links.yaml --theta 0.1,0.1,0.1 \
      --dtheta 0.1,0.2,0.3 --ddtheta 2,1.5,1 --F-tip 1,1,1,1,1,1
    gives the torques of the book's code, 74.69616155287…, -33.06766015851…, -3.23057313790…
  civita poe euler_step --theta 0.1,0.1,0.1 --dtheta 0.1,0.2,0.3 --ddtheta 2,1.5,1 --dt 0.1
  civita poe inverse_dynamics_trajectory arm.yaml --states motion.json |
    civita poe forward_dynamics_trajectory arm.yaml --states - --dt 0.01 --resolution 8
)";

void AddPoeOptions(CLI::App* command, PoeOptions* options) {
  command->add_option("function", options->function, "what to compute, a name as below")
      ->type_name("FUNCTION")
      ->required();
  command
      ->add_option(
          "file", options->file,
          "the chain, a YAML file with M_list, G_list, S_list; ad and euler_step need none")
      ->type_name("FILE");
  for (std::size_t i = 0; i < kNumPoeInputs; ++i) {
    const PoeInputInfo& info = InfoOf(static_cast<PoeInput>(i));
    command->add_option(kFlags(info.name), options->inputs[i], std::string(info.doc))
        ->type_name("X,…");
  }
  command->add_option("--states", options->states, "one state or many, instead of flags")
      ->type_name("FILE|-");
  command->add_option("--dt", options->dt_s, "time between states, of euler_step the step")
      ->type_name("SECONDS");
  command
      ->add_option("--resolution", options->resolution,
                   "forward_dynamics_trajectory: Euler steps in each --dt; default 1")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  AddOutFile(command, &options->out);
  command->add_option("--format", options->format, "of the output; npz needs --out")
      ->type_name("json|npz")
      ->capture_default_str();
}

}  // namespace

std::function<int()> AddPoe(CLI::App* command, const Registry& /*registry*/) {
  const auto options = std::make_shared<PoeOptions>();
  command->description(kPoeAbout);
  command->footer("\nFunctions: what they take -> give\n" + DescribePoeFunctions() + kPoeFooter);
  AddPoeOptions(command, options.get());
  return [options] { return RunPoe(*options); };
}

}  // namespace civita
