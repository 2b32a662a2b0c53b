#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/interrupt.h"
#include "app/program.h"
#include "app/terminal.h"
#include "app/verbs/verb.h"
#include "base/number_text.h"
#include "civita/sim/csv_rows.h"
#include "civita/sim/input_event.h"
#include "civita/sim/npz_file.h"
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
  std::size_t rows = 0;  ///< equal from the first recorded one on
  std::string difference;
  bool interrupted = false;
};

/// Changes the simulation as was done by hand before its next step.
class Hand {
 public:
  explicit Hand(std::vector<InputEvent> events) : events_(std::move(events)) {}

  /// @throws UserError where it cannot be done again.
  void Act(Simulation* simulation) {
    const double until = simulation->time() + 0.5 * simulation->control_dt();
    for (; next_ < events_.size() && events_[next_].t < until; ++next_) {
      const auto& [t, what, input] = events_[next_];
      try {
        if (!input.empty()) RepeatInput(input, simulation);
      } catch (const Error& error) {
        throw UserError("run.json: '" + what + "' at " + internal::ExactNumber(t) +
                        " s cannot be repeated: " + error.what());
      }
    }
  }

 private:
  std::vector<InputEvent> events_;
  std::size_t next_ = 0;
};

Verdict Compare(RunRecord* record, const SignalTable& table, Hand hand, Simulation* simulation) {
  const InterruptGuard guard;
  simulation->set_stop(InterruptGuard::flag());
  Verdict verdict;
  const auto step = [&] {  // the verdict says why not
    verdict.interrupted = guard.interrupted();
    if (verdict.interrupted) return false;
    hand.Act(simulation);
    if (simulation->Step()) return true;
    verdict.interrupted = !simulation->failure().failed;
    verdict.difference = simulation->failure().reason;
    return false;
  };
  std::vector<double> row(table.width());
  // A recording may begin within a run: its first row is that of a later step.
  const long first = std::lround(record->t(0) / simulation->control_dt());
  while (simulation->step() < first) {
    if (!step()) return verdict;
  }
  for (; verdict.rows < record->size(); ++verdict.rows) {
    if (!step()) return verdict;
    table.Fill(simulation->record(), std::span(row));
    const double t = simulation->record().t, recorded_t = record->t(verdict.rows);
    if (!IsSame(t, recorded_t)) {
      verdict.difference =
          "t: " + internal::ExactNumber(t) + ", recorded " + internal::ExactNumber(recorded_t);
      return verdict;
    }
    const std::span<const double> recorded = record->row(verdict.rows);
    for (std::size_t c = 0; c < table.timings_begin(); ++c) {
      if (IsSame(row[c], recorded[c])) continue;
      verdict.difference = table.columns()[c] + ": " + internal::ExactNumber(row[c]) +
                           ", recorded " + internal::ExactNumber(recorded[c]);
      return verdict;
    }
  }
  return verdict;
}

/// What run.json tells of the run; no hash of a killed one or of an earlier version's.
struct Told {
  std::string hash, why_no_hash;
  bool has_ended = false;
  std::optional<std::vector<InputEvent>> events;  ///< what was changed by hand, if that is known
};

Told ReadTold(const std::filesystem::path& directory) {
  Told told;
  const nlohmann::json run = ReadRunJson(directory);
  const std::string file = (directory / "run.json").string();
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    told.why_no_hash = file + " is missing";
  } else if (run.empty()) {
    told.why_no_hash = file + " is damaged";
  } else if (run.contains("hash") && run["hash"].is_string()) {
    told.hash = run["hash"];
  } else {
    told.why_no_hash = file + " is of a run that has not ended";
  }
  told.events = ReadEvents(directory, run);
  told.has_ended = !told.hash.empty() && !run.contains("write_error");
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

/// Removed when it goes.
struct TemporaryFile {
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("civita-verify-" + std::to_string(getpid()));
};

bool HaveSameBytes(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::ifstream of_a(a, std::ios::binary), of_b(b, std::ios::binary);
  std::array<char, 65536> bytes_a, bytes_b;
  while (of_a && of_b) {
    of_a.read(bytes_a.data(), bytes_a.size());
    of_b.read(bytes_b.data(), bytes_b.size());
    const auto size = static_cast<std::size_t>(of_a.gcount());
    if (of_a.gcount() != of_b.gcount()) return false;
    if (!std::equal(bytes_a.begin(), bytes_a.begin() + static_cast<std::ptrdiff_t>(size),
                    bytes_b.begin())) {
      return false;
    }
  }
  return of_a.eof() && of_b.eof();
}

/// Whether signals.npz is the archive of the rows.
bool IsArchive(const std::filesystem::path& npz, RunRecord* record, const SignalTable& table) {
  const TemporaryFile own;
  std::vector<std::string> names = {"t"};
  const std::span<const std::string> columns = table.columns();
  names.insert(names.end(), columns.begin(),
               columns.begin() + static_cast<std::ptrdiff_t>(table.timings_begin()));
  NpzFile file(own.path);
  file.AddColumns(names, record->size(), names.size(),
                  [&](std::size_t first, std::span<double> rows) {
                    for (std::size_t at = 0; at < rows.size(); at += names.size()) {
                      const std::size_t k = first + at / names.size();
                      rows[at] = record->t(k);
                      const auto row = record->row(k).first(table.timings_begin());
                      std::ranges::copy(row, rows.begin() + static_cast<std::ptrdiff_t>(at) + 1);
                    }
                  });
  file.Finish();
  return HaveSameBytes(npz, own.path);
}

/// Tells which files of a run that has ended are missing. @returns what is wrong with one, if so.
std::string CheckFiles(const std::filesystem::path& directory, const Told& told, RunRecord* record,
                       const SignalTable& table) {
  if (!told.why_no_hash.empty()) {
    PrintNote(told.why_no_hash + ": there is no hash to compare the rows with");
  }
  for (const char* name : {"timing.csv", "signals.npz"}) {
    std::error_code ignored;
    if (std::filesystem::exists(directory / name, ignored)) continue;
    if (told.has_ended) PrintNote((directory / name).string() + " is missing");
  }
  if (!told.has_ended) return "";
  const std::filesystem::path timing = directory / "timing.csv", npz = directory / "signals.npz";
  std::error_code ignored;
  if (std::filesystem::exists(timing, ignored)) {
    const CsvRows rows(timing);
    if (rows.size() != record->size()) {
      return "timing.csv has " + std::to_string(rows.size()) + " rows, signals.csv " +
             std::to_string(record->size());
    }
  }
  if (record->ends_within_row()) return "signals.csv or timing.csv ends within a row";
  if (std::filesystem::exists(npz, ignored) && !IsArchive(npz, record, table)) {
    return "signals.npz does not hold the rows of signals.csv";
  }
  return "";
}

/// Simulates the run of a folder again and compares every row, bit for bit, and the rows with the
/// hash that its run.json tells; prints what it finds. @returns an ExitCode: kExitFailed when
/// something differs. @throws UserError.
int RunVerify(const std::string& directory) {
  RunRecord record(directory);
  const Told told = ReadTold(directory);
  Simulation simulation(LoadScene(record.config()));
  const SignalTable table(simulation.scene());
  record.Arrange(table);
  const Verdict verdict =
      Compare(&record, table, Hand(told.events.value_or(std::vector<InputEvent>())), &simulation);
  PrintOut(record.config().name + " · " + std::to_string(record.size()) + " rows, " +
           internal::ExactNumber(record.t(0)) + " to " +
           internal::ExactNumber(record.t(record.size() - 1)) + " s\n");
  if (verdict.interrupted) return kExitInterrupted;
  const std::string hash = HashOf(&record, table);
  if (!told.hash.empty() && told.hash != hash) {
    PrintError("signals.csv is not what the run wrote: its hash is " + hash + ", run.json says " +
               told.hash);
    return kExitFailed;
  }
  const std::string wrong = CheckFiles(directory, told, &record, table);
  if (!wrong.empty()) {
    PrintError(directory + ": " + wrong);
    return kExitFailed;
  }
  if (verdict.difference.empty()) {
    PrintOut("  repeated bit for bit, hash " + hash + "\n");
    return kExitDone;
  }
  PrintOut("  the same bits up to row " + std::to_string(verdict.rows) + ", t = " +
           internal::ExactNumber(record.t(verdict.rows)) + " s; then " + verdict.difference + "\n");
  if (!told.events) {
    PrintError(directory + ": cannot be judged: what was changed by hand is not known");
    return kExitFailed;
  }
  PrintError("the run is not repeated: " + verdict.difference +
             (!told.events->empty() ? "; it was changed by hand while it ran" : ""));
  return kExitFailed;
}

/// A recorded comparison has two runs. @returns the worse ExitCode.
int RunVerifyAll(const std::string& directory) {
  const int first = RunVerify(directory);
  const std::filesystem::path second = std::filesystem::path(directory) / kSecondRun;
  if (first == kExitInterrupted || !IsRunFolder(second)) return first;
  return std::max(first, RunVerify(second.string()));
}

constexpr const char* kVerifyAbout =
    "Simulates a recorded run anew from its config.yaml and compares every row with the recorded "
    "one, bit for bit.";

constexpr const char* kVerifyFooter = R"(
Exit code 1: the first number that differs is told, or that signals.csv is not what the run wrote,
by the hash in its run.json, or that signals.npz or timing.csv do not go with it. A recording that
begins within a run is compared from there on. What was changed by hand during a run is repeated as
run.json has it, or events.jsonl of a run that was killed. Of a recorded comparison both runs are
repeated: B is in the folder of that name. Another machine or compiler may give other bits.
)";

}  // namespace

std::function<int()> AddVerify(CLI::App* command, const Registry&) {
  const auto directory = std::make_shared<std::string>();
  command->description(kVerifyAbout)->footer(kVerifyFooter);
  command->add_option("directory", *directory, "a run folder")->required()->type_name("DIR");
  return [directory] { return RunVerifyAll(*directory); };
}

}  // namespace civita
