#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "app/verbs/reproduce/reproduction.h"

namespace civita {

/// NAME.json: {"reproduction", "verdict", "civita", "comparisons": [{"quantity", "paper", "ours",
/// "criterion", "passed"}], "files"}.
std::string FormatJson(const ReproductionResult& result);

/// all.json: {"verdict": "passed" | "failed" | "interrupted", "passed", "failed", "skipped",
/// "civita", "machine", "reproductions": [as above]}; the three in the middle count reproductions.
std::string FormatAllJson(std::span<const ReproductionResult> results);

/// all.html: every verdict, then each one's table and figures, the SVG files in `folder` among its
/// files.
std::string FormatAllHtml(std::span<const ReproductionResult> results,
                          const std::filesystem::path& folder);

}  // namespace civita
