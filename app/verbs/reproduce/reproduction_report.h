#pragma once

#include <span>
#include <string>

#include "app/verbs/reproduce/reproduction.h"
#include "civita/study/table.h"

namespace civita {

/// A row for each comparison.
Table ComparisonTable(const ReproductionResult& result);

/// Content of NAME.json: {"reproduction", "verdict", "civita", "comparisons": [{"quantity",
/// "expected", "source", "ours", "criterion", "verdict", "remark"}], "files"}. "expected" and its
/// "source" are null where there is none, "verdict" is as in Comparison::verdict.
std::string FormatJson(const ReproductionResult& result);

/// Content of all.json: {"verdict": "passed" | "failed" | "incomplete" | "interrupted", "passed",
/// "failed", "skipped", "civita", "machine", "reproductions": [as in FormatJson]}; "passed",
/// "failed" and "skipped" count reproductions, of which "incomplete" skipped some.
std::string FormatAllJson(std::span<const ReproductionResult> results);

/// Content of all.html: what came out in a sentence, every verdict, then the figures and the table
/// of each.
std::string FormatAllHtml(std::span<const ReproductionResult> results);

}  // namespace civita
