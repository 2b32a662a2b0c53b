#include "civita/study/compare/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/number_text.h"
#include "base/text.h"
#include "civita/sim/metrics.h"
#include "civita/study/compare/comparison_sentence.h"

namespace civita {
namespace {

/// The 0.975 quantile of Student's t: from a table, beyond it by the Cornish–Fisher expansion.
double StudentQuantile(std::size_t degrees) {
  constexpr std::array kTable = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706,
                                 2.4469,  2.3646, 2.3060, 2.2622, 2.2281};
  if (degrees <= kTable.size()) return kTable[degrees - 1];
  constexpr double z = 1.959964;
  const auto n = static_cast<double>(degrees);
  const double z3 = z * z * z, z5 = z3 * z * z;
  return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n);
}

/// "failed: …"; of several runs "fell at t = … in 2 of 5 runs, which do not count".
std::string FateOf(const ComparedVariant& variant) {
  const std::size_t runs = variant.runs.size(), lost = runs - variant.num_whole();
  if (runs == 1) return variant.verdict();
  return variant.verdict() + " (" + std::to_string(lost) + " of " + std::to_string(runs) +
         " runs failed or fell, and do not count)";
}

/// Whether a metric is the same quantity in all variants: V and s are the law's own.
bool IsComparable(const VariantComparison& comparison, const MetricInfo& metric) {
  const bool is_laws_own = metric.kind == MetricKind::kTurning ||
                           metric.kind == MetricKind::kCheck || metric.key == "V_at";
  return !is_laws_own || std::ranges::all_of(comparison.variants, [&](const auto& variant) {
    return variant.law == comparison.variants.front().law;
  });
}

ComparedSide SideOf(const VariantComparison& comparison, const ComparedVariant& variant) {
  ComparedSide side{.name = variant.name, .values = {}};
  side.turned_by = variant.turned_by;
  for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
    side.values.push_back(EstimateMetric(variant, i).mean);
  }
  side.predicted_error = EstimatePrediction(variant).mean;
  side.law = variant.law;
  side.damps_by_inertia = variant.damps_by_inertia;
  for (const PredictedError& predicted : variant.predicted) {
    side.left_out = predicted.left_out;
    side.is_predicted_linearly = predicted.is_linear;
    side.is_one_of_mean = predicted.is_mean && variant.runs.size() == 1;
  }
  side.is_whole = variant.num_whole() > 0;
  if (!variant.is_whole()) side.fate = FateOf(variant);
  return side;
}

/// By metric, of the confidence interval of the mean difference of runs from one start with one
/// seed; empty for one run each.
std::vector<double> HalvesOfDifferences(const VariantComparison& comparison,
                                        const ComparedVariant& a, const ComparedVariant& b) {
  if (a.runs.size() < 2) return {};
  std::vector<double> halves;
  for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
    std::vector<double> differences;
    for (std::size_t k = 0; k < std::min(a.runs.size(), b.runs.size()); ++k) {
      if (!a.runs[k].is_whole() || !b.runs[k].is_whole()) continue;
      differences.push_back(b.runs[k].values[i] - a.runs[k].values[i]);
    }
    halves.push_back(EstimateMean(differences).half);
  }
  return halves;
}

}  // namespace

bool ComparedVariant::passed() const {
  return std::all_of(runs.begin(), runs.end(), [](const ComparedRun& run) { return run.passed; });
}

std::size_t ComparedVariant::num_whole() const {
  return static_cast<std::size_t>(std::ranges::count_if(runs, &ComparedRun::is_whole));
}

const std::string& ComparedVariant::verdict() const {
  for (const ComparedRun& run : runs) {
    if (!run.is_whole()) return run.verdict;
  }
  return runs.front().verdict;
}

std::string ComparedVariant::status() const {
  if (runs.size() == 1) return runs.front().status();
  return std::to_string(num_whole()) + " of " + std::to_string(runs.size()) + " whole";
}

Estimate EstimateMean(std::span<const double> values) {
  double sum = 0;
  std::size_t n = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    ++n;
  }
  if (n == 0) return {kNaN, kNaN};
  const double mean = sum / static_cast<double>(n);
  if (n == 1) return {mean, kNaN};
  double squares = 0;
  for (const double value : values) {
    if (!std::isnan(value)) squares += (value - mean) * (value - mean);
  }
  const double deviation = std::sqrt(squares / static_cast<double>(n - 1));
  return {mean, StudentQuantile(n - 1) * deviation / std::sqrt(static_cast<double>(n))};
}

Estimate EstimateMetric(const ComparedVariant& variant, std::size_t metric) {
  std::vector<double> values;
  for (const ComparedRun& run : variant.runs) {
    if (run.is_whole()) values.push_back(run.values[metric]);
  }
  return EstimateMean(values);
}

Estimate EstimatePrediction(const ComparedVariant& variant) {
  std::vector<double> values;
  if (variant.predicted.size() < variant.runs.size()) return {};
  for (std::size_t i = 0; i < variant.runs.size(); ++i) {
    if (!variant.runs[i].is_whole()) continue;
    if (std::isnan(variant.predicted[i].error_rms)) return {};
    values.push_back(variant.predicted[i].error_rms);
  }
  return EstimateMean(values);
}

std::vector<Estimate> EstimatesOf(const VariantComparison& comparison, std::size_t metric) {
  std::vector<Estimate> estimates;
  for (const ComparedVariant& variant : comparison.variants) {
    estimates.push_back(EstimateMetric(variant, metric));
  }
  return estimates;
}

double RelativeSpread(const MetricInfo& metric, std::span<const Estimate> estimates) {
  double lo = HUGE_VAL, hi = -HUGE_VAL;
  int count = 0;
  for (const Estimate& estimate : estimates) {
    if (std::isnan(estimate.mean)) continue;
    lo = std::min(lo, estimate.mean);
    hi = std::max(hi, estimate.mean);
    ++count;
  }
  return count < 2 ? kNaN : RelativeDifference(metric, lo, hi);
}

double RelativeSpread(const VariantComparison& comparison, std::size_t metric) {
  return RelativeSpread(comparison.metrics[metric], EstimatesOf(comparison, metric));
}

std::string Summarize(const VariantComparison& comparison) {
  std::vector<const ComparedVariant*> compared;
  std::string fates;
  for (const ComparedVariant& variant : comparison.variants) {
    if (variant.num_whole() > 0) {
      compared.push_back(&variant);
    } else {
      fates += variant.name + " " + FateOf(variant) + ". ";
    }
  }
  if (compared.size() < 2) {
    for (const ComparedVariant* variant : compared) {
      if (!variant->is_whole()) fates += variant->name + " " + FateOf(*variant) + ". ";
    }
    return fates + kNoConclusion;
  }
  const ComparedVariant& first = *compared.front();
  const ComparedVariant* other = compared[1];
  double most = -1;
  for (const std::string_view key : kLeads) {
    const auto metric = std::ranges::find(comparison.metrics, key, &MetricInfo::key);
    if (metric == comparison.metrics.end() || most > kApart) continue;
    if (!IsComparable(comparison, *metric)) continue;
    const auto i = static_cast<std::size_t>(metric - comparison.metrics.begin());
    // by the difference, not relative to it: of what turns, what turns most
    double farthest = -1;
    for (const ComparedVariant* variant : compared) {
      const double a = EstimateMetric(first, i).mean, b = EstimateMetric(*variant, i).mean;
      if (!(std::abs(b - a) > farthest) || variant == &first) continue;
      farthest = std::abs(b - a);
      most = RelativeDifference(*metric, a, b);
      other = variant;
    }
  }
  const std::string text =
      CompareInWords(comparison.metrics, SideOf(comparison, first), SideOf(comparison, *other),
                     HalvesOfDifferences(comparison, first, *other));
  if (compared.size() == 2 || text.empty()) return fates + text;
  return fates + "Of " + std::to_string(compared.size()) + " variants, " + other->name +
         " differs most from " + first.name + ". " + text;
}

std::string DescribeRuns(const VariantComparison& comparison) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : comparison.variants.front().settings) keys.push_back(key);
  const std::size_t runs = comparison.variants.front().runs.size();
  std::string text = comparison.title + ": " + std::to_string(comparison.variants.size()) +
                     " variants, which differ in " + internal::Join(keys, " and ") +
                     " alone, over " + FormatValue(comparison.duration_s) + " s";
  if (runs > 1) text += ", " + std::to_string(runs) + " runs each";
  return text + ".";
}

}  // namespace civita
