#include <algorithm>

#include "app/report/html.h"
#include "app/verbs/compare/comparison_report.h"

namespace civita {
namespace {

/// What the table's reader needs to know.
std::string TableNote(const VariantComparison& comparison) {
  std::string note = "In bold what is apart by more than a fifth";
  const std::size_t runs = comparison.variants.front().runs.size();
  if (runs > 1) {
    note += "; means of " + std::to_string(runs) +
            " runs, those aside that failed or fell, with 95 % confidence intervals";
  }
  note += ".";
  for (const std::string& absent : {AbsentMetrics(comparison), AbsentPrediction(comparison)}) {
    if (!absent.empty()) note += " " + absent;
  }
  const auto mixed = [](const MetricInfo& info) {
    return info.unit.find(", ") != std::string::npos;
  };
  const auto found = std::ranges::find_if(comparison.metrics, mixed);
  if (found != comparison.metrics.end()) {
    note += " Units such as “" + found->unit +
            "” are of norms over hinges and slides together, each joint in its own unit.";
  }
  return "<p class=\"muted\">" + EscapeXml(note) + "</p>\n";
}

std::string Configs(const VariantComparison& comparison) {
  std::string html;
  for (const ComparedVariant& variant : comparison.variants) {
    html += "<details><summary>" + EscapeXml(variant.name) + "</summary><pre>" +
            EscapeXml(variant.config) + "</pre></details>\n";
  }
  return html;
}

std::string Definitions(const VariantComparison& comparison) {
  std::string html = "<ul>\n";
  std::string last;
  for (const MetricInfo& info : comparison.metrics) {
    if (info.key == last) continue;  // V at another mark
    last = info.key;
    html += "<li>" + EscapeXml(info.label) + ": " + EscapeXml(info.doc) + "</li>\n";
  }
  return html + "</ul>\n";
}

}  // namespace

std::string FormatHtml(const VariantComparison& comparison) {
  std::string html = "<p class=\"lead\">" + EscapeXml(Summarize(comparison)) + "</p>\n";
  for (const ComparedVariant& variant : comparison.variants) {
    if (variant.is_whole()) continue;
    html += "<p class=\"failed\">" + EscapeXml(variant.name + " " + variant.verdict()) + "</p>\n";
  }
  if (comparison.interrupted) html += "<p class=\"failed\">Interrupted before the end.</p>\n";
  html += "<p class=\"muted\">" + EscapeXml(DescribeRuns(comparison)) + "</p>\n";
  html += "<div class=\"beside\">\n<div>\n<h2>Figures</h2>\n" + ToHtml(FiguresTable(comparison)) +
          TableNote(comparison) + "</div>\n<div>\n<h2>Curves</h2>\n" + FormatHtmlPlots(comparison) +
          "</div>\n</div>\n";
  html += "<h2>What the figures are</h2>\n<details><summary>Definitions</summary>\n" +
          Definitions(comparison) + "</details>\n";
  html += "<h2>Resolved configs</h2>\n" + Configs(comparison);
  html += "<h2>Again</h2>\n<pre>" + EscapeXml(comparison.command) + "</pre>\n";
  return HtmlPage(comparison.title + ", compared", html);
}

}  // namespace civita
