#include "base/text.h"

#include <algorithm>
#include <cstddef>

#include "base/number_text.h"

namespace civita::internal {

std::string Join(const std::vector<std::string>& texts, std::string_view separator) {
  std::string joined;
  for (size_t i = 0; i < texts.size(); ++i) joined.append(i > 0 ? separator : "").append(texts[i]);
  return joined;
}

std::string List(const std::vector<std::string>& names, size_t most) {
  if (names.size() <= most) return Join(names, ", ");
  return Join({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(most)}, ", ") + " and " +
         std::to_string(names.size() - most) + " more";
}

void TellNames(std::string_view what, const std::vector<std::string>& names,
               std::vector<std::string>* notices) {
  if (!names.empty()) notices->push_back(std::string(what) + List(names));
}

std::string Count(size_t n, const std::string& thing) {
  const bool y = n != 1 && thing.ends_with('y');
  return std::to_string(n) + " " + (y ? thing.substr(0, thing.size() - 1) + "ies" : thing) +
         (n == 1 || y ? "" : "s");
}

std::string ShortNumber(double x) { return General(x, 4); }

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

}  // namespace civita::internal
