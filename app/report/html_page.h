#pragma once

#include <string>
#include <string_view>

namespace civita {

/// A report as one self-contained HTML file: `body` (HTML) under its title (plain text), with the
/// reports' style and, at the end, the program's version. CSS classes: apart, muted, failed, words
/// (of a cell); figures may be embedded in `body` as SVG.
std::string HtmlPage(std::string_view title, std::string_view body);

}  // namespace civita
