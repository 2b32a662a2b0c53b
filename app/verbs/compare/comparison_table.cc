#include <algorithm>

#include "app/report/text_width.h"
#include "app/verbs/compare/comparison_report.h"

namespace civita {
namespace {

std::string RowLabel(const MetricInfo& info) {
  return info.unit.empty() ? info.label : info.label + ", " + info.unit;
}

}  // namespace

std::string FormatTable(const VariantComparison& comparison, std::size_t width) {
  const std::size_t rows = comparison.metrics.size();
  std::vector<std::string> labels = {"", "status"};
  std::size_t label_width = 0;
  for (const MetricInfo& info : comparison.metrics) labels.push_back(RowLabel(info));
  for (const std::string& label : labels) label_width = std::max(label_width, TextWidth(label));
  std::vector<std::vector<std::string>> columns;
  std::size_t column_width = 0;
  for (const ComparedVariant& variant : comparison.variants) {
    std::vector<std::string>& column = columns.emplace_back();
    column.push_back(variant.name);
    column.push_back(variant.status());
    for (std::size_t i = 0; i < rows; ++i) {
      column.push_back(FormatEstimate(EstimateMetric(variant, i)));
    }
    for (const std::string& cell : column) column_width = std::max(column_width, TextWidth(cell));
  }
  const std::size_t room = width > label_width + 4 ? width - label_width - 4 : 0;
  const std::size_t together = std::max<std::size_t>(1, room / (column_width + 2));
  std::string text;
  for (std::size_t first = 0; first < columns.size(); first += together) {
    const std::size_t end = std::min(first + together, columns.size());
    if (first > 0) text += "\n";
    for (std::size_t row = 0; row < labels.size(); ++row) {
      text += "  " + PadRight(labels[row], label_width);
      for (std::size_t c = first; c < end; ++c)
        text += "  " + PadLeft(columns[c][row], column_width);
      text += "\n";
    }
  }
  for (const ComparedVariant& variant : comparison.variants) {
    if (variant.verdict() != "done") text += "  " + variant.name + " " + variant.verdict() + "\n";
  }
  return text;
}

}  // namespace civita
