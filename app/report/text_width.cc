#include "app/report/text_width.h"

#include <algorithm>

namespace civita {

std::size_t TextWidth(const std::string& text) {
  const auto starts = [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts));
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
