#include "civita/error.h"

#include <locale>
#include <string_view>

namespace civita::internal {

MessageStream::MessageStream() { imbue(std::locale::classic()); }

void ThrowContractError(const char* file, int line, const char* condition,
                        const std::string& values) {
  const std::string_view path(file);
  const size_t slash = path.find_last_of('/');
  std::string text(slash == std::string_view::npos ? path : path.substr(slash + 1));
  text += ":" + std::to_string(line) + ": expected " + condition;
  if (!values.empty()) text += ": " + values;
  throw ContractError(text);
}

}  // namespace civita::internal
