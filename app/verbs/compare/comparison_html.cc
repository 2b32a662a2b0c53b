#include <cmath>

#include "app/report/escape_xml.h"
#include "app/report/html_page.h"
#include "app/verbs/compare/comparison.h"

namespace civita {
namespace {

std::string Table(const VariantComparison& comparison) {
  std::string html = "<table>\n<tr><th></th>";
  for (const ComparedVariant& variant : comparison.variants) {
    html += "<th>" + EscapeXml(variant.name) + "</th>";
  }
  html += "</tr>\n";
  for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
    const MetricInfo& info = comparison.metrics[i];
    const bool apart =
        info.kind == MetricInfo::Kind::kMotion && RelativeSpread(comparison, i) > kApart;
    html += apart ? "<tr class=\"apart\">" : "<tr>";
    html += "<td title=\"" + EscapeXml(info.doc) + "\">" + EscapeXml(info.label) +
            " <span class=\"muted\">" + EscapeXml(info.unit) + "</span></td>";
    for (const ComparedVariant& variant : comparison.variants) {
      html += "<td>" + FormatEstimate(EstimateMetric(variant, i)) + "</td>";
    }
    html += "</tr>\n";
  }
  return html + "</table>\n";
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
  std::string html = "<p>" + EscapeXml(DescribeDifferences(comparison)) + "</p>\n";
  for (const ComparedVariant& variant : comparison.variants) {
    if (variant.passed()) continue;
    html += "<p class=\"failed\">" + EscapeXml(variant.name + " " + variant.verdict()) + "</p>\n";
  }
  if (comparison.interrupted) html += "<p class=\"failed\">Interrupted before the end.</p>\n";
  html += "<h2>Figures</h2>\n<p class=\"muted\">In bold what is apart by more than a fifth";
  if (comparison.variants.front().runs.size() > 1) {
    html += "; means of " + std::to_string(comparison.variants.front().runs.size()) +
            " runs with 95 % confidence intervals";
  }
  html += ".</p>\n" + Table(comparison);
  html += "<h2>Curves</h2>\n" + FormatPlots(comparison);
  html += "<h2>What the figures are</h2>\n" + Definitions(comparison);
  html += "<h2>Resolved configs</h2>\n" + Configs(comparison);
  html += "<h2>Again</h2>\n<pre>" + EscapeXml(comparison.command) + "</pre>\n";
  return HtmlPage(comparison.title + ", compared", html);
}

}  // namespace civita
