#pragma once

#include <cstddef>
#include <string>

namespace civita {

/// Number of columns that a text occupies on a terminal: characters except combining ones.
std::size_t TextWidth(const std::string& text);

/// The text padded with spaces after it, or before it, to that width.
std::string PadRight(std::string text, std::size_t width);
std::string PadLeft(const std::string& text, std::size_t width);

}  // namespace civita
