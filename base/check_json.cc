#include "base/check_json.h"

#include <cstddef>

#include "base/utf8.h"
#include "civita/error.h"

namespace civita::internal {

void CheckJson(std::string_view json, const std::string& name) {
  constexpr int kDeepest = 100;
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '\0' || (in_text && json.substr(i).starts_with("\\u0000"))) {
      throw UserError(name + ":" + PlaceIn(json, i) + ": a NUL character, which no text has");
    }
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
