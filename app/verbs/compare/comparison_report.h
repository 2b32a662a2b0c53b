// How `civita compare` shows a comparison.
#pragma once

#include <cstddef>
#include <string>

#include "civita/study/compare/comparison.h"

namespace civita {

/// The table for a terminal of `width` columns: a row for each metric, a column for each variant.
std::string FormatTable(const VariantComparison& comparison, std::size_t width = 100);

/// Contents of plots.svg and report.html.
std::string FormatPlots(const VariantComparison& comparison);
std::string FormatHtmlPlots(const VariantComparison& comparison);
std::string FormatHtml(const VariantComparison& comparison);

}  // namespace civita
