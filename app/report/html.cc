#include "app/report/html.h"

#include <array>
#include <utility>
#include <vector>

#include "app/style/theme.h"
#include "civita/build_info.h"

namespace civita {

// The script of the reports' figures (FormatHtmlFigure), which needs nothing but the page, and the
// style: report.js and report.css, which the build makes texts of. In the script curves are read
// back from their paths: a measure is a value, or on a logarithmic axis its decimal logarithm. All
// plots of a figure with the same measure across are enlarged together.
extern const char *const kReportScript, *const kReportStyle;

namespace {

/// Its colours as CSS variables.
std::string Variables(const Theme& theme) {
  const std::array<std::pair<const char*, Rgb>, 9> colors = {{{"background", theme.background},
                                                              {"surface", theme.surface},
                                                              {"raised", theme.raised},
                                                              {"border", theme.border},
                                                              {"text", theme.text},
                                                              {"muted", theme.muted},
                                                              {"accent", theme.accent},
                                                              {"error", theme.error},
                                                              {"ok", theme.ok}}};
  std::string css = ":root { color-scheme: " + std::string(theme.dark ? "dark" : "light") + ";";
  for (const auto& [name, color] : colors) {
    css += std::string(" --") + name + ": " + Hex(color) + ";";
  }
  return css + " }\n";
}

/// Figures are drawn in the light theme's colours: rules that put the dark theme's in their place.
std::string DarkFigures() {
  const Theme &light = kLightTheme, &dark = kDarkTheme;
  std::vector<std::pair<Rgb, Rgb>> colors = {
      {light.text, dark.text},  {light.muted, dark.muted},   {light.grid, dark.grid},
      {light.axis, dark.axis},  {light.strong, dark.strong}, {light.reference, dark.reference},
      {light.error, dark.error}};
  for (std::size_t i = 0; i < light.series.size(); ++i) {
    colors.emplace_back(light.series[i], dark.series[i]);
  }
  std::string css;
  for (const auto& [from, to] : colors) {
    for (const std::string what : {"stroke", "fill"}) {
      css.append("[").append(what).append("=\"").append(Hex(from)).append("\"] { ");
      css.append(what).append(": ").append(Hex(to)).append("; }\n");
    }
  }
  return css;
}

/// `tag` is th or td.
std::string HtmlCell(const std::string& tag, const std::string& classes, const std::string& text) {
  const std::string attribute = classes.empty() ? "" : " class=\"" + classes + "\"";
  return "<" + tag + attribute + ">" + text + "</" + tag + ">";
}

std::string ClassOf(const Table::Column& column) { return column.is_text ? "words" : ""; }

std::string TitleRow(const Table& table, const std::string& names) {
  std::string html = "<tr>" + HtmlCell("th", "", EscapeXml(names));
  for (const Table::Column& column : table.columns) {
    html += HtmlCell("th", ClassOf(column), EscapeXml(column.title));
  }
  return html + "</tr>\n";
}

std::string NameCell(const Table::Row& row) {
  std::string text = EscapeXml(row.name);
  if (!row.link.empty()) text = "<a href=\"" + EscapeXml(row.link) + "\">" + text + "</a>";
  if (!row.unit.empty()) text += " <span class=\"muted\">" + EscapeXml(row.unit) + "</span>";
  if (row.doc.empty()) return HtmlCell("td", "", text);
  return "<td title=\"" + EscapeXml(row.doc) + "\">" + text + "</td>";
}

std::string ClassOf(const Table::Column& column, const Table::Cell& cell) {
  if (cell.tone == Table::Tone::kPlain) return ClassOf(column);
  const std::string tone = cell.tone == Table::Tone::kGood ? "ok" : "failed";
  return column.is_text ? "words " + tone : tone;
}

std::string HtmlRow(const Table& table, const Table::Row& row) {
  std::string html = row.is_apart ? "<tr class=\"apart\">" : "<tr>";
  html += NameCell(row);
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    html += HtmlCell("td", ClassOf(table.columns[i], row.cells[i]),
                     EscapeXml(CellText(row.cells[i], TypesetEstimate)));
  }
  return html + "</tr>\n";
}

constexpr double kWidth = 420;  ///< of a plot in a grid, px before scaling
constexpr double kAxesHeight = 240;
constexpr double kWideWidth = 720;  ///< of a plot alone

std::string Legend(std::span<const SvgPlot> plots) {
  std::string html = "<div class=\"legend\">";
  for (const SvgKey& key : KeysOf(plots)) {
    html += "<button type=\"button\" class=\"key\" aria-pressed=\"true\" data-name=\"" +
            EscapeXml(key.label) + "\">" + FormatSwatch(key) + EscapeXml(key.label) + "</button>";
  }
  return html + "</div>\n";
}

}  // namespace

std::string HtmlPage(std::string_view title, std::string_view body) {
  const std::string escaped = EscapeXml(title);
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
      escaped + "</title>\n<style>\n" + Variables(kLightTheme) +
      "@media screen and (prefers-color-scheme: dark) {\n" + Variables(kDarkTheme) + DarkFigures() +
      "}" + kReportStyle + "</style>\n</head>\n<body>\n<main>\n<h1>" + escaped + "</h1>\n";
  html += body;
  html += "<p class=\"muted\">civita " + EscapeXml(VersionText()) + "</p>\n";
  return html + "</main>\n<script>" + kReportScript + "</script>\n</body>\n</html>\n";
}

std::string ToHtml(const Table& table) {
  std::string html = "<div class=\"scroll\"><table>\n", folded, names;
  // A heading whose first rows are folded stands over the next one of its group.
  std::string heading = table.names.title;
  bool is_due = true;
  for (const Table::Row& row : table.rows) {
    if (!row.heading.empty()) {
      heading = row.heading;
      is_due = true;
    }
    if (row.is_alike) {
      folded += HtmlRow(table, row);
      names += (names.empty() ? "" : "; ") + row.name;
      continue;
    }
    if (is_due) html += TitleRow(table, heading);
    is_due = false;
    html += HtmlRow(table, row);
  }
  html += "</table>\n";
  if (!folded.empty()) {
    html += "<details><summary>Alike: " + EscapeXml(names) + "</summary>\n<table>\n" +
            TitleRow(table, "Alike") + folded + "</table>\n</details>\n";
  }
  return html + "</div>\n";
}

std::string FormatHtmlFigure(const SvgFigure& figure) {
  const bool wide = figure.plots.size() == 1;
  const double width = wide ? kWideWidth : kWidth;
  std::string html = "<figure>\n";
  if (figure.legend) html += Legend(figure.plots);
  html += "<div class=\"plots\">\n";
  for (const SvgPlot& plot : figure.plots) {
    const double tall = figure.height / figure.width;
    const double height = plot.picture || wide ? width * tall : kAxesHeight;
    html += std::string("<section") + (wide ? " class=\"wide\"" : "") + ">\n<h3>" +
            EscapeXml(plot.title) + "</h3>\n";
    if (!figure.legend) html += Legend({&plot, 1});
    html += FormatInlineSvg(plot, width, height) + "</section>\n";
  }
  return html + "</div>\n</figure>\n";
}

std::string EscapeXml(std::string_view text) {
  constexpr std::string_view kSpecial = "&<>\"";
  constexpr std::array<std::string_view, 4> kEscaped = {"&amp;", "&lt;", "&gt;", "&quot;"};
  std::string out;
  for (const char& c : text) {
    const std::size_t at = kSpecial.find(c);
    out += at < kEscaped.size() ? kEscaped[at] : std::string_view(&c, 1);
  }
  return out;
}

}  // namespace civita
