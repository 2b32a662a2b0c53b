// Runs of one scene that differ in what was varied, and their figures side by side: what
// `civita compare` computes and writes.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "civita/sim/metric_table.h"
#include "civita/sim/trials/compare_runs.h"

namespace civita {

struct ComparedVariant {
  std::string name;                                           ///< "t:1", "K_D=20"
  std::vector<std::pair<std::string, std::string>> settings;  ///< what was varied: key, value
  std::string config;                                         ///< resolved, as YAML
  std::vector<ComparedRun> runs;
  RunCurves traces;

  bool passed() const;
  /// The first run's that did not pass, else the first's.
  const std::string& verdict() const;
};

struct VariantComparison {
  std::string scene, title;
  std::string command;  ///< that makes it again
  double duration_s = 0;
  double wall_s = 0;
  bool interrupted = false;
  std::vector<MetricInfo> metrics;
  std::vector<ComparedVariant> variants;
};

/// Mean over runs with its 95 % confidence interval by Student's t; half = NaN for a single run.
struct Estimate {
  double mean = 0, half = 0;
};
/// NaNs are left out; nothing but NaNs gives NaN.
Estimate EstimateMean(std::span<const double> values);
Estimate EstimateMetric(const ComparedVariant& variant, std::size_t metric);

/// (largest − smallest)/(largest magnitude) of the variants' means; 0 where all are zero, NaN with
/// less than two numbers. More than kApart is apart, kAlike or less alike.
double RelativeSpread(const VariantComparison& comparison, std::size_t metric);
inline constexpr double kAlike = 0.01;

/// "0.123", "0.123 ± 0.004".
std::string FormatEstimate(const Estimate& estimate);

/// What differs and what does not, in sentences, from the numbers.
std::string DescribeDifferences(const VariantComparison& comparison);

/// For a terminal of `width` columns: a metric a row, a variant a column.
std::string FormatTable(const VariantComparison& comparison, std::size_t width = 100);

/// compare.json, compare.csv, plots.svg and report.html; docs/compare.md has the schema.
std::string FormatJson(const VariantComparison& comparison);
std::string FormatCsv(const VariantComparison& comparison);
std::string FormatPlots(const VariantComparison& comparison);
std::string FormatHtml(const VariantComparison& comparison);

}  // namespace civita
