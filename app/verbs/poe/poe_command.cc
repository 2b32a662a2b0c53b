#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/flags.h"
#include "app/interrupt.h"
#include "app/verbs/eval/eval_output.h"
#include "app/verbs/options.h"
#include "app/verbs/verb.h"
#include "civita/error.h"
#include "civita/scenes/plant/poe_file.h"
#include "civita/study/evaluate/eval_states.h"
#include "civita/study/poe/poe_functions.h"
#include "civita/study/poe/poe_states.h"

namespace civita {
namespace {

using Json = nlohmann::ordered_json;

/// Options of `civita poe`.
struct PoeOptions {
  std::string function;
  std::string file;    ///< product of exponentials; empty: none
  std::string states;  ///< file, "-" for standard input; empty: one state
  /// By PoeInput: numbers as text, which apply to every state.
  std::array<std::optional<std::string>, kNumPoeInputs> inputs;
  std::optional<double> dt_s;
  std::optional<int> resolution;
  std::string out;  ///< empty: standard output
  std::string format = "json";
};

/// A flag that the function does not take.
[[noreturn]] void RefuseFlag(std::string_view flag, const PoeFunction& function) {
  std::string taken;
  for (const PoeInput input : function.inputs) taken += ", " + kFlags(InfoOf(input).name);
  if (function.takes_dt) taken += ", --dt";
  if (function.takes_resolution) taken += ", --resolution";
  throw UserError(std::string(flag) + ": " + std::string(function.name) + " takes " +
                  taken.substr(2));
}

void CheckOptions(const PoeOptions& options, const PoeFunction& function) {
  if (options.format == "npz" && options.out.empty()) {
    throw UserError("--format npz: needs --out FILE");
  }
  for (std::size_t i = 0; i < kNumPoeInputs; ++i) {
    const auto input = static_cast<PoeInput>(i);
    const bool taken = std::ranges::find(function.inputs, input) != function.inputs.end();
    if (options.inputs[i] && !taken) RefuseFlag(kFlags(InfoOf(input).name), function);
  }
  if (options.dt_s && !function.takes_dt) RefuseFlag("--dt", function);
  if (options.resolution && !function.takes_resolution) RefuseFlag("--resolution", function);
  if (function.takes_dt && !options.dt_s) {
    throw UserError(std::string(function.name) + " needs --dt SECONDS");
  }
  if (options.dt_s && !(std::isfinite(*options.dt_s) && *options.dt_s > 0)) {
    throw UserError("--dt: must be a number of seconds > 0");
  }
}

std::optional<poe::Robot> ReadRobot(const PoeOptions& options, const PoeFunction& function) {
  if (options.file.empty()) {
    if (!function.needs_robot) return std::nullopt;
    throw UserError(std::string(function.name) +
                    " needs FILE, a product of exponentials (.yaml) with M_list, G_list, S_list");
  }
  std::optional<poe::Robot> robot = ReadPoeFile(options.file);
  if (robot) return robot;
  throw UserError(options.file +
                  ": is no product of exponentials: lacks M_list, G_list and S_list");
}

PoeStates ReadStates(const PoeOptions& options, const std::optional<poe::Robot>& robot) {
  std::optional<int> n;
  if (robot) n = robot->model().nv();
  std::array<std::vector<double>, kNumPoeInputs> numbers;
  for (std::size_t i = 0; i < kNumPoeInputs; ++i) {
    if (!options.inputs[i]) continue;
    numbers[i] = ParsePoeNumbers(static_cast<PoeInput>(i), *options.inputs[i], kFlags);
    const bool by_joint = InfoOf(static_cast<PoeInput>(i)).width == 0;
    if (!n && by_joint) n = static_cast<int>(numbers[i].size());
  }
  PoeStates states =
      options.states.empty()
          ? PoeStates(1, n.value_or(1))
          : ParsePoeStates(ReadStatesText(options.states, kFlags),
                           options.states == "-" ? "standard input" : options.states, n);
  for (std::size_t i = 0; i < kNumPoeInputs; ++i) {
    const auto input = static_cast<PoeInput>(i);
    if (options.inputs[i]) states.SetAll(input, numbers[i], kFlags(InfoOf(input).name));
  }
  return states;
}

/// Inputs that the output repeats: all but those with a result of that name.
std::vector<PoeInput> RepeatedInputs(const PoeFunction& function) {
  std::vector<PoeInput> inputs = function.inputs;
  std::erase_if(inputs, [&](PoeInput input) {
    return std::ranges::find(function.outputs, InfoOf(input).name, &PoeOutput::name) !=
           function.outputs.end();
  });
  return inputs;
}

std::vector<EvalArray> ArraysOf(const PoeFunction& function, std::size_t n) {
  std::vector<EvalArray> arrays;
  for (const PoeInput input : RepeatedInputs(function)) {
    const PoeInputInfo& info = InfoOf(input);
    const std::size_t width = info.width == 0 ? n : static_cast<std::size_t>(info.width);
    arrays.push_back({std::string(info.name), {width}});
  }
  for (const PoeOutput& output : function.outputs) {
    arrays.push_back({std::string(output.name), ShapeOf(output, n)});
  }
  return arrays;
}

Json Describe(const PoeOptions& options, const PoeFunction& function,
              const std::optional<poe::Robot>& robot) {
  Json json = {{"function", function.name}};
  if (robot) {
    const Eigen::Vector3d& gravity = robot->model().gravity();
    json["model"] = options.file;
    json["n"] = robot->model().nv();
    json["gravity"] = {gravity.x(), gravity.y(), gravity.z()};
  }
  if (function.takes_dt) json["dt"] = *options.dt_s;
  if (function.takes_resolution) json["resolution"] = options.resolution.value_or(1);
  json["conventions"] = {
      {"equations", "M(theta) ddtheta + c(theta, dtheta) + g(theta) + J_tip(theta)^T F_tip = tau"},
      {"twists", "[angular; linear]; wrenches [moment; force]"},
      {"F_tip", "of the tip on its surroundings, in the tip frame"},
      {"arrays", "row-major: M[i][k] is row i, column k"}};
  return json;
}

/// Evaluates instant by instant and writes each result as it is computed. @returns an ExitCode.
int Evaluate(const PoeOptions& options, const PoeFunction& function,
             const std::optional<poe::Robot>& robot, const PoeStates& states) {
  const int n = static_cast<int>(states.at(PoeInput::kTheta, 0).size());
  const std::vector<EvalArray> arrays = ArraysOf(function, static_cast<std::size_t>(n));
  const InterruptGuard guard;  // before any file is created
  const std::unique_ptr<EvalWriter> writer =
      OpenEvalWriter(options.format, options.out, Describe(options, function, robot), arrays);
  PoeInstant instant(robot ? &*robot : nullptr, n, options.dt_s.value_or(0),
                     options.resolution.value_or(1));
  const std::vector<PoeInput> repeated = RepeatedInputs(function);
  std::vector<std::vector<double>> results;
  for (std::size_t i = repeated.size(); i < arrays.size(); ++i) {
    results.emplace_back(arrays[i].size());
  }
  const std::vector<std::span<double>> out(results.begin(), results.end());
  return WriteEachState(
      states.size(), !options.out.empty(), writer.get(),
      [&](std::size_t state, std::vector<std::span<const double>>* values) -> std::string {
        instant.Set(states, state);
        function.calc(instant, out);
        for (const PoeInput input : repeated) values->push_back(states.at(input, state));
        values->insert(values->end(), out.begin(), out.end());
        return std::ranges::all_of(results, AllFinite) ? "" : "a result is not a finite number";
      });
}

/// Computes and writes; progress goes to standard error. @returns an ExitCode. @throws UserError.
int RunPoe(const PoeOptions& options) {
  const PoeFunction& function = FindPoeFunction(options.function);
  CheckOptions(options, function);
  const std::optional<poe::Robot> robot = ReadRobot(options, function);
  const PoeStates states = ReadStates(options, robot);
  return Evaluate(options, function, robot, states);
}

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
  AddValue(command, "function", "FUNCTION", "what to compute, a name as below", &options->function)
      ->required();
  AddValue(command, "file", "FILE",
           "the chain, a YAML file with M_list, G_list, S_list; ad and euler_step need none",
           &options->file);
  for (std::size_t i = 0; i < kNumPoeInputs; ++i) {
    const PoeInputInfo& info = InfoOf(static_cast<PoeInput>(i));
    AddValue(command, kFlags(info.name), "X,…", std::string(info.doc), &options->inputs[i]);
  }
  AddValue(command, "--states", "FILE|-", "one state or many, instead of flags", &options->states);
  AddValue(command, "--dt", "SECONDS", "time between states, of euler_step the step",
           &options->dt_s);
  AddValue(command, "--resolution", "N",
           "forward_dynamics_trajectory: Euler steps in each --dt; default 1", &options->resolution)
      ->check(CLI::Range(1, 1000000));
  AddOutFile(command, &options->out);
  AddChoice(command, "--format", "of the output; npz needs --out", {"json", "npz"},
            &options->format);
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
