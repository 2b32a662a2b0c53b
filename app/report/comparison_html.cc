#include <cmath>

#include "app/report/comparison.h"
#include "civita/build_info.h"

namespace civita {
namespace {

constexpr const char* kStyle = R"(
body { font: 15px/1.5 Inter, Helvetica, Arial, sans-serif; color: #161B22; background: #E9ECF0;
       margin: 0; }
main { max-width: 1180px; margin: 24px auto; padding: 8px 32px 32px; background: #FFFFFF;
       border-radius: 10px; }
h1 { font-size: 24px; } h2 { font-size: 17px; margin-top: 32px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 3px 14px 3px 0; text-align: right; border-bottom: 1px solid #DDE1E7; }
th:first-child, td:first-child { text-align: left; }
.apart { font-weight: 600; } .muted { color: #535D6C; font-weight: 400; } .failed { color: #B3261E; }
pre { background: #F1F3F6; padding: 12px; border-radius: 6px; overflow-x: auto; font-size: 13px; }
svg { max-width: 100%; height: auto; }
)";

std::string Escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string Table(const VariantComparison& comparison) {
  std::string html = "<table>\n<tr><th></th>";
  for (const ComparedVariant& variant : comparison.variants) {
    html += "<th>" + Escaped(variant.name) + "</th>";
  }
  html += "</tr>\n";
  for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
    const MetricInfo& info = comparison.metrics[i];
    const bool apart =
        info.kind == MetricInfo::Kind::kMotion && RelativeSpread(comparison, i) > kApart;
    html += apart ? "<tr class=\"apart\">" : "<tr>";
    html += "<td title=\"" + Escaped(info.doc) + "\">" + Escaped(info.label) +
            " <span class=\"muted\">" + Escaped(info.unit) + "</span></td>";
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
    html += "<details><summary>" + Escaped(variant.name) + "</summary><pre>" +
            Escaped(variant.config) + "</pre></details>\n";
  }
  return html;
}

std::string Definitions(const VariantComparison& comparison) {
  std::string html = "<ul>\n";
  std::string last;
  for (const MetricInfo& info : comparison.metrics) {
    if (info.key == last) continue;  // V at another time
    last = info.key;
    html += "<li>" + Escaped(info.label) + ": " + Escaped(info.doc) + "</li>\n";
  }
  return html + "</ul>\n";
}

}  // namespace

std::string FormatHtml(const VariantComparison& comparison) {
  const std::string title = Escaped(comparison.title) + ", compared";
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>" + title +
      "</title>\n<style>" + kStyle + "</style>\n</head>\n<body>\n<main>\n";
  html += "<h1>" + title + "</h1>\n<p>" + Escaped(DescribeDifferences(comparison)) + "</p>\n";
  for (const ComparedVariant& variant : comparison.variants) {
    if (variant.passed()) continue;
    html += "<p class=\"failed\">" + Escaped(variant.name + " " + variant.verdict()) + "</p>\n";
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
  html += "<h2>Again</h2>\n<pre>" + Escaped(comparison.command) +
          "</pre>\n<p class=\"muted\">civita " +
          Escaped(std::string(kVersion) + " (" + std::string(kGitDescribe) + ")") + "</p>\n";
  return html + "</main>\n</body>\n</html>\n";
}

}  // namespace civita
