#include "app/verbs/reproduce/reproduction.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <system_error>

#include "app/program.h"
#include "app/terminal.h"
#include "app/verbs/reproduce/reproduction_report.h"
#include "civita/error.h"
#include "civita/sim/output_file.h"
#include "civita/study/compare/comparison.h"

namespace civita {
namespace {

Comparison::Outcome Judge(bool passed) {
  return passed ? Comparison::Outcome::kPass : Comparison::Outcome::kFail;
}

}  // namespace

std::string_view Comparison::verdict() const {
  switch (outcome) {
    case Outcome::kPass:
      return "pass";
    case Outcome::kFail:
      return "FAIL";
    case Outcome::kNotReproduced:
      return "not reproduced";
    case Outcome::kShown:
      break;
  }
  return "";
}

Reproduction::Reproduction(std::string_view name, const std::filesystem::path& out,
                           std::string_view source)
    : result_{std::string(name), {}, {}, {}}, out_(out), source_(source) {
  if (out_.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(out_, error);
  if (!error && std::filesystem::is_directory(out_, error)) return;
  throw UserError("--out " + out_.string() + ": cannot be made: " + error.message());
}

void Reproduction::Add(Comparison comparison) {
  std::optional<Expected>& expected = comparison.expected;
  if (expected && expected->source.empty()) expected->source = source_;
  result_.comparisons.push_back(std::move(comparison));
}

void Reproduction::ExpectNear(std::string quantity, Expected expected, double ours,
                              double tolerance) {
  const bool passed = std::abs(ours - expected.value) <= tolerance;
  Add({std::move(quantity), std::move(expected), ours, "± " + FormatValue(tolerance),
       Judge(passed)});
}

void Reproduction::ExpectAtMost(std::string quantity, std::optional<Expected> expected, double ours,
                                double limit) {
  Add({std::move(quantity), std::move(expected), ours, "≤ " + FormatValue(limit),
       Judge(ours <= limit)});
}

void Reproduction::ExpectAtLeast(std::string quantity, std::optional<Expected> expected,
                                 double ours, double limit) {
  Add({std::move(quantity), std::move(expected), ours, "≥ " + FormatValue(limit),
       Judge(ours >= limit)});
}

void Reproduction::ExpectBetween(std::string quantity, double ours, double lo, double hi) {
  Add({std::move(quantity), std::nullopt, ours, FormatValue(lo) + " … " + FormatValue(hi),
       Judge(ours >= lo && ours <= hi)});
}

void Reproduction::ExpectNotReproduced(std::string quantity, Expected expected, double ours,
                                       double limit, std::string why) {
  const bool known = ours < limit;
  Add({std::move(quantity), std::move(expected), ours, "≥ " + FormatValue(limit),
       known ? Comparison::Outcome::kNotReproduced : Comparison::Outcome::kFail,
       known ? std::move(why) : "holds, though it was known not to"});
}

void Reproduction::Record(std::string quantity, std::optional<Expected> expected, double ours,
                          std::string remark) {
  Add({std::move(quantity), std::move(expected), ours, "", Comparison::Outcome::kShown,
       std::move(remark)});
}

std::filesystem::path Reproduction::AddFile(std::string_view ending) {
  if (out_.empty()) return {};
  result_.files.push_back(result_.name + std::string(ending));
  return out_ / result_.files.back();
}

void Reproduction::WriteText(std::string_view ending, std::string_view text) {
  const std::filesystem::path path = AddFile(ending);
  if (path.empty()) return;
  WriteWhole(path, text);
}

void Reproduction::AddFigure(std::string_view ending, SvgFigure figure, std::string caption) {
  WriteText(ending, FormatSvg(figure));
  result_.figures.push_back({std::move(figure), std::move(caption)});
}

void Reproduction::WriteCsv(std::string_view ending, const std::vector<std::string>& columns,
                            std::span<const std::vector<double>> rows) {
  const std::filesystem::path path = AddFile(ending);
  if (path.empty()) return;
  CsvFile file(path, OutputFile::Kind::kWhole, columns);
  for (const std::vector<double>& row : rows) file.AddRow(row);
  file.Commit();
}

bool Reproduction::ShouldStop(const std::string& progress) {
  stopped_ = stopped_ || guard_.interrupted();
  if (!stopped_ && progress_->Due()) progress_->Show(result_.name + ": " + progress);
  return stopped_;
}

std::string Reproduction::Verdict() const {
  if (stopped_) return "interrupted";
  if (!skipped_.empty()) return "skipped: " + skipped_;
  const auto count = [this](Comparison::Outcome outcome) {
    return std::ranges::count(result_.comparisons, outcome, &Comparison::outcome);
  };
  if (result_.comparisons.empty() || count(Comparison::Outcome::kFail) > 0) return "failed";
  const auto missing = count(Comparison::Outcome::kNotReproduced);
  return missing == 0 ? "passed" : "passed, but " + std::to_string(missing) + " not reproduced";
}

void Reproduction::PrintComparisons() const {
  if (result_.comparisons.empty()) return;
  PrintOut(ToTerminal(ComparisonTable(result_)));
  for (const Comparison& c : result_.comparisons) {
    if (!c.remark.empty()) std::printf("  %s: %s\n", c.quantity.c_str(), c.remark.c_str());
  }
}

int Reproduction::Finish() {
  progress_.reset();
  stopped_ = stopped_ || guard_.interrupted();
  PrintComparisons();
  result_.verdict = Verdict();
  std::printf("  %s\n", result_.verdict.c_str());
  const std::filesystem::path path = AddFile(".json");
  if (!path.empty()) {
    WriteWhole(path, FormatJson(result_));
    std::printf("  files: %s\n", (out_ / (result_.name + ".*")).c_str());
  }
  if (stopped_) return kExitInterrupted;
  if (!skipped_.empty()) return kExitSkipped;
  return result_.verdict == "failed" ? kExitFailed : kExitDone;
}

}  // namespace civita
