#pragma once

#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/interrupt.h"
#include "app/report/svg_plot.h"
#include "app/terminal.h"
#include "civita/sim/trials/compare_runs.h"
#include "civita/study/table.h"

namespace civita {

/// A number to compare with, and where it comes from: "[EW], table 1", "own integration",
/// "true value". Without a source it is the reproduction's (ReproductionInfo::source).
struct Expected {
  Expected(double value_in, std::string source_in = {})  // NOLINT(google-explicit-constructor)
      : value(value_in), source(std::move(source_in)) {}

  double value;
  std::string source;
};

/// A number of ours beside the expected one.
struct Comparison {
  /// kNotReproduced: a conclusion of a paper that is known not to hold here; the remark says why.
  enum class Outcome { kShown, kPass, kFail, kNotReproduced };

  std::string quantity;              ///< description with its unit
  std::optional<Expected> expected;  ///< absent where the criterion says it all
  double ours = 0;
  std::string criterion;  ///< condition of agreement: "± 0.01", "≤ 1e-12"; empty: none
  Outcome outcome = Outcome::kShown;
  std::string remark = {};

  /// "pass", "FAIL", "not reproduced"; empty without criterion.
  std::string_view verdict() const;
};

/// A figure of ours, and what the paper's shows.
struct ReproducedFigure {
  SvgFigure figure;
  std::string caption;
};

/// Result of a reproduction.
struct ReproductionResult {
  std::string name;
  std::string verdict;  ///< "passed", "passed, but …", "failed", "interrupted", "skipped: …"
  std::vector<Comparison> comparisons;
  std::vector<std::string> files;  ///< written files, relative to the folder
  std::vector<ReproducedFigure> figures = {};
};

/// Context of a reproduction: collects its comparisons, writes its files, reports progress and
/// whether to stop.
class Reproduction {
 public:
  /// `out` is the output folder, created if needed; empty: no files are written. `source` is that
  /// of expected numbers that do not name theirs.
  /// @throws UserError when the folder cannot be used.
  Reproduction(std::string_view name, const std::filesystem::path& out,
               std::string_view source = {});

  /// Adds a comparison: |ours − expected| ≤ tolerance.
  void ExpectNear(std::string quantity, Expected expected, double ours, double tolerance);
  void ExpectAtMost(std::string quantity, std::optional<Expected> expected, double ours,
                    double limit);
  void ExpectAtMost(std::string quantity, double ours, double limit) {
    ExpectAtMost(std::move(quantity), std::nullopt, ours, limit);
  }
  void ExpectAtLeast(std::string quantity, std::optional<Expected> expected, double ours,
                     double limit);
  void ExpectAtLeast(std::string quantity, double ours, double limit) {
    ExpectAtLeast(std::move(quantity), std::nullopt, ours, limit);
  }
  void ExpectBetween(std::string quantity, double ours, double lo, double hi);
  /// Adds a comparison of times, lo ≤ ours ≤ hi. Outside it is not reproduced, because of `why`,
  /// and does not fail: times are of the machine and of what else it computes meanwhile.
  void ExpectTimes(std::string quantity, std::optional<Expected> expected, double ours, double lo,
                   double hi = HUGE_VAL, std::string why = "not in these timings");
  /// Adds a number shown beside the expected one without criterion, as a time of another machine.
  void Record(std::string quantity, std::optional<Expected> expected, double ours,
              std::string remark = {});
  void Record(std::string quantity, double ours, std::string remark = {}) {
    Record(std::move(quantity), std::nullopt, ours, std::move(remark));
  }

  /// Declares that this program cannot do it, and why: neither passed nor failed.
  void Skip(std::string reason) { skipped_ = std::move(reason); }

  /// The path of a figure or table: NAME followed by `ending` (".svg", "_curves.csv"), added to
  /// the result's files; empty when no files are written.
  std::filesystem::path AddFile(std::string_view ending);
  /// Writes the text to AddFile(ending); does nothing when no files are written.
  void WriteText(std::string_view ending, std::string_view text);
  /// Adds a figure to the result and writes it as SVG.
  void AddFigure(std::string_view ending, SvgFigure figure, std::string caption);
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
  void Add(Comparison comparison);
  std::string Verdict() const;
  void PrintComparisons() const;

  ReproductionResult result_;
  std::filesystem::path out_;
  std::string source_, skipped_;
  InterruptGuard guard_;
  std::optional<ProgressLine> progress_{std::in_place};
  bool stopped_ = false;
};

/// Runs of scenes in step, one by one of each.
struct RunsInStep {
  std::vector<MetricInfo> metrics;
  std::vector<ComparedRun> runs;
  std::vector<RunCurves> traces;

  double Value(std::size_t run, std::string_view key) const;
};
RunsInStep RunAll(std::vector<std::unique_ptr<Scene>> scenes, Reproduction* reproduction);

/// A row for each comparison.
Table ComparisonTable(const ReproductionResult& result);

/// Content of NAME.json: {"reproduction", "verdict", "civita", "comparisons": [{"quantity",
/// "expected", "source", "ours", "criterion", "verdict", "remark"}], "files"}. "expected" and its
/// "source" are null where there is none, "verdict" is as in Comparison::verdict.
std::string FormatJson(const ReproductionResult& result);

/// Content of all.json: {"verdict": "passed" | "failed" | "incomplete" | "interrupted", "passed",
/// "failed", "skipped", "civita", "machine", "reproductions": [as in FormatJson]}; "passed",
/// "failed" and "skipped" count reproductions, of which "incomplete" skipped some.
std::string FormatAllJson(std::span<const ReproductionResult> results);

/// Content of all.html: what came out in a sentence, every verdict, then the figures and the table
/// of each.
std::string FormatAllHtml(std::span<const ReproductionResult> results);

}  // namespace civita
