#include "app/verbs/reproduce/reproduction.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <system_error>

#include "app/program.h"
#include "app/report/html.h"
#include "app/verbs/reproduce/reproduce.h"
#include "base/text.h"
#include "civita/build_info.h"
#include "civita/error.h"
#include "civita/sim/output_file.h"
#include "civita/sim/run_json.h"
#include "civita/study/compare/comparison.h"
#include "study/typeset_number.h"

namespace civita {
namespace {

Comparison::Outcome Judge(bool passed) {
  return passed ? Comparison::Outcome::kPass : Comparison::Outcome::kFail;
}

std::string Between(double lo, double hi) { return FormatValue(lo) + " … " + FormatValue(hi); }

using Json = nlohmann::ordered_json;

Json ToJson(const Comparison& comparison) {
  const auto number = [](double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); };
  const std::optional<Expected>& expected = comparison.expected;
  return {{"quantity", comparison.quantity},
          {"expected", expected ? number(expected->value) : Json(nullptr)},
          {"source", expected ? Json(expected->source) : Json(nullptr)},
          {"ours", number(comparison.ours)},
          {"criterion", comparison.criterion},
          {"verdict", comparison.verdict()},
          {"remark", comparison.remark}};
}

Json ToJson(const ReproductionResult& result) {
  Json comparisons = Json::array();
  for (const Comparison& comparison : result.comparisons) comparisons.push_back(ToJson(comparison));
  return {{"reproduction", result.name},
          {"verdict", result.verdict},
          {"civita", VersionText()},
          {"comparisons", comparisons},
          {"files", result.files}};
}

/// Number of results whose verdict begins with `verdict`.
long Count(std::span<const ReproductionResult> results, std::string_view verdict) {
  return std::count_if(results.begin(), results.end(), [verdict](const ReproductionResult& r) {
    return r.verdict.starts_with(verdict);
  });
}

std::string VerdictOfAll(std::span<const ReproductionResult> results) {
  if (Count(results, "interrupted") > 0) return "interrupted";
  if (Count(results, "failed") > 0) return "failed";
  return Count(results, "skipped") > 0 ? "incomplete" : "passed";
}

Table::Cell VerdictCell(std::string_view text) {
  const bool is_good = text == "pass" || text == "passed";
  return {.text = std::string(text),
          .tone = is_good || text.empty() ? Table::Tone::kGood : Table::Tone::kBad,
          .is_empty = text.empty()};
}

std::string_view LineOf(std::string_view name) {
  for (const ReproductionInfo& info : Reproductions()) {
    if (info.name == name) return info.line;
  }
  return "";
}

/// Comparisons that are held to a criterion.
struct Score {
  long held = 0, agree = 0;
};
Score ScoreOf(const ReproductionResult& result) {
  Score score;
  for (const Comparison& comparison : result.comparisons) {
    if (comparison.criterion.empty()) continue;
    ++score.held;
    score.agree += comparison.outcome == Comparison::Outcome::kPass ? 1 : 0;
  }
  return score;
}

/// The sentence that matters.
std::string Sentence(std::span<const ReproductionResult> results) {
  Score all;
  std::vector<std::string> missing, failed, skipped, stopped;
  for (const ReproductionResult& result : results) {
    const Score score = ScoreOf(result);
    all.held += score.held;
    all.agree += score.agree;
    const std::string short_of =
        result.name + " (" + std::to_string(score.held - score.agree) + ")";
    if (result.verdict.starts_with("passed, but")) missing.push_back(short_of);
    if (result.verdict.starts_with("failed")) failed.push_back(short_of);
    if (result.verdict.starts_with("interrupted")) stopped.push_back(result.name);
    if (result.verdict.starts_with("skipped")) skipped.push_back(result.name);
  }
  std::string text = std::to_string(all.agree) + " of " + std::to_string(all.held) +
                     " numbers, computed anew, agree with the papers or with theory within their "
                     "tolerances.";
  const auto add = [&text](const char* what, const std::vector<std::string>& names) {
    if (!names.empty()) text += std::string(" ") + what + internal::Join(names, ", ") + ".";
  };
  add("Not within them: ", failed);
  add("Known not to hold here, for the reasons given: ", missing);
  add("Interrupted before the end: ", stopped);
  add("Skipped, as this build lacks a library or program: ", skipped);
  return text;
}

Table Overview(std::span<const ReproductionResult> results) {
  Table table;
  table.columns = {{.is_text = true}, {.title = "agree"}, {}};
  for (const ReproductionResult& result : results) {
    const Score score = ScoreOf(result);
    table.AddRow(result.name, {std::string(LineOf(result.name)),
                               std::to_string(score.agree) + " of " + std::to_string(score.held)});
    table.rows.back().link = "#" + result.name;
    table.rows.back().cells.push_back(VerdictCell(result.verdict));
  }
  return table;
}

/// A quantity's part before ": ", which groups rows; empty without one.
std::string_view GroupOf(const Comparison& comparison) {
  const std::string_view text = comparison.quantity;
  const std::size_t colon = text.find(": ");
  return colon == text.npos ? std::string_view() : text.substr(0, colon);
}

/// The table with rows in groups.
Table GroupedTable(const ReproductionResult& result) {
  Table table = ComparisonTable(result);
  std::string_view group;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    Table::Row& row = table.rows[i];
    const std::string_view now = GroupOf(result.comparisons[i]);
    if (now != group) row.heading = group = now;
    if (!group.empty()) row.name.erase(0, group.size() + 2);
    for (Table::Cell& cell : row.cells) cell.text = TypesetNumbers(cell.text);
  }
  return table;
}

std::string Remarks(const ReproductionResult& result) {
  std::string html;
  for (const Comparison& c : result.comparisons) {
    if (c.remark.empty()) continue;
    html += "<p class=\"muted\">" + EscapeXml(c.quantity + ": " + c.remark) + ".</p>\n";
  }
  return html;
}

std::string Section(const ReproductionResult& result) {
  std::string html = "<h2 id=\"" + result.name + "\">" + EscapeXml(result.name) + "</h2>\n<p>" +
                     EscapeXml(LineOf(result.name)) + ": " + EscapeXml(result.verdict) + ".</p>\n";
  for (const ReproducedFigure& figure : result.figures) {
    html += "<p>" + EscapeXml(figure.caption) + "</p>\n" + FormatHtmlFigure(figure.figure);
  }
  return result.comparisons.empty() ? html : html + ToHtml(GroupedTable(result)) + Remarks(result);
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
  Add({std::move(quantity), std::nullopt, ours, Between(lo, hi), Judge(ours >= lo && ours <= hi)});
}

void Reproduction::ExpectTimes(std::string quantity, std::optional<Expected> expected, double ours,
                               double lo, double hi, std::string why) {
  const bool outside = ours < lo || ours > hi;  // neither of what is not a number
  Add({std::move(quantity), std::move(expected), ours,
       hi < HUGE_VAL ? Between(lo, hi) : "≥ " + FormatValue(lo),
       outside ? Comparison::Outcome::kNotReproduced : Judge(ours >= lo),
       outside ? std::move(why) : std::string()});
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

double RunsInStep::Value(std::size_t run, std::string_view key) const {
  const auto found = std::ranges::find(metrics, key, &MetricInfo::key);
  return runs[run].values[static_cast<std::size_t>(found - metrics.begin())];
}

RunsInStep RunAll(std::vector<std::unique_ptr<Scene>> scenes, Reproduction* reproduction) {
  RunsInStep out{CompareMetrics(*scenes.front()), {}, std::vector<RunCurves>(scenes.size())};
  const auto go_on = [reproduction](double t) {
    return !reproduction->ShouldStop("t = " + FormatValue(t) + " s");
  };
  out.runs = RunInStep(std::move(scenes), go_on, &out.traces);
  return out;
}

Table ComparisonTable(const ReproductionResult& result) {
  Table table;
  table.columns = {{.title = "expected"},
                   {.title = "source", .is_text = true},
                   {.title = "ours"},
                   {.title = "agreement", .is_text = true},
                   {.is_text = true}};
  for (const Comparison& c : result.comparisons) {
    const auto number = [](double x) { return Table::Cell{.estimate = {.mean = x}}; };
    Table::Row& row = table.rows.emplace_back(Table::Row{.name = c.quantity});
    row.cells = {c.expected ? number(c.expected->value) : Table::Cell{.is_empty = true},
                 c.expected && !c.expected->source.empty() ? Table::Cell{.text = c.expected->source}
                                                           : Table::Cell{.is_empty = true},
                 number(c.ours),
                 {.text = c.criterion, .is_empty = c.criterion.empty()},
                 VerdictCell(c.verdict())};
  }
  return table;
}

std::string FormatJson(const ReproductionResult& result) { return ToJson(result).dump(2) + "\n"; }

std::string FormatAllJson(std::span<const ReproductionResult> results) {
  Json json = {{"verdict", VerdictOfAll(results)},
               {"passed", Count(results, "passed")},
               {"failed", Count(results, "failed")},
               {"skipped", Count(results, "skipped")},
               {"civita", VersionText()},
               {"machine", DescribeMachine()},
               {"reproductions", Json::array()}};
  for (const ReproductionResult& result : results) json["reproductions"].push_back(ToJson(result));
  return json.dump(2) + "\n";
}

std::string FormatAllHtml(std::span<const ReproductionResult> results) {
  std::string html = "<p class=\"lead\">" + EscapeXml(Sentence(results)) + "</p>\n";
  html += "<p class=\"muted\">" + std::to_string(Count(results, "passed")) + " passed, " +
          std::to_string(Count(results, "failed")) + " failed, " +
          std::to_string(Count(results, "skipped")) +
          " skipped. Beside each expected number, of a paper or as its source says, stands the one "
          "computed anew; times are of this machine.</p>\n";
  html += ToHtml(Overview(results));
  for (const ReproductionResult& result : results) html += Section(result);
  return HtmlPage("The papers' results", html);
}

}  // namespace civita
