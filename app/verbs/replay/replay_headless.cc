#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "app/interrupt.h"
#include "app/program.h"
#include "app/verbs/replay/replay.h"
#include "civita/sim/run_record.h"
#include "civita/sim/signals.h"
#include "civita/sim/simulation.h"

namespace civita {
namespace {

bool IsSame(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

struct Verdict {
  std::size_t rows = 0;  ///< equal from the first on
  std::string difference;
  bool interrupted = false;
};

Verdict Compare(const RunRecord& record, const SignalTable& table, Simulation* simulation) {
  const InterruptGuard guard;
  Verdict verdict;
  std::vector<double> row(table.width());
  for (; verdict.rows < record.size(); ++verdict.rows) {
    if (guard.interrupted()) {
      verdict.interrupted = true;
      return verdict;
    }
    if (!simulation->Step()) {
      verdict.difference = simulation->failure().reason;
      return verdict;
    }
    table.Fill(simulation->record(), std::span(row));
    const std::span<const double> recorded = record.row(verdict.rows);
    for (std::size_t c = 0; c < table.timings_begin(); ++c) {
      if (IsSame(row[c], recorded[c])) continue;
      char numbers[80];
      std::snprintf(numbers, sizeof numbers, ": %.17g, recorded %.17g", row[c], recorded[c]);
      verdict.difference = table.columns()[c] + numbers;
      return verdict;
    }
  }
  return verdict;
}

}  // namespace

int ReplayHeadless(const std::string& directory) {
  RunRecord record(directory);
  Simulation simulation(LoadScene(record.config()));
  const SignalTable table(simulation.scene());
  record.Arrange(table);
  const Verdict verdict = Compare(record, table, &simulation);
  std::printf("%s · %zu rows, %g to %g s\n", record.config().name.c_str(), record.size(),
              record.t(0), record.t(record.size() - 1));
  if (verdict.interrupted) return kExitInterrupted;
  if (verdict.difference.empty()) {
    std::printf("  repeated bit for bit\n");
    return kExitDone;
  }
  std::printf("  the same bits up to row %zu, t = %g s; then %s\n", verdict.rows,
              record.t(verdict.rows), verdict.difference.c_str());
  std::fprintf(stderr, "civita: the run is not repeated: %s\n", verdict.difference.c_str());
  return kExitFailed;
}

}  // namespace civita
