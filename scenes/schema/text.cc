#include "civita/scenes/schema/text.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "civita/error.h"

namespace civita::internal {

std::string List(const std::vector<std::string>& names, size_t most) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), most); ++i) text += (i ? ", " : "") + names[i];
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

std::string ReadFile(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw UserError(file.string() + ": cannot be read");
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::string Count(size_t n, const std::string& thing) {
  const bool y = n != 1 && thing.ends_with('y');
  return std::to_string(n) + " " + (y ? thing.substr(0, thing.size() - 1) + "ies" : thing) +
         (n == 1 || y ? "" : "s");
}

std::string ShortNumber(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

}  // namespace civita::internal
