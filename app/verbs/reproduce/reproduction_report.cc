#include "app/verbs/reproduce/reproduction_report.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/report/escape_xml.h"
#include "app/report/html_page.h"
#include "app/verbs/compare/comparison.h"
#include "app/verbs/reproduce/reproduce.h"
#include "civita/build_info.h"
#include "civita/sim/run_json.h"

namespace civita {
namespace {

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

std::string Version() { return std::string(kVersion) + " (" + std::string(kGitDescribe) + ")"; }

Json ToJson(const ReproductionResult& result) {
  Json comparisons = Json::array();
  for (const Comparison& comparison : result.comparisons) comparisons.push_back(ToJson(comparison));
  return {{"reproduction", result.name},
          {"verdict", result.verdict},
          {"civita", Version()},
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

std::string Cell(std::string_view text) { return "<td>" + EscapeXml(text) + "</td>"; }

std::string Verdict(std::string_view text) {
  const bool bad = text != "pass" && text != "passed";
  return (bad ? "<td class=\"failed\">" : "<td>") + EscapeXml(text) + "</td>";
}

std::string_view LineOf(std::string_view name) {
  for (const ReproductionInfo& info : Reproductions()) {
    if (info.name == name) return info.line;
  }
  return "";
}

std::string Overview(std::span<const ReproductionResult> results) {
  std::string html = "<table>\n<tr><th></th><th></th><th>agree</th><th></th></tr>\n";
  for (const ReproductionResult& result : results) {
    long held = 0, agree = 0;
    for (const Comparison& comparison : result.comparisons) {
      if (comparison.criterion.empty()) continue;
      ++held;
      agree += comparison.outcome == Comparison::Outcome::kPass ? 1 : 0;
    }
    html += "<tr><td><a href=\"#" + result.name + "\">" + EscapeXml(result.name) +
            "</a></td><td class=\"words\">" + EscapeXml(LineOf(result.name)) + "</td>" +
            Cell(std::to_string(agree) + " of " + std::to_string(held)) + Verdict(result.verdict) +
            "</tr>\n";
  }
  return html + "</table>\n";
}

std::string Table(const ReproductionResult& result) {
  std::string html =
      "<table>\n<tr><th></th><th>expected</th><th>source</th><th>ours</th><th>agreement</th>"
      "<th></th></tr>\n";
  std::string remarks;
  for (const Comparison& c : result.comparisons) {
    html += "<tr>" + Cell(c.quantity) + Cell(c.expected ? FormatValue(c.expected->value) : "") +
            Cell(c.expected ? c.expected->source : "") + Cell(FormatValue(c.ours)) +
            Cell(c.criterion) + Verdict(c.verdict()) + "</tr>\n";
    if (!c.remark.empty()) {
      remarks += "<p class=\"muted\">" + EscapeXml(c.quantity + ": " + c.remark) + ".</p>\n";
    }
  }
  return html + "</table>\n" + remarks;
}

std::string Section(const ReproductionResult& result, const std::filesystem::path& folder) {
  std::string html = "<h2 id=\"" + result.name + "\">" + EscapeXml(result.name) + "</h2>\n<p>" +
                     EscapeXml(LineOf(result.name)) + ": " + EscapeXml(result.verdict) + ".</p>\n";
  if (!result.comparisons.empty()) html += Table(result);
  for (const std::string& name : result.files) {
    if (!name.ends_with(".svg")) continue;
    std::ifstream file(folder / name);
    html.append(std::istreambuf_iterator<char>(file), {});
  }
  return html;
}

}  // namespace

std::string FormatJson(const ReproductionResult& result) { return ToJson(result).dump(2) + "\n"; }

std::string FormatAllJson(std::span<const ReproductionResult> results) {
  Json json = {{"verdict", VerdictOfAll(results)},
               {"passed", Count(results, "passed")},
               {"failed", Count(results, "failed")},
               {"skipped", Count(results, "skipped")},
               {"civita", Version()},
               {"machine", DescribeMachine()},
               {"reproductions", Json::array()}};
  for (const ReproductionResult& result : results) json["reproductions"].push_back(ToJson(result));
  return json.dump(2) + "\n";
}

std::string FormatAllHtml(std::span<const ReproductionResult> results,
                          const std::filesystem::path& folder) {
  std::string html =
      "<p>" + std::to_string(Count(results, "passed")) + " passed, " +
      std::to_string(Count(results, "failed")) + " failed, " +
      std::to_string(Count(results, "skipped")) +
      " skipped. Beside each expected number, of a paper or as its source says, stands the one "
      "computed anew; times are of this machine.</p>\n";
  html += Overview(results);
  for (const ReproductionResult& result : results) html += Section(result, folder);
  return HtmlPage("The papers' results", html);
}

}  // namespace civita
