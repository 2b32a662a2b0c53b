#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/number_text.h"
#include "base/text.h"
#include "civita/sim/metrics.h"
#include "civita/study/compare/comparison.h"

namespace civita {
namespace {

/// The row of a metric.
Table::Row MetricRow(const VariantComparison& comparison, std::size_t metric) {
  const MetricInfo& info = comparison.metrics[metric];
  Table::Row row{.name = info.label, .unit = info.unit, .doc = info.doc};
  for (const ComparedVariant& variant : comparison.variants) {
    row.cells.push_back({.estimate = EstimateMetric(variant, metric)});
  }
  row.is_apart = info.kind == MetricKind::kMotion && RelativeSpread(comparison, metric) > kApart;
  return row;
}

Table::Row StatusRow(const VariantComparison& comparison) {
  Table::Row row{.name = "status", .doc = "what failed or fell has no figures"};
  for (const ComparedVariant& variant : comparison.variants) {
    row.cells.push_back({.text = variant.status()});
  }
  return row;
}

}  // namespace

bool HasMetric(const VariantComparison& comparison, std::size_t metric) {
  return std::ranges::any_of(comparison.variants, [metric](const ComparedVariant& variant) {
    return !std::isnan(EstimateMetric(variant, metric).mean);
  });
}

Table FiguresTable(const VariantComparison& comparison) {
  constexpr std::array<std::pair<MetricKind, const char*>, 3> kGroups = {
      {{MetricKind::kMotion, "Motion"},
       {MetricKind::kCheck, "How exactly the laws hold"},
       {MetricKind::kMachine, "This machine"}}};
  Table table{.rows = {StatusRow(comparison)}, .summary = Summarize(comparison)};
  if (table.summary.empty()) table.summary = DescribeDifferences(comparison);
  for (const ComparedVariant& variant : comparison.variants) {
    table.columns.push_back({.title = variant.name});
  }
  std::size_t first = 0;
  for (const auto& [kind, name] : kGroups) {
    for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
      if (comparison.metrics[i].kind != kind || !HasMetric(comparison, i)) continue;
      table.rows.push_back(MetricRow(comparison, i));
    }
    if (table.rows.size() > first) table.rows[first].heading = name;
    first = table.rows.size();
  }
  return table;
}

std::string AbsentMetrics(const VariantComparison& comparison) {
  std::vector<std::string> absent;
  for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
    if (!HasMetric(comparison, i)) absent.push_back(comparison.metrics[i].label);
  }
  return absent.empty() ? "" : "No run has: " + internal::Join(absent, "; ") + ".";
}

std::string FormatTable(const VariantComparison& comparison, std::size_t width) {
  std::string text = ToTerminal(FiguresTable(comparison), width);
  const std::string absent = AbsentMetrics(comparison);
  if (!absent.empty()) text += "  " + absent + "\n";
  for (const ComparedVariant& variant : comparison.variants) {
    if (variant.verdict() != "done") text += "  " + variant.name + " " + variant.verdict() + "\n";
  }
  return text;
}

std::string ColumnOf(const MetricInfo& metric) {
  return metric.mark_s ? metric.key + "_" + internal::ExactNumber(*metric.mark_s) : metric.key;
}

std::string FormatCsv(const VariantComparison& comparison) {
  Table table;
  table.names.title = "variant";
  for (const char* title : {"seed", "start", "passed", "verdict", "status", "t_end_s"}) {
    table.columns.push_back({.title = title});
  }
  for (const MetricInfo& info : comparison.metrics) {
    table.columns.push_back({.title = ColumnOf(info)});
  }
  for (const ComparedVariant& variant : comparison.variants) {
    for (const ComparedRun& run : variant.runs) {
      table.AddRow(variant.name,
                   {std::to_string(run.seed), std::to_string(run.start), run.passed ? "1" : "0",
                    run.verdict, run.status_word(), internal::ExactNumber(run.end_s)});
      for (const double value : run.values) {
        table.rows.back().cells.push_back({.estimate = {.mean = run.is_whole() ? value : kNaN}});
      }
    }
  }
  return ToCsv(table);
}

}  // namespace civita
