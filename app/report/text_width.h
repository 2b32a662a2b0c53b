#pragma once

#include <cstddef>
#include <string>

namespace civita {

/// Columns that a text takes on a terminal.
std::size_t TextWidth(const std::string& text);

/// The text with spaces after it, or before it, to that width.
std::string PadRight(std::string text, std::size_t width);
std::string PadLeft(const std::string& text, std::size_t width);

}  // namespace civita
