#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/interrupt.h"
#include "app/progress_line.h"

namespace civita {

/// A number of ours beside what a paper says of it.
struct Comparison {
  std::string quantity;         ///< what it is, with its unit
  std::optional<double> paper;  ///< absent where the paper says it in words
  double ours = 0;
  std::string criterion;  ///< what counts as agreement: "± 0.01", "≤ 1e-12"; empty: nothing does
  bool passed = false;

  /// "pass", "FAIL"; empty where nothing counts.
  std::string_view verdict() const { return criterion.empty() ? "" : passed ? "pass" : "FAIL"; }
};

/// How a reproduction ended.
struct ReproductionResult {
  std::string name;
  std::string verdict;  ///< "passed", "failed", "interrupted", "skipped: …"
  std::vector<Comparison> comparisons;
  std::vector<std::string> files;  ///< written, within the folder
};

/// What a reproduction works with: collects its comparisons, writes its files, tells how far it is
/// and whether to stop.
class Reproduction {
 public:
  /// `out` is the folder of the files, made if need be; empty: none are written.
  /// @throws UserError when there can be no such folder.
  Reproduction(std::string_view name, const std::filesystem::path& out);

  /// |ours − paper| ≤ tolerance.
  void ExpectNear(std::string quantity, double paper, double ours, double tolerance);
  void ExpectAtMost(std::string quantity, std::optional<double> paper, double ours, double limit);
  void ExpectAtLeast(std::string quantity, std::optional<double> paper, double ours, double limit);
  /// A number to be seen beside the paper's, whatever it is: a time of another machine.
  void Record(std::string quantity, std::optional<double> paper, double ours);

  /// Says that this program cannot do it, and why: neither passed nor failed.
  void Skip(std::string reason) { skipped_ = std::move(reason); }

  /// Where a figure or table goes: NAME followed by `ending` (".svg", "_curves.csv"); empty when no
  /// files are written. Enters it in the verdict's list.
  std::filesystem::path AddFile(std::string_view ending);
  /// The same, and writes it; no more than a glance at AddFile when no files are written.
  void WriteText(std::string_view ending, std::string_view text);
  void WriteCsv(std::string_view ending, const std::vector<std::string>& columns,
                std::span<const std::vector<double>> rows);

  /// To be asked now and then by what takes longer than a second: whether to stop (what was
  /// compared and written so far is kept). Shows the text while it goes on.
  bool ShouldStop(const std::string& progress);

  /// Prints the table, writes NAME.json, the verdict. @returns an ExitCode.
  int Finish();
  /// Of a finished one.
  const ReproductionResult& result() const { return result_; }

 private:
  void Add(Comparison comparison) { result_.comparisons.push_back(std::move(comparison)); }
  bool Passed() const;
  void PrintComparisons() const;

  ReproductionResult result_;
  std::filesystem::path out_;
  std::string skipped_;
  InterruptGuard guard_;
  std::optional<ProgressLine> progress_{std::in_place};
  bool stopped_ = false;
};

}  // namespace civita
