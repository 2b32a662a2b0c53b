#pragma once

#include <string>
#include <string_view>

namespace civita {

/// A report as one file that can be mailed: `body` (HTML) under its title (plain text), with the
/// reports' style and, at the end, the program's version. Classes: apart, muted, failed,
/// words (of a cell); figures may stand in `body` as SVG.
std::string HtmlPage(std::string_view title, std::string_view body);

}  // namespace civita
