#include "base/utf8.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "civita/error.h"

namespace civita::internal {
namespace {

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

std::size_t CharacterSize(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return 1;
  const std::size_t size = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (first < 0xC2 || first > 0xF4 || size > text.size()) return 0;
  const std::string_view rest = text.substr(1, size - 1);
  if (!std::ranges::all_of(rest, IsContinuation)) return 0;
  // Longer than needed, a surrogate, or above U+10FFFF.
  const auto second = static_cast<unsigned char>(text[1]);
  const bool is_none = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                       (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return is_none ? 0 : size;
}

std::size_t FindNoUtf8(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t eight = kHighBits;
    if (text.size() - at >= sizeof eight) std::memcpy(&eight, text.data() + at, sizeof eight);
    if ((eight & kHighBits) == 0) {
      at += sizeof eight;
      continue;
    }
    const std::size_t size = CharacterSize(text.substr(at));
    if (size == 0) return at;
    at += size;
  }
  return text.npos;
}

std::size_t CountCharacters(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, IsContinuation));
}

std::string_view FirstBytes(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  while (most_bytes > 0 && IsContinuation(text[most_bytes])) --most_bytes;
  return text.substr(0, most_bytes);
}

std::string KeepCharacters(std::string_view text) {
  std::string kept;
  for (std::size_t at = 0, size = 0; at < text.size(); at += std::max<std::size_t>(size, 1)) {
    size = CharacterSize(text.substr(at));
    kept += text.substr(at, size);
  }
  return kept;
}

std::string PlaceIn(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t line = before.rfind('\n') + 1;  // 0 for npos
  return std::to_string(std::ranges::count(before, '\n') + 1) + ":" +
         std::to_string(CountCharacters(before.substr(line)) + 1);
}

void CheckUtf8(std::string_view text, const std::string& name) {
  const std::size_t nul = text.find('\0'), at = FindNoUtf8(text);
  if (nul < at) {
    throw UserError(name + ":" + PlaceIn(text, nul) +
                    ": a NUL character; text is UTF-8, or UTF-16 with its byte order mark in YAML");
  }
  if (at == text.npos) return;
  std::array<char, 8> byte;
  std::snprintf(byte.data(), byte.size(), "0x%02X", static_cast<unsigned char>(text[at]));
  throw UserError(name + ":" + PlaceIn(text, at) + ": is no UTF-8 text: byte " + byte.data());
}

}  // namespace civita::internal
