#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/interrupt.h"
#include "app/program.h"
#include "app/verbs/options.h"
#include "app/verbs/reproduce/reproduce.h"
#include "app/verbs/reproduce/reproduction.h"
#include "app/verbs/verb.h"
#include "civita/error.h"
#include "civita/sim/output_file.h"
#include "civita/sim/output_folder.h"
#include "civita/suggest.h"

namespace civita {
namespace {

/// Options of `civita reproduce`.
struct ReproduceOptions {
  std::string name;  ///< one of Reproductions(), or "all"
  std::string out;   ///< folder for CSV, SVG and JSON; empty: none
};

constexpr const char* kReproduceAbout =
    "Computes a result of the papers anew and prints expected values, of the papers or as their "
    "source says, beside ours. NAME is one of those below, or all.";

constexpr const char* kReproduceFooterEnd = R"(
The folder (--out) gets NAME.json with the verdict, CSV files, and SVG files where there is a
figure; of all of them, too, all.html and all.json that hold every verdict, table and figure. Files
of the same names are replaced.
A conclusion of a paper that is known not to hold here is "not reproduced", with the reason; it
fails where it does hold.
Exit codes: 0 all within the tolerances or known not to be reproduced, 1 not all, 2 bad input,
3 skipped, as this build lacks a library or program (its line says which), 130 interrupted (files
are kept).
)";

/// The table of names, for the help.
std::string ReproduceFooter() {
  std::size_t width = 0;
  for (const ReproductionInfo& info : Reproductions()) width = std::max(width, info.name.size());
  std::string text;
  for (const ReproductionInfo& info : Reproductions()) {
    std::string name(info.name);
    name.resize(width + 2, ' ');
    text += "  " + name + std::string(info.line) + "\n";
  }
  return text + kReproduceFooterEnd;
}

constexpr std::array kReproductions = {
    ReproductionInfo{"pointmass",
                     "V alike and paths apart, C = 0, −5(v×), −10(v×): [WES], figures 4 to 7",
                     "own integration", &ReproducePointMass},
    ReproductionInfo{"arm7", "the same on an arm of seven joints: V alike, twist apart", "theory",
                     &ReproduceArm7},
    ReproductionInfo{"payload", "2 kg in the hand of an arm, learnt in 20 s by the adaptive law",
                     "true value", &ReproducePayload},
    ReproductionInfo{"connections",
                     "geometry of C: [WES], section I, figures 1 to 3, (6) and (29) to (32)",
                     "theory", &ReproduceConnections},
    ReproductionInfo{"clusters",
                     "algorithms 1 and 2 of closed chains as printed, with times: [WES], VI-C",
                     "theory", &ReproduceClusters},
    ReproductionInfo{"verification",
                     "C v, Ḣ and Γ·v of chains and trees of 10 to 30 tubes: [EW], section 5",
                     "[EW], section 5", &ReproduceVerification},
    ReproductionInfo{"symbolic",
                     "formulas of Γ by algorithm 2 and by partials of H, with times: [EW], table 2",
                     "[EW], table 2", &ReproduceSymbolic},
    ReproductionInfo{"table1", "times of C and Γ of four mechanisms: [EW], table 1",
                     "[EW], table 1", &ReproduceTable1},
    ReproductionInfo{"fig2", "times of C and Γ of chains of 5 to 200 joints: [EW], figure 2",
                     "[EW], figure 2", &ReproduceFigure2},
    ReproductionInfo{"fig3", "the same of binary trees: [EW], figure 3", "[EW], figure 3",
                     &ReproduceFigure3},
    ReproductionInfo{"fig4", "the same of bipeds and quadrupeds: [EW], figure 4", "[EW], figure 4",
                     &ReproduceFigure4},
};

std::vector<std::string> ValidNames() {
  std::vector<std::string> names;
  names.reserve(kReproductions.size() + 1);
  for (const ReproductionInfo& info : kReproductions) names.emplace_back(info.name);
  names.emplace_back("all");
  return names;
}

/// Of two exit codes the one that says more: interrupted, failed, skipped, done.
int Worse(int a, int b) {
  constexpr std::array kOrder = {kExitDone, kExitSkipped, kExitFailed, kExitInterrupted};
  return *std::max(std::ranges::find(kOrder, a), std::ranges::find(kOrder, b));
}

/// Prints a line for each result, and writes the report.
void Conclude(const std::vector<ReproductionResult>& results, const std::filesystem::path& out) {
  std::printf("all:\n");
  for (const ReproductionResult& result : results) {
    std::printf("  %-14s%s\n", result.name.c_str(), result.verdict.c_str());
  }
  if (out.empty()) return;
  WriteWhole(out / "all.json", FormatAllJson(results));
  WriteWhole(out / "all.html", FormatAllHtml(results));
  std::printf("  report: %s\n", (out / "all.html").c_str());
}

/// Prints the expected values, of papers or as their source says, beside ours. @returns an
/// ExitCode: kExitFailed when one is outside its tolerance, else kExitSkipped when this build
/// cannot do one. @throws UserError.
int RunReproduce(const ReproduceOptions& options) {
  const std::vector<std::string> names = ValidNames();
  if (std::find(names.begin(), names.end(), options.name) == names.end()) {
    throw UserError(UnknownName("reproduction", options.name, names));
  }
  const InterruptGuard guard;  // before any file is created
  std::optional<OutputFolder> folder;
  if (!options.out.empty()) folder.emplace(options.out);
  const bool all = options.name == "all";
  std::vector<ReproductionResult> results;
  int code = kExitDone;
  for (const ReproductionInfo& info : kReproductions) {
    if (!all && options.name != info.name) continue;
    std::printf("%s: %s\n", std::string(info.name).c_str(), std::string(info.line).c_str());
    Reproduction reproduction(info.name, options.out, info.source);
    info.run(&reproduction);
    code = Worse(code, reproduction.Finish());
    results.push_back(reproduction.result());
    if (code == kExitInterrupted) break;
  }
  if (all) Conclude(results, options.out);
  return code;
}

}  // namespace

std::function<int()> AddReproduce(CLI::App* command, const Registry& /*registry*/) {
  const auto options = std::make_shared<ReproduceOptions>();
  command->description(kReproduceAbout);
  command->footer(ReproduceFooter());
  command->add_option("name", options->name, "what to reproduce")->type_name("NAME")->required();
  AddOutDirectory(command, "write the files into DIR", &options->out);
  return [options] { return RunReproduce(*options); };
}

std::span<const ReproductionInfo> Reproductions() { return kReproductions; }

}  // namespace civita
