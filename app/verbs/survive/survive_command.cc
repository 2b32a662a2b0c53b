#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/flags.h"
#include "app/interrupt.h"
#include "app/program.h"
#include "app/terminal.h"
#include "app/verbs/options.h"
#include "app/verbs/verb.h"
#include "civita/error.h"
#include "civita/sim/output_file.h"
#include "civita/sim/output_folder.h"
#include "civita/study/survive/survive.h"

namespace civita {
namespace {

/// Runs the trials, prints the table, writes the files into a folder; an empty `out` is none.
/// `resume`: less those that the folder holds.
/// @returns an ExitCode. @throws UserError.
int RunSurvive(SurviveOptions options, const std::string& out, bool resume) {
  if (resume && out.empty()) throw UserError("--resume: needs --out, the folder to go on with");
  const InterruptGuard guard;
  std::optional<OutputFolder> folder;
  if (!out.empty()) {
    folder.emplace(out);
    const std::filesystem::path file = std::filesystem::path(out) / "survival.json";
    if (resume && exists(file)) options.known = ReadSurvivalJson(file);
    options.keep = [file](const SurvivalTable& done) {
      WriteWhole(file, FormatSurvivalJson(done));
    };
  }
  const SurvivalTable table = [&] {
    ProgressLine progress;
    return RunTrials(options, progress.watch());
  }();
  const std::string text = FormatSurvival(table);
  PrintOut(text);
  if (folder) {
    const std::filesystem::path directory = out;
    WriteWhole(directory / "survival.md", text);
    WriteWhole(directory / "survival.json", FormatSurvivalJson(table));
    WriteWhole(directory / kTableFile, ToJson(PushesTable(table)));
  }
  if (!table.interrupted) return kExitDone;
  size_t done = 0;
  for (const SurvivalRow& row : table.rows) done += row.trials.size();
  PrintError("interrupted after " + std::to_string(done) + " of " +
             std::to_string(table.rows.size() * static_cast<size_t>(table.trials)) + " trials");
  return kExitInterrupted;
}

constexpr const char* kSurviveAbout =
    "Pushes a legged robot over and over, by seed, and counts how often it survives.";

constexpr const char* kSurviveExamples = R"(
Examples:
  civita survive go2 --push 1 --without-steps
  civita survive go2 g1 --push 1.2,1.5,2 --out results/pushes
  civita survive g1 --push 1.5 --all-errors --set plant.mass_scale=1.2
  civita survive go2 --set reference.type=body --set reference.motion=walk --impulse 20
  civita survive go2 --push 2 --vary factorization=christoffel,t:1

)";

constexpr const char* kSurviveOutput =
    R"(The table and its definitions go to standard output; the folder (--out) gets them as survival.md,
and survival.json with every trial, renewed every ten seconds: --resume goes on from there, also
after a kill. All are the same whatever --jobs says, and however often it was interrupted.
Exit codes: 0 done, 2 bad input, 130 interrupted (the table tells of the trials that were done).
)";

std::string SurviveFooter() {
  std::string text = kSurviveExamples + std::string("--all-errors is short for --set of:");
  std::size_t column = text.size() - text.rfind('\n') - 1;
  for (const std::string& error : AllErrors()) {
    const bool last = &error == &AllErrors().back();
    const bool wraps = column + error.size() + 2 > 100;
    text += (wraps ? "\n" : " ") + error + (last ? ";\n" : ",");
    column = (wraps ? 0 : column + 1) + error.size() + 1;
  }
  return text + "what --set and --vary say goes before it.\n" + kSurviveOutput;
}

}  // namespace

std::function<int()> AddSurvive(CLI::App* command, const Registry& /*registry*/) {
  const auto options = std::make_shared<SurviveOptions>();
  const auto out = std::make_shared<std::string>();
  const auto resume = std::make_shared<bool>(false);
  options->called = kFlags;
  command->description(kSurviveAbout);
  command->footer(SurviveFooter());
  AddValue(command, "scene", "SCENE", "scenes or configs of legged robots", &options->scenes)
      ->required();
  const auto list = [command](const char* flag, std::vector<double>* values, const char* help) {
    AddValue(command, flag, "X,…", help, values)->delimiter(',')->allow_extra_args(false);
  };
  list("--push", &options->shares,
       "impulses in shares of the ceiling m·ω·d of a stand without steps; else 1");
  list("--impulse", &options->impulses, "impulses in N·s");
  AddValue(command, "--trials", "N", "of each row", &options->trials)
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  AddSeed(command, "first seed; each trial has its own", &options->seed);
  AddJobs(command, &options->jobs);
  command->add_flag("--without-steps", options->without_steps, "the robot must not lift a foot");
  command->add_flag("--all-errors", options->all_errors,
                    "noise, actuation delay, unknown masses; an observer");
  AddRepeatable(command, "--set", "KEY=VALUE", "override a key of the config", &options->overrides);
  AddFactorization(command, &options->overrides);
  AddRepeatable(command, "--vary", "KEY=A,B,…", "rows that differ in this key",
                &options->variations);
  AddOutDirectory(command, "write the files into DIR", out.get());
  command->add_flag("--resume", *resume, "go on with the trials that --out holds");
  return [options, out, resume] { return RunSurvive(*options, *out, *resume); };
}

}  // namespace civita
