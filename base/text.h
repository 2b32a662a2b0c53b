#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace civita::internal {

/// The texts with `separator` between them.
std::string Join(const std::vector<std::string>& texts, std::string_view separator);

/// "a, b, c", truncated after `most` names: "a, b and 4 more".
std::string List(const std::vector<std::string>& names, size_t most = 6);

/// Adds "WHAT a, b, c" (List) to `notices`, unless there are no names.
void TellNames(std::string_view what, const std::vector<std::string>& names,
               std::vector<std::string>* notices);

/// A number with its noun, plural if needed: "1 geom", "3 geoms".
std::string Count(size_t n, const std::string& thing);

/// For display: four significant digits.
std::string ShortNumber(double x);

/// Number of columns that a text occupies on a terminal: characters except combining ones.
std::size_t TextWidth(const std::string& text);

/// The text padded with spaces after it, or before it, to that width.
std::string PadRight(std::string text, std::size_t width);
std::string PadLeft(const std::string& text, std::size_t width);

}  // namespace civita::internal
