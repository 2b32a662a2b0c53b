#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/flags.h"
#include "app/program.h"
#include "app/terminal.h"
#include "app/verbs/options.h"
#include "app/verbs/verb.h"
#include "base/number_text.h"
#include "base/text.h"
#include "civita/error.h"
#include "civita/json/model_json.h"
#include "civita/sim/output_file.h"
#include "civita/sim/output_folder.h"
#include "civita/study/identify/identify.h"
#include "civita/study/identify/recorded_motion.h"
#include "civita/study/model/load_model.h"
#include "civita/study/table.h"

namespace civita {
namespace {

namespace fs = std::filesystem;

/// Options of `civita identify`.
struct IdentifyCommand {
  std::vector<std::string> runs, held_out;
  std::string model, propose, out;
  std::vector<double> noise;  ///< of q, v and τ
  std::optional<int> seed;
  IdentifyOptions options;
};

std::string Number(double x, int digits = 4) {
  return std::isnan(x) ? "–" : internal::General(x, digits);
}

void PrintFound(const Identification& found, const IdentifyCommand& command, const Model& model) {
  PrintOut(internal::Count(command.runs.size(), "motion") + " · " +
           internal::Count(static_cast<size_t>(found.windows), "window") + " of " +
           Number(command.options.window) + " s · " +
           internal::Count(found.names.size(), "base parameter") + "\n" +
           "  condition number               " + Number(found.condition, 3) + "\n" +
           "  residuals correlated over      " +
           internal::Count(static_cast<size_t>(found.lags), "window") + "\n" +
           "  largest bias by noise          " + Number(found.largest_bias, 2) +
           " of half an interval\n\n");
  Table table{.names = {.title = "base parameter", .is_text = true},
              .columns = {{"value"}, {"± 95 %"}, {"bias"}, {"physical"}, {"model"}, {"", true}}};
  for (size_t i = 0; i < found.names.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    const bool is_alone = found.combinations[i] == found.names[i];
    table.AddRow(
        found.names[i] + (is_alone ? "" : " + …"),
        {Number(found.values[at], 5), Number(found.half_widths[at], 2), Number(found.bias[at], 1),
         Number(found.physical_values[at], 5), Number(found.model_values[at], 5), found.units[i]});
  }
  PrintOut(ToTerminal(table));
  Table torques{.names = {.title = "torque", .is_text = true},
                .columns = {{"residual"}, {"held out"}, {"noise"}}};
  for (int i = 0; i < model.nv(); ++i) {
    torques.AddRow(model.VelocityName(i),
                   {Number(found.residual[i], 3), Number(found.held_out[i], 3),
                    Number(found.torque_noise[i], 3)});
  }
  PrintOut("\n" + ToTerminal(torques));
  if (!found.without_effect.empty())
    PrintOut("\n  without effect   " + internal::Join(found.without_effect, ", ") + "\n");
  if (!found.undetermined.empty())
    PrintOut("\n  not identified   " + internal::Join(found.undetermined, "\n                   ") +
             "\n");
  constexpr double kMostBias = 0.25;
  if (found.largest_bias > kMostBias)
    PrintNote("noise of q and v biases an estimate by " + Number(found.largest_bias, 2) +
              " of half its interval; a longer --window averages more of it");
}

std::vector<MotionSamples> Read(const std::vector<std::string>& paths, const Model& model,
                                const IdentifyCommand& command, int first_seed) {
  std::vector<MotionSamples> motions;
  for (const std::string& path : paths) {
    motions.push_back(ReadMotion(path, model));
    if (command.noise.empty()) continue;
    CheckSamples(model, motions.back());
    const auto level = [&](size_t i) {
      return Eigen::VectorXd::Constant(model.nv(), command.noise[i]);
    };
    motions.back() = WithNoise(model, motions.back(), {level(0), level(1), level(2)},
                               first_seed + static_cast<int>(motions.size()));
  }
  return motions;
}

/// Prints what the motions tell of the robot's parameters, and writes the files. @returns an
/// ExitCode. @throws UserError.
int RunIdentify(const IdentifyCommand& command) {
  std::optional<OutputFolder> folder;
  if (!command.out.empty()) folder.emplace(command.out);
  const Model model = command.model.empty()
                          ? ReadRunModel(command.runs.front())
                          : LoadModel(command.model, {.loops = false, .called = kFlags}).model;
  constexpr int kApart = 1'000'000;  // seeds of the noise
  const int seed = kApart * (1 + 2 * command.seed.value_or(1));
  const std::vector<MotionSamples> motions = Read(command.runs, model, command, seed);
  const Identification found = Identify(
      model, motions, Read(command.held_out, model, command, seed + kApart), command.options);
  PrintFound(found, command, model);
  if (folder) {
    const fs::path directory = command.out;
    WriteWhole(directory / "identification.json", FormatIdentificationJson(found));
    const Eigen::Index size =
        kNumBodyParameters * static_cast<Eigen::Index>(BodyFrames(model).size());
    WriteWhole(directory / "model.json",
               WriteModelJson(WithModelParameters(model, found.physical.head(size))));
  }
  if (command.propose.empty()) return kExitDone;
  const double before = CalcExcitation(model, motions, command.options);
  const Excitation better =
      ProposeExcitation(command.runs.front(), motions.front(), command.options.window);
  WriteWhole(command.propose, ToYaml(better.config));
  PrintOut("\n  excitation       condition " + Number(before, 3) + " of these motions, " +
           Number(better.condition, 3) + " of the best of " + std::to_string(better.tried) +
           " Fourier series (seed " + std::to_string(better.config.seed) + ")\n" +
           "                   civita run " + command.propose + " --headless --out DIR\n");
  return kExitDone;
}

constexpr const char* kIdentifyAbout =
    "Finds a robot's inertial parameters and friction from recorded motions: q, v and torques.";

constexpr const char* kIdentifyFooter = R"(
A RUN is a run folder, or a CSV file with the columns t, /q/0, …, /v/0, …, /tau/0, …, or an NPZ file
with t and these, or with matrices q, v, tau; files need --model. There are no accelerations: the
law of momentum is integrated over windows of time.
Base parameters are the combinations that the motion depends on; their intervals are those of
unconstrained least squares. The physical ones are of bodies that exist, near the model where the
motions do not tell. Robots with closed loops are refused.

Examples:
  civita run arm7_excitation --headless --out results/excitation
  civita identify results/excitation
  civita identify results/excitation --noise 1e-4,1e-3,0.1 --out results/identified
  civita identify results/arm7 --propose better.yaml
  civita identify log.csv --model robot.urdf --hold-out log2.csv

The folder (--out) gets identification.json, and model.json, the model with the physical parameters.
Exit codes: 0 done, 2 bad input.
)";

}  // namespace

std::function<int()> AddIdentify(CLI::App* command, const Registry& /*registry*/) {
  const auto options = std::make_shared<IdentifyCommand>();
  command->description(kIdentifyAbout)->footer(kIdentifyFooter);
  AddValue(command, "runs", "RUN", "run folders, CSV and NPZ files", &options->runs)->required();
  AddValue(command, "--model", "MODEL", "the robot as it is believed to be; default: the law's",
           &options->model);
  AddNames(command, "--hold-out", "more runs, which are predicted and not fitted",
           &options->held_out);
  AddValue(command, "--window", "SECONDS", "length of a window; longer ones average more noise",
           &options->options.window)
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_flag("--armature", options->options.armature, "identify the joints' armatures, too");
  AddValue(command, "--noise", "Q,V,TAU", "noise to add: what a real robot's sensors would have",
           &options->noise)
      ->delimiter(',')
      ->expected(3)
      ->check(CLI::NonNegativeNumber);
  AddSeed(command, "of the noise that is added", &options->seed);
  AddJobs(command, &options->options.jobs);
  AddValue(command, "--propose", "FILE", "write a config of a motion that tells more",
           &options->propose);
  AddOutDirectory(command, "write the files into DIR", &options->out);
  return [options] { return RunIdentify(*options); };
}

}  // namespace civita
