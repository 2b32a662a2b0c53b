#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>
#include <system_error>
#include <utility>

#include "base/number_text.h"
#include "base/text.h"
#include "civita/sim/metrics.h"
#include "civita/study/compare/comparison.h"

namespace civita {
namespace {

Table::Row MetricRow(const MetricInfo& info, std::span<const Estimate> estimates) {
  Table::Row row{.name = info.label, .unit = info.unit, .doc = info.doc};
  for (const Estimate& estimate : estimates) row.cells.push_back({.estimate = estimate});
  const double spread = IsOfMotion(info.kind) ? RelativeSpread(info, estimates) : kNaN;
  row.is_apart = spread > kApart;
  row.is_alike = !Leads(info) && spread <= kAlike;
  return row;
}

Table::Row StatusRow(std::span<const std::string> statuses) {
  Table::Row row{.name = "status", .doc = "what failed or fell has no figures"};
  for (const std::string& status : statuses) row.cells.push_back({.text = status});
  return row;
}

/// Adds, below the tracking error, what is predicted of it.
void AddPrediction(const VariantComparison& comparison, Table* table) {
  const auto at = std::ranges::find(comparison.metrics, "error_rms", &MetricInfo::key);
  if (at == comparison.metrics.end()) return;
  Table::Row row{.name = at->label + ", predicted",
                 .unit = at->unit,
                 .doc = "by the error equations along the reference, without a run"};
  bool any = false;
  for (const ComparedVariant& variant : comparison.variants) {
    row.cells.push_back({.estimate = EstimatePrediction(variant)});
    any = any || !std::isnan(row.cells.back().estimate.mean);
  }
  const auto below = std::ranges::find(table->rows, at->label, &Table::Row::name);
  if (any && below != table->rows.end()) table->rows.insert(below + 1, std::move(row));
}

bool IsKnown(const Estimate& estimate) { return !std::isnan(estimate.mean); }

}  // namespace

std::string ColumnOf(const MetricInfo& metric) {
  return metric.mark_s ? metric.key + "_" + internal::ExactNumber(*metric.mark_s) : metric.key;
}

MetricInfo MetricOf(const std::string& column, const std::string& unit) {
  MetricInfo info{.key = column, .label = column, .unit = unit, .doc = ""};
  std::ranges::replace(info.label, '_', ' ');
  for (const Metric* metric : Metrics()) {
    const std::string key(metric->key);
    if (column != key && !column.starts_with(key + "_")) continue;
    double mark = kNaN;
    const char* const end = column.data() + column.size();
    if (column != key) {
      const char* const digits = column.data() + key.size() + 1;
      const auto [rest, error] = std::from_chars(digits, end, mark);
      if (error != std::errc() || rest != end) continue;
    }
    info = {.key = key,
            .label = std::string(metric->label),
            .unit = unit,
            .doc = std::string(metric->doc),
            .kind = metric->kind,
            .floor = metric->floor};
    if (!std::isnan(mark)) info.label += "(" + FormatValue(mark) + " s)";
    return info;
  }
  return info;
}

Table MetricTable(std::span<const std::string> names, std::span<const std::string> statuses,
                  std::span<const MetricInfo> metrics,
                  std::span<const std::vector<Estimate>> estimates) {
  Table table{.rows = {StatusRow(statuses)}};
  for (const std::string& name : names) table.columns.push_back({.title = name});
  std::size_t first = 0;
  for (const MetricKind kind : kMetricKinds) {
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      if (metrics[i].kind != kind || std::ranges::none_of(estimates[i], IsKnown)) continue;
      table.rows.push_back(MetricRow(metrics[i], estimates[i]));
    }
    if (table.rows.size() > first) table.rows[first].heading = HeadingOf(kind);
    first = table.rows.size();
  }
  return table;
}

Table FiguresTable(const VariantComparison& comparison) {
  std::vector<std::string> names, statuses;
  for (const ComparedVariant& variant : comparison.variants) {
    names.push_back(variant.name);
    statuses.push_back(variant.status());
  }
  std::vector<std::vector<Estimate>> estimates;
  for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
    estimates.push_back(EstimatesOf(comparison, i));
  }
  Table table = MetricTable(names, statuses, comparison.metrics, estimates);
  AddPrediction(comparison, &table);
  table.summary = Summarize(comparison);
  if (table.summary.empty()) table.summary = DescribeRuns(comparison);
  return table;
}

std::string AbsentMetrics(const VariantComparison& comparison) {
  std::vector<std::string> absent;
  for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
    const bool has = std::ranges::any_of(EstimatesOf(comparison, i), IsKnown);
    if (!has) absent.push_back(comparison.metrics[i].label);
  }
  return absent.empty() ? "" : "No run has: " + internal::Join(absent, "; ") + ".";
}

std::string AbsentPrediction(const VariantComparison& comparison) {
  const auto error = std::ranges::find(comparison.metrics, "error_rms", &MetricInfo::key);
  if (error == comparison.metrics.end()) return "";
  const auto i = static_cast<std::size_t>(error - comparison.metrics.begin());
  std::vector<std::string> names, reasons;
  for (const ComparedVariant& variant : comparison.variants) {
    if (!IsKnown(EstimateMetric(variant, i)) || IsKnown(EstimatePrediction(variant))) continue;
    std::string reason = comparison.why_no_prediction;
    for (const PredictedError& each : variant.predicted) {
      if (!each.why_not.empty()) reason = each.why_not;
    }
    if (reason.empty()) continue;
    names.push_back(variant.name);
    reasons.push_back(std::move(reason));
  }
  if (names.empty()) return "";
  const std::string none = "No prediction of the tracking error";
  if (std::ranges::count(reasons, reasons[0]) == std::ssize(comparison.variants)) {
    return none + ": " + reasons[0] + ".";
  }
  for (std::size_t k = 0; k < names.size(); ++k) names[k] += " (" + reasons[k] + ")";
  return none + " of " + internal::Join(names, "; ") + ".";
}

std::string FormatTable(const VariantComparison& comparison, std::size_t width) {
  std::string text = ToTerminal(FiguresTable(comparison), width);
  for (const std::string& note : {AbsentMetrics(comparison), AbsentPrediction(comparison)}) {
    if (!note.empty()) text += "  " + note + "\n";
  }
  for (const ComparedVariant& variant : comparison.variants) {
    if (variant.verdict() != "done") text += "  " + variant.name + " " + variant.verdict() + "\n";
  }
  return text;
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
