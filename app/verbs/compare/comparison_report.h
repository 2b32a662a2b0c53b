// How `civita compare` shows a comparison.
#pragma once

#include <string>

#include "civita/study/compare/comparison.h"

namespace civita {

/// Contents of plots.svg and report.html.
std::string FormatPlots(const VariantComparison& comparison);
std::string FormatHtml(const VariantComparison& comparison);

}  // namespace civita
