#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "app/verbs/reproduce/reproduction.h"

namespace civita {

/// Content of NAME.json: {"reproduction", "verdict", "civita", "comparisons": [{"quantity",
/// "paper", "ours", "criterion", "passed"}], "files"}.
std::string FormatJson(const ReproductionResult& result);

/// Content of all.json: {"verdict": "passed" | "failed" | "interrupted", "passed", "failed",
/// "skipped", "civita", "machine", "reproductions": [as in FormatJson]}; "passed", "failed" and
/// "skipped" count reproductions.
std::string FormatAllJson(std::span<const ReproductionResult> results);

/// Content of all.html: every verdict, then the table and figures of each, the SVG files in
/// `folder` among its files.
std::string FormatAllHtml(std::span<const ReproductionResult> results,
                          const std::filesystem::path& folder);

}  // namespace civita
