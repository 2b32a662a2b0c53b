// Runs of one scene that differ in what was varied, and their figures side by side: what
// `civita compare` computes and writes.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace civita {

/// A figure of a run, as a row of the table.
struct MetricInfo {
  std::string key;    ///< in compare.json and compare.csv: "torque_rate"
  std::string label;  ///< for people: "torque rate"
  std::string unit;   ///< "N·m/s"; "" where there is none
  std::string doc;    ///< its definition, one line
  /// Storage at this time: the entry of "V_at" in the JSON.
  std::optional<double> mark_s = std::nullopt;
  /// What it tells of: the motion, how well a law of physics is kept (rounding and sampling), or
  /// the machine. Differences of the motion alone are worth a sentence.
  enum class Kind { kMotion, kCheck, kMachine } kind = Kind::kMotion;
};

/// A variant once, from one start with one seed.
struct ComparedRun {
  int seed = 0;
  int start = 0;  ///< index of the initial state; 0 is the scene's own
  bool passed = true;
  std::string verdict;         ///< "done", "interrupted at t = …", "failed: …"
  std::vector<double> values;  ///< by metric; NaN where it has none
};

/// Curves of a variant's first run, one value a control step.
struct RunCurves {
  std::vector<double> t, error, V, s, torque, torque_rate, twist, energy_balance;
  std::vector<Eigen::Vector3d> ee, ee_reference;  ///< m, world axes
};

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
/// less than two numbers. What is apart by more than a fifth is called so.
double RelativeSpread(const VariantComparison& comparison, std::size_t metric);
inline constexpr double kApart = 0.2;
inline constexpr double kAlike = 0.01;

/// A number as the tables have it: four digits; "–" for NaN.
std::string FormatValue(double value);
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
