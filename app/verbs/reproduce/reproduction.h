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

/// A number of ours beside the paper's value.
struct Comparison {
  std::string quantity;         ///< description with its unit
  std::optional<double> paper;  ///< absent if the paper describes it in words
  double ours = 0;
  std::string criterion;  ///< condition of agreement: "± 0.01", "≤ 1e-12"; empty: none
  bool passed = false;

  /// "pass", "FAIL"; empty without criterion.
  std::string_view verdict() const { return criterion.empty() ? "" : passed ? "pass" : "FAIL"; }
};

/// Result of a reproduction.
struct ReproductionResult {
  std::string name;
  std::string verdict;  ///< "passed", "failed", "interrupted", "skipped: …"
  std::vector<Comparison> comparisons;
  std::vector<std::string> files;  ///< written files, relative to the folder
};

/// Context of a reproduction: collects its comparisons, writes its files, reports progress and
/// whether to stop.
class Reproduction {
 public:
  /// `out` is the output folder, created if needed; empty: no files are written.
  /// @throws UserError when the folder cannot be used.
  Reproduction(std::string_view name, const std::filesystem::path& out);

  /// Adds a comparison: |ours − paper| ≤ tolerance.
  void ExpectNear(std::string quantity, double paper, double ours, double tolerance);
  void ExpectAtMost(std::string quantity, std::optional<double> paper, double ours, double limit);
  void ExpectAtLeast(std::string quantity, std::optional<double> paper, double ours, double limit);
  /// Adds a number shown beside the paper's without criterion, as a time of another machine.
  void Record(std::string quantity, std::optional<double> paper, double ours);

  /// Declares that this program cannot do it, and why: neither passed nor failed.
  void Skip(std::string reason) { skipped_ = std::move(reason); }

  /// The path of a figure or table: NAME followed by `ending` (".svg", "_curves.csv"), added to
  /// the result's files; empty when no files are written.
  std::filesystem::path AddFile(std::string_view ending);
  /// Writes the text to AddFile(ending); does nothing when no files are written.
  void WriteText(std::string_view ending, std::string_view text);
  void WriteCsv(std::string_view ending, const std::vector<std::string>& columns,
                std::span<const std::vector<double>> rows);

  /// Whether to stop; results so far are kept. Shows the text as progress. Call it regularly in
  /// anything that takes longer than a second.
  bool ShouldStop(const std::string& progress);

  /// Prints the table and writes NAME.json. @returns an ExitCode.
  int Finish();
  /// The result after Finish.
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
