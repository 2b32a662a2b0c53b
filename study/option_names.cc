#include "civita/study/option_names.h"

#include <algorithm>

namespace civita {

std::string OptionNames::operator()(std::string_view name) const {
  std::string text(name);
  if (!as_flags) return text;
  std::ranges::replace(text, '_', '-');
  return "--" + text;
}

}  // namespace civita
