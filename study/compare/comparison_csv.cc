#include <string>

#include "base/number_text.h"
#include "civita/sim/metrics.h"
#include "civita/study/compare/comparison.h"

namespace civita {
namespace {

std::string CsvText(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string ColumnOf(const MetricInfo& metric) {
  return metric.mark_s ? metric.key + "_" + internal::ExactNumber(*metric.mark_s) : metric.key;
}

std::string FormatCsv(const VariantComparison& comparison) {
  std::string text = "variant,seed,start,passed,verdict,status,t_end_s";
  for (const MetricInfo& info : comparison.metrics) text += "," + ColumnOf(info);
  text += "\n";
  for (const ComparedVariant& variant : comparison.variants) {
    for (const ComparedRun& run : variant.runs) {
      text += CsvText(variant.name) + "," + std::to_string(run.seed) + "," +
              std::to_string(run.start) + "," + (run.passed ? "1" : "0") + "," +
              CsvText(run.verdict) + "," + run.status_word() + ",";
      internal::AppendNumber(run.end_s, &text);
      for (const double value : run.values) {
        text += ",";
        internal::AppendNumber(run.is_whole() ? value : kNaN, &text);
      }
      text += "\n";
    }
  }
  return text;
}

}  // namespace civita
