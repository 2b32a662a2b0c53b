#include "app/verbs/verify/verify.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/interrupt.h"
#include "app/program.h"
#include "app/terminal.h"
#include "civita/sim/output_file.h"
#include "civita/sim/run_hash.h"
#include "civita/sim/run_json.h"
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

Verdict Compare(RunRecord* record, const SignalTable& table, Simulation* simulation) {
  const InterruptGuard guard;
  simulation->set_stop(InterruptGuard::flag());
  Verdict verdict;
  std::vector<double> row(table.width());
  for (; verdict.rows < record->size(); ++verdict.rows) {
    if (guard.interrupted()) {
      verdict.interrupted = true;
      return verdict;
    }
    if (!simulation->Step()) {
      verdict.interrupted = !simulation->failure().failed;
      verdict.difference = simulation->failure().reason;
      return verdict;
    }
    table.Fill(simulation->record(), std::span(row));
    const std::span<const double> recorded = record->row(verdict.rows);
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

/// What run.json tells of the run; nothing of a killed one or of an earlier version's.
struct Told {
  std::string hash;
  std::size_t num_events = 0;  ///< what was changed by hand
};

Told ReadTold(const std::filesystem::path& directory) {
  Told told;
  const nlohmann::json run = ReadRunJson(directory);
  if (run.contains("hash") && run["hash"].is_string()) told.hash = run["hash"];
  if (run.contains("events")) told.num_events = run["events"].size();
  return told;
}

/// That of the recorded rows.
std::string HashOf(RunRecord* record, const SignalTable& table) {
  RunHash hash(std::span(table.columns()).first(table.timings_begin()));
  for (std::size_t k = 0; k < record->size(); ++k) {
    hash.Add(record->t(k), record->row(k).first(table.timings_begin()));
  }
  return hash.text();
}

std::string Number(double x) {
  std::string text;
  AppendNumber(x, &text);
  return text;
}

}  // namespace

int RunVerify(const std::string& directory) {
  RunRecord record(directory);
  const Told told = ReadTold(directory);
  Simulation simulation(LoadScene(record.config()));
  const SignalTable table(simulation.scene());
  record.Arrange(table);
  const Verdict verdict = Compare(&record, table, &simulation);
  PrintOut(record.config().name + " · " + std::to_string(record.size()) + " rows, " +
           Number(record.t(0)) + " to " + Number(record.t(record.size() - 1)) + " s\n");
  if (verdict.interrupted) return kExitInterrupted;
  const std::string hash = HashOf(&record, table);
  if (!told.hash.empty() && told.hash != hash) {
    PrintError("signals.csv is not what the run wrote: its hash is " + hash + ", run.json says " +
               told.hash);
    return kExitFailed;
  }
  if (verdict.difference.empty()) {
    PrintOut("  repeated bit for bit, hash " + hash + "\n");
    return kExitDone;
  }
  PrintOut("  the same bits up to row " + std::to_string(verdict.rows) +
           ", t = " + Number(record.t(verdict.rows)) + " s; then " + verdict.difference + "\n");
  PrintError("the run is not repeated: " + verdict.difference +
             (told.num_events > 0 ? "; it was changed by hand while it ran" : ""));
  return kExitFailed;
}

}  // namespace civita
