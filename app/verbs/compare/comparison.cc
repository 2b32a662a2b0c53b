#include "app/verbs/compare/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "app/report/comparison_sentence.h"
#include "app/style/format.h"
#include "civita/scenes/schema/text.h"
#include "civita/sim/metrics.h"

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

std::string WithUnit(const std::string& number, const std::string& unit) {
  return unit.empty() ? number : number + " " + unit;
}

std::string Percent(double ratio) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), ratio < 1e-3 ? "%.1e" : "%.2g %%",
                ratio < 1e-3 ? ratio : 100 * ratio);
  return text.data();
}

/// Text of the extremes of a metric: "twist 0 (christoffel) to 5.8 rad (t:1)".
std::string DescribeSpread(const VariantComparison& comparison, std::size_t metric) {
  const ComparedVariant* lowest = nullptr;
  const ComparedVariant* highest = nullptr;
  double lo = HUGE_VAL, hi = -HUGE_VAL;
  for (const ComparedVariant& variant : comparison.variants) {
    const double mean = EstimateMetric(variant, metric).mean;
    if (std::isnan(mean) || variant.fell_freely()) continue;
    if (mean < lo) lo = mean, lowest = &variant;
    if (mean > hi) hi = mean, highest = &variant;
  }
  const MetricInfo& info = comparison.metrics[metric];
  return info.label + " " + FormatValue(lo) + " (" + lowest->name + ") to " +
         WithUnit(FormatValue(hi), info.unit) + " (" + highest->name + ")";
}

ComparedSide SideOf(const VariantComparison& comparison, const ComparedVariant& variant) {
  ComparedSide side{.name = variant.name, .values = {}};
  for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
    const Estimate estimate = EstimateMetric(variant, i);
    side.values.push_back(estimate.mean);
    side.half.push_back(estimate.half);
  }
  side.fell_freely = variant.fell_freely();
  if (!variant.passed() || side.fell_freely) side.fate = variant.verdict();
  return side;
}

}  // namespace

bool ComparedVariant::passed() const {
  return std::all_of(runs.begin(), runs.end(), [](const ComparedRun& run) { return run.passed; });
}

bool ComparedVariant::fell_freely() const {
  return std::any_of(runs.begin(), runs.end(),
                     [](const ComparedRun& run) { return run.fell_freely; });
}

const std::string& ComparedVariant::verdict() const {
  for (const ComparedRun& run : runs) {
    if (!run.passed) return run.verdict;
  }
  for (const ComparedRun& run : runs) {
    if (run.fell_freely) return run.verdict;
  }
  return runs.front().verdict;
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
  for (const ComparedRun& run : variant.runs) values.push_back(run.values[metric]);
  return EstimateMean(values);
}

double RelativeSpread(const VariantComparison& comparison, std::size_t metric) {
  double lo = HUGE_VAL, hi = -HUGE_VAL;
  int count = 0;
  for (const ComparedVariant& variant : comparison.variants) {
    const double mean = EstimateMetric(variant, metric).mean;
    if (std::isnan(mean) || variant.fell_freely()) continue;
    lo = std::min(lo, mean);
    hi = std::max(hi, mean);
    ++count;
  }
  if (count < 2) return kNaN;
  return RelativeDifference(comparison.metrics[metric], lo, hi);
}

std::string FormatEstimate(const Estimate& estimate) {
  if (std::isnan(estimate.half)) return FormatValue(estimate.mean);
  std::array<char, 32> half;
  std::snprintf(half.data(), half.size(), " ± %.2g", estimate.half);
  return FormatValue(estimate.mean) + half.data();
}

std::string Summarize(const VariantComparison& comparison) {
  const ComparedVariant& first = comparison.variants.front();
  const ComparedVariant* other = &comparison.variants[1];
  double most = -1;
  for (const char* key : {"twist_rad", "error_rms"}) {
    const auto metric = std::ranges::find(comparison.metrics, key, &MetricInfo::key);
    if (metric == comparison.metrics.end() || most > kApart) continue;
    const auto i = static_cast<std::size_t>(metric - comparison.metrics.begin());
    // by the difference, not relative to it: of what turns, what turns most
    double farthest = -1;
    for (const ComparedVariant& variant : comparison.variants) {
      const double a = EstimateMetric(first, i).mean, b = EstimateMetric(variant, i).mean;
      if (!(std::abs(b - a) > farthest) || &variant == &first || variant.fell_freely()) continue;
      farthest = std::abs(b - a);
      most = RelativeDifference(*metric, a, b);
      other = &variant;
    }
  }
  const std::string text =
      CompareInWords(comparison.metrics, SideOf(comparison, first), SideOf(comparison, *other));
  if (comparison.variants.size() == 2 || text.empty()) return text;
  return "Of " + std::to_string(comparison.variants.size()) + " variants, " + other->name +
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

std::string DescribeDifferences(const VariantComparison& comparison) {
  std::string text = DescribeRuns(comparison);
  for (const ComparedVariant& variant : comparison.variants) {
    if (!variant.passed() || variant.fell_freely()) {
      text += " " + variant.name + " " + variant.verdict() + ".";
    }
  }
  std::vector<std::string> apart, alike, between;
  for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
    const MetricInfo& info = comparison.metrics[i];
    const double spread = RelativeSpread(comparison, i);
    if (info.kind != MetricInfo::Kind::kMotion || std::isnan(spread)) continue;
    if (spread > kApart) {
      apart.push_back(DescribeSpread(comparison, i));
    } else if (spread <= kAlike) {
      alike.push_back(info.label + (spread > 0 ? " (" + Percent(spread) + ")" : ""));
    } else {
      between.push_back(info.label + " (" + Percent(spread) + ")");
    }
  }
  if (!apart.empty()) text += " Apart by more than a fifth: " + internal::Join(apart, "; ") + ".";
  if (!between.empty()) text += " Apart by less: " + internal::Join(between, ", ") + ".";
  if (!alike.empty()) text += " Alike within 1 %: " + internal::Join(alike, ", ") + ".";
  return text;
}

}  // namespace civita
