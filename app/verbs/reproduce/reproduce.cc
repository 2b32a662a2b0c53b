#include "app/verbs/reproduce/reproduce.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <vector>

#include "app/interrupt.h"
#include "app/program.h"
#include "app/verbs/reproduce/reproduction.h"
#include "app/verbs/reproduce/reproduction_report.h"
#include "civita/error.h"
#include "civita/sim/output_file.h"
#include "civita/sim/output_folder.h"
#include "civita/suggest.h"

namespace civita {
namespace {

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

}  // namespace

std::span<const ReproductionInfo> Reproductions() { return kReproductions; }

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

}  // namespace civita
