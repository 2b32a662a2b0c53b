#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace civita::internal {

/// The texts with `separator` between them.
std::string Join(const std::vector<std::string>& texts, std::string_view separator);

/// "a, b, c", truncated after `most` names: "a, b and 4 more".
std::string List(const std::vector<std::string>& names, size_t most = 6);

/// A number with its noun, plural if needed: "1 geom", "3 geoms".
std::string Count(size_t n, const std::string& thing);

/// For display: four significant digits.
std::string ShortNumber(double x);

}  // namespace civita::internal
