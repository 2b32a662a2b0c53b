#include "base/json_nesting.h"

#include <cstddef>

#include "civita/error.h"

namespace civita::internal {

void CheckNesting(std::string_view json, const std::string& name) {
  constexpr int kDeepest = 100;
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_text) {
      if (c == '\\') ++i;
      in_text = c != '"';
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      if (++depth <= kDeepest) continue;
      throw UserError(name + ": lists and objects are nested more than " +
                      std::to_string(kDeepest) + " deep");
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
}

}  // namespace civita::internal
