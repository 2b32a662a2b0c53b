#pragma once

#include <string>
#include <string_view>

namespace civita {

/// Escapes a text for HTML or XML, including quoted attributes.
std::string EscapeXml(std::string_view text);

}  // namespace civita
