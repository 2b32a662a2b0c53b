// Runs of one scene that differ in varied keys, and their metrics side by side: the results
// of a comparison.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "civita/sim/metric_table.h"
#include "civita/sim/trials/compare_runs.h"
#include "civita/study/advise/predicted_error.h"
#include "civita/study/table.h"

namespace civita {

struct ComparedVariant {
  std::string name;                                           ///< "t:1", "K_D=20"
  std::vector<std::pair<std::string, std::string>> settings;  ///< varied keys and their values
  std::string config;                                         ///< resolved, as YAML
  std::vector<std::string> turned_by = {};                    ///< TurningCauses
  std::vector<ComparedRun> runs;
  RunCurves traces;
  std::vector<PredictedError> predicted = {};  ///< by run; empty: none was made
  std::string law = {};                        ///< LawInfo::type
  bool damps_by_inertia = true;                ///< DampsByInertia

  bool passed() const;
  /// Of its runs, those that are whole and count.
  std::size_t num_whole() const;
  bool is_whole() const { return num_whole() == runs.size(); }
  /// The verdict of the first run that is not whole, otherwise of the first run.
  const std::string& verdict() const;
  /// ComparedRun::status of a single run; of several how many of them are whole: "3 of 5 whole".
  std::string status() const;
};

struct VariantComparison {
  std::string scene, title;
  std::string velocity_unit;
  std::string command;  ///< that reproduces the comparison
  double duration_s = 0;
  double wall_s = 0;
  bool interrupted = false;
  std::vector<MetricInfo> metrics;
  std::vector<ComparedVariant> variants;
  std::vector<std::string> files;  ///< written for the variants
  std::string write_error;         ///< why files are missing; empty: they are whole
  std::string why_no_prediction;   ///< of any variant; empty: there are some, or none was tried
};

/// Mean with its 95 % confidence interval by Student's t; half = NaN for a single value.
/// NaNs are left out; NaN if nothing remains.
Estimate EstimateMean(std::span<const double> values);
/// Of the runs that are whole.
Estimate EstimateMetric(const ComparedVariant& variant, std::size_t metric);
/// Of the tracking error that is predicted of a variant's whole runs; NaN if some have none.
Estimate EstimatePrediction(const ComparedVariant& variant);
/// Of each variant.
std::vector<Estimate> EstimatesOf(const VariantComparison& comparison, std::size_t metric);

/// RelativeDifference of the largest and the smallest of the means; NaN with fewer than
/// two numbers. Above kApart variants count as different, up to kAlike as equal.
double RelativeSpread(const MetricInfo& metric, std::span<const Estimate> estimates);
double RelativeSpread(const VariantComparison& comparison, std::size_t metric);
inline constexpr double kAlike = 0.01;
/// Of turning and error a comparison speaks first, also where they are alike.
inline constexpr std::array<std::string_view, 2> kLeads = {"twist_rad", "error_rms"};
inline bool Leads(const MetricInfo& metric) {
  return std::ranges::find(kLeads, metric.key) != kLeads.end();
}

/// What matters, CompareInWords, of the first variant with whole runs and the one with such that
/// differs most from it; before it what became of the others. With fewer than two that is all.
std::string Summarize(const VariantComparison& comparison);

/// What was compared: "7-joint arm: 2 variants, which differ in K_D alone, over 2 s."
std::string DescribeRuns(const VariantComparison& comparison);

/// The name of a metric's column: "torque_rate", "V_at_0.5".
std::string ColumnOf(const MetricInfo& metric);

/// The metric of such a column; of a name that is none of the process's metrics, as one of a
/// plug-in, the name itself.
MetricInfo MetricOf(const std::string& column, const std::string& unit);

/// A row for each metric that some column has, in groups; estimates[i][k]: of metric i, in the
/// column names[k], whose runs' status is statuses[k].
Table MetricTable(std::span<const std::string> names, std::span<const std::string> statuses,
                  std::span<const MetricInfo> metrics,
                  std::span<const std::vector<Estimate>> estimates);
/// MetricTable with a column for each variant, and what matters in words.
Table FiguresTable(const VariantComparison& comparison);
/// "No run has: overshoot; V(0.1 s)."; empty if there is nothing to tell.
std::string AbsentMetrics(const VariantComparison& comparison);
/// Why variants whose tracking error is known have none that is predicted; empty if all have.
std::string AbsentPrediction(const VariantComparison& comparison);

/// FiguresTable for a terminal of `width` columns, and what became of the runs.
std::string FormatTable(const VariantComparison& comparison, std::size_t width = 100);

/// Contents of compare.json and compare.csv; docs/compare.md has the schema.
std::string FormatJson(const VariantComparison& comparison);
std::string FormatCsv(const VariantComparison& comparison);

}  // namespace civita
