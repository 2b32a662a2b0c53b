#pragma once

#include <string>
#include <string_view>

namespace civita {

/// The text with control characters, which names in files may hold and a terminal would obey, and
/// bytes that are no UTF-8 written as \xNN; line breaks stay.
std::string Printable(std::string_view text);

/// Writes text to standard output, made Printable.
void PrintOut(std::string_view text);

/// Writes "civita: TEXT" to standard error: Printable, in one line, its middle left out if it is
/// very long.
void PrintError(std::string_view text);

/// PrintError of what is not an error.
void PrintNote(std::string_view text);

}  // namespace civita
