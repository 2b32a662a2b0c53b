#pragma once

#include <string>
#include <string_view>

namespace civita {

/// A text as it stands in HTML or XML, within quotes too.
std::string EscapeXml(std::string_view text);

}  // namespace civita
