#include "app/verbs/reproduce/reproduction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <system_error>

#include "app/program.h"
#include "app/report/text_width.h"
#include "app/verbs/compare/comparison.h"
#include "app/verbs/reproduce/reproduction_report.h"
#include "civita/error.h"
#include "civita/sim/output_file.h"

namespace civita {
namespace {

using Row = std::array<std::string, 5>;

void PrintTable(const std::vector<Row>& rows) {
  std::array<std::size_t, 5> widths{};
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], TextWidth(row[c]));
  }
  for (const Row& row : rows) {
    std::string line = "  ";
    for (std::size_t c = 0; c < row.size(); ++c) line += PadRight(row[c], widths[c] + 2);
    std::printf("%s\n", line.substr(0, line.find_last_not_of(' ') + 1).c_str());
  }
}

}  // namespace

Reproduction::Reproduction(std::string_view name, const std::filesystem::path& out)
    : result_{std::string(name), {}, {}, {}}, out_(out) {
  if (out_.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(out_, error);
  if (!error && std::filesystem::is_directory(out_, error)) return;
  throw UserError("--out " + out_.string() + ": cannot be made: " + error.message());
}

void Reproduction::ExpectNear(std::string quantity, double paper, double ours, double tolerance) {
  const bool passed = std::abs(ours - paper) <= tolerance;
  Add({std::move(quantity), paper, ours, "± " + FormatValue(tolerance), passed});
}

void Reproduction::ExpectAtMost(std::string quantity, std::optional<double> paper, double ours,
                                double limit) {
  Add({std::move(quantity), paper, ours, "≤ " + FormatValue(limit), ours <= limit});
}

void Reproduction::ExpectAtLeast(std::string quantity, std::optional<double> paper, double ours,
                                 double limit) {
  Add({std::move(quantity), paper, ours, "≥ " + FormatValue(limit), ours >= limit});
}

void Reproduction::Record(std::string quantity, std::optional<double> paper, double ours) {
  Add({std::move(quantity), paper, ours, "", true});
}

std::filesystem::path Reproduction::AddFile(std::string_view ending) {
  if (out_.empty()) return {};
  result_.files.push_back(result_.name + std::string(ending));
  return out_ / result_.files.back();
}

void Reproduction::WriteText(std::string_view ending, std::string_view text) {
  const std::filesystem::path path = AddFile(ending);
  if (path.empty()) return;
  OutputFile file(path);
  file.Write(text);
  file.Flush();
}

void Reproduction::WriteCsv(std::string_view ending, const std::vector<std::string>& columns,
                            std::span<const std::vector<double>> rows) {
  const std::filesystem::path path = AddFile(ending);
  if (path.empty()) return;
  CsvFile file(path, columns);
  for (const std::vector<double>& row : rows) file.AddRow(row);
  file.Flush();
}

bool Reproduction::ShouldStop(const std::string& progress) {
  stopped_ = stopped_ || guard_.interrupted();
  if (!stopped_ && progress_->Due()) progress_->Show(result_.name + ": " + progress);
  return stopped_;
}

bool Reproduction::Passed() const {
  const auto passed = [](const Comparison& c) { return c.passed; };
  return !result_.comparisons.empty() &&
         std::all_of(result_.comparisons.begin(), result_.comparisons.end(), passed);
}

void Reproduction::PrintComparisons() const {
  if (result_.comparisons.empty()) return;
  std::vector<Row> rows = {{"", "paper", "ours", "agreement", ""}};
  for (const Comparison& c : result_.comparisons) {
    rows.push_back({c.quantity, c.paper ? FormatValue(*c.paper) : "", FormatValue(c.ours),
                    c.criterion, std::string(c.verdict())});
  }
  PrintTable(rows);
}

int Reproduction::Finish() {
  progress_.reset();
  stopped_ = stopped_ || guard_.interrupted();
  PrintComparisons();
  const bool passed = Passed();
  result_.verdict = stopped_            ? "interrupted"
                    : !skipped_.empty() ? "skipped: " + skipped_
                    : passed            ? "passed"
                                        : "failed";
  std::printf("  %s\n", result_.verdict.c_str());
  const std::filesystem::path path = AddFile(".json");
  if (!path.empty()) {
    OutputFile file(path);
    file.Write(FormatJson(result_));
    file.Flush();
    std::printf("  files: %s\n", (out_ / (result_.name + ".*")).c_str());
  }
  if (stopped_) return kExitInterrupted;
  return passed || !skipped_.empty() ? kExitDone : kExitFailed;
}

}  // namespace civita
