#include "app/report/html_table.h"

#include "app/report/escape_xml.h"

namespace civita {
namespace {

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

}  // namespace

std::string ToHtml(const Table& table) {
  std::string html = "<div class=\"scroll\"><table>\n";
  for (const Table::Row& row : table.rows) {
    const bool is_first = &row == &table.rows.front();
    if (!row.heading.empty()) html += TitleRow(table, row.heading);
    if (row.heading.empty() && is_first) html += TitleRow(table, table.names.title);
    html += row.is_apart ? "<tr class=\"apart\">" : "<tr>";
    html += NameCell(row);
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      html += HtmlCell("td", ClassOf(table.columns[i], row.cells[i]),
                       EscapeXml(CellText(row.cells[i], TypesetEstimate)));
    }
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

}  // namespace civita
