#include "civita/study/option_names.h"

#include <algorithm>
#include <cctype>

namespace civita {

std::string OptionNames::operator()(std::string_view name) const {
  std::string text(name);
  if (!as_flags) return text;
  std::ranges::replace(text, '_', '-');
  return "--" + text;
}

std::string ShellQuoted(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-+=:,./@%").find(c) != std::string_view::npos;
  });
  if (plain && !text.empty()) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

}  // namespace civita
