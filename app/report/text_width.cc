#include "app/report/text_width.h"

#include <algorithm>

namespace civita {

std::size_t TextWidth(const std::string& text) {
  const auto takes_column = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    const bool continues = (byte & 0xC0u) == 0x80u;
    const bool combines = byte == 0xCC || byte == 0xCD;  // U+0300 to U+037F
    return !continues && !combines;
  };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), takes_column));
}

std::string PadRight(std::string text, std::size_t width) {
  const std::size_t present = TextWidth(text);
  if (present < width) text.append(width - present, ' ');
  return text;
}

std::string PadLeft(const std::string& text, std::size_t width) {
  const std::size_t present = TextWidth(text);
  return (present < width ? std::string(width - present, ' ') : "") + text;
}

}  // namespace civita
