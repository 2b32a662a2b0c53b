#pragma once

#include <string>
#include <string_view>

namespace civita {

/// A report as one self-contained HTML file: `body` (HTML) under its title (plain text), with the
/// reports' style for screens light, dark and narrow, and for print, the script of its figures
/// (html_figure.h) and, at the end, the program's version. CSS classes: lead (the sentence that
/// matters), apart, muted, failed, ok, words (of a cell), scroll (around a wide table), beside (two
/// blocks, side by side where there is room).
std::string HtmlPage(std::string_view title, std::string_view body);

}  // namespace civita
