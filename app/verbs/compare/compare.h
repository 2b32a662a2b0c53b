#pragma once

#include <string>

#include "civita/study/compare/compare.h"

namespace civita {

/// CompareVariants, which writes the files into a folder; an empty `out` is none. @throws
/// UserError.
VariantComparison CompareInto(const std::string& out, const CompareOptions& options,
                              const Watch& watch);

/// Contents of plots.svg and report.html.
std::string FormatPlots(const VariantComparison& comparison);
std::string FormatHtml(const VariantComparison& comparison);

/// Runs the variants, prints the table, writes the files. @returns an ExitCode: kExitFailed when a
/// variant did not reach the end. @throws UserError.
int RunCompare(const CompareOptions& options, const std::string& out);

}  // namespace civita
