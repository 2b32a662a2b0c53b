#pragma once

#include <string>
#include <string_view>

#include "app/report/svg_plot.h"
#include "civita/study/table.h"

namespace civita {

/// A report as one self-contained HTML file: `body` (HTML) under its title (plain text), with the
/// reports' style for screens light, dark and narrow, and for print, the script of its figures
/// (FormatHtmlFigure) and, at the end, the program's version. CSS classes: lead (the sentence that
/// matters), apart, muted, failed, ok, words (of a cell), scroll (around a wide table), beside (two
/// blocks, side by side where there is room).
std::string HtmlPage(std::string_view title, std::string_view body);

/// The table, which scrolls where the page is narrow; its numbers as the window shows them.
std::string ToHtml(const Table& table);

/// A figure of a page: each plot a picture of its own, so that they follow the page's width, with
/// titles and legends as text. The page's script lets values be read, lines be hidden and stretches
/// be enlarged; without it the pictures stand. An axis whose limits leave data out is one that the
/// reader may widen.
std::string FormatHtmlFigure(const SvgFigure& figure);

/// Escapes a text for HTML or XML, including quoted attributes.
std::string EscapeXml(std::string_view text);

}  // namespace civita
