#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/report/escape_xml.h"
#include "app/report/html_page.h"
#include "app/verbs/compare/comparison_report.h"
#include "base/text.h"
#include "base/typeset_number.h"

namespace civita {
namespace {

std::string TypesetEstimate(const Estimate& estimate) {
  const std::string mean = Tabular(estimate.mean);
  return std::isnan(estimate.half) ? mean : mean + " ± " + Short(estimate.half, 2);
}

bool IsApart(const VariantComparison& comparison, std::size_t metric) {
  return comparison.metrics[metric].kind == MetricKind::kMotion &&
         RelativeSpread(comparison, metric) > kApart;
}

/// The row of a metric; none if no variant has it, which the note below the table says.
std::string Row(const VariantComparison& comparison, std::size_t metric) {
  const MetricInfo& info = comparison.metrics[metric];
  std::string html = IsApart(comparison, metric) ? "<tr class=\"apart\">" : "<tr>";
  html += "<td title=\"" + EscapeXml(info.doc) + "\">" + EscapeXml(info.label) +
          " <span class=\"muted\">" + EscapeXml(info.unit) + "</span></td>";
  bool any = false;
  for (const ComparedVariant& variant : comparison.variants) {
    const Estimate estimate = EstimateMetric(variant, metric);
    any = any || !std::isnan(estimate.mean);
    html += "<td>" + TypesetEstimate(estimate) + "</td>";
  }
  return any ? html + "</tr>\n" : "";
}

std::string StatusRow(const VariantComparison& comparison) {
  std::string html = "<tr><td title=\"what failed or fell has no figures\">status</td>";
  for (const ComparedVariant& variant : comparison.variants) {
    html += "<td>" + EscapeXml(variant.status()) + "</td>";
  }
  return html + "</tr>\n";
}

std::string Table(const VariantComparison& comparison) {
  constexpr std::array<std::pair<MetricKind, const char*>, 3> kGroups = {
      {{MetricKind::kMotion, "Motion"},
       {MetricKind::kCheck, "How exactly the laws hold"},
       {MetricKind::kMachine, "This machine"}}};
  std::string html = "<div class=\"scroll\"><table>\n";
  for (const auto& [kind, name] : kGroups) {
    html += "<tr><th>" + std::string(name) + "</th>";
    for (const ComparedVariant& variant : comparison.variants) {
      html += "<th>" + EscapeXml(variant.name) + "</th>";
    }
    html += "</tr>\n";
    if (kind == MetricKind::kMotion) html += StatusRow(comparison);
    for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
      if (comparison.metrics[i].kind == kind) html += Row(comparison, i);
    }
  }
  return html + "</table></div>\n";
}

/// What the table's reader needs to know.
std::string TableNote(const VariantComparison& comparison) {
  std::string note = "In bold what is apart by more than a fifth";
  const std::size_t runs = comparison.variants.front().runs.size();
  if (runs > 1) {
    note += "; means of " + std::to_string(runs) +
            " runs, those aside that failed or fell, with 95 % confidence intervals";
  }
  note += ".";
  std::vector<std::string> absent;
  for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
    const auto lacks = [i](const ComparedVariant& variant) {
      return std::isnan(EstimateMetric(variant, i).mean);
    };
    if (std::ranges::all_of(comparison.variants, lacks)) {
      absent.push_back(comparison.metrics[i].label);
    }
  }
  if (!absent.empty()) note += " No run has: " + internal::Join(absent, "; ") + ".";
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
  html += "<div class=\"beside\">\n<div>\n<h2>Figures</h2>\n" + Table(comparison) +
          TableNote(comparison) + "</div>\n<div>\n<h2>Curves</h2>\n" + FormatHtmlPlots(comparison) +
          "</div>\n</div>\n";
  html += "<h2>What the figures are</h2>\n<details><summary>Definitions</summary>\n" +
          Definitions(comparison) + "</details>\n";
  html += "<h2>Resolved configs</h2>\n" + Configs(comparison);
  html += "<h2>Again</h2>\n<pre>" + EscapeXml(comparison.command) + "</pre>\n";
  return HtmlPage(comparison.title + ", compared", html);
}

}  // namespace civita
