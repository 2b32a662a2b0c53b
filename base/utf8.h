#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace civita::internal {

/// Bytes of the UTF-8 character (RFC 3629) at the start of a text that is not empty; 0 if there is
/// none.
std::size_t CharacterSize(std::string_view text);

/// Where the text first is no UTF-8, in bytes; npos if it is UTF-8. Plain ASCII costs less than
/// reading it.
std::size_t FindNoUtf8(std::string_view text);

/// The number of characters of UTF-8 text.
std::size_t CountCharacters(std::string_view text);

/// The first bytes of a text, at most so many, that end with a whole character.
std::string_view FirstBytes(std::string_view text, std::size_t most_bytes);

/// The characters of a text without bytes that are none, as of one that was cut off.
std::string KeepCharacters(std::string_view text);

/// The byte `at` of a text as "LINE:COLUMN", from 1; the column counts characters.
std::string PlaceIn(std::string_view text, std::size_t at);

/// @throws UserError "NAME:LINE:COLUMN: …" unless the text is UTF-8 without a NUL, where readers
/// and messages would end.
void CheckUtf8(std::string_view text, const std::string& name);

}  // namespace civita::internal
