#include "civita/study/table.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "base/check_json.h"
#include "base/number_text.h"
#include "base/text.h"
#include "civita/error.h"
#include "civita/sim/metric_table.h"
#include "study/typeset_number.h"

namespace civita {
namespace {

using Json = nlohmann::ordered_json;
using Lines = std::vector<std::vector<std::string>>;  // cells of a table's lines, names first

constexpr std::size_t kWidestText = 30;

std::string NameOf(const Table::Row& row) {
  return row.unit.empty() ? row.name : row.name + ", " + row.unit;
}

std::vector<std::string> Titles(const Table& table, const std::string& names) {
  std::vector<std::string> titles = {names};
  for (const Table::Column& column : table.columns) titles.push_back(column.title);
  return titles;
}

std::vector<std::string> TextsOf(const Table::Row& row) {
  std::vector<std::string> texts = {NameOf(row)};
  for (const Table::Cell& cell : row.cells) texts.push_back(CellText(cell, FormatEstimate));
  return texts;
}

const Table::Column& ColumnOf(const Table& table, std::size_t i) {
  return i == 0 ? table.names : table.columns[i - 1];
}

/// The lines of a table for terminals, with a line of titles at each heading.
Lines LinesOf(const Table& table) {
  Lines lines;
  for (const Table::Row& row : table.rows) {
    if (!row.heading.empty() || lines.empty()) {
      const std::vector<std::string> titles =
          Titles(table, row.heading.empty() ? table.names.title : row.heading);
      const auto says = [](const std::string& title) { return !title.empty(); };
      if (std::ranges::any_of(titles, says)) lines.push_back(titles);
    }
    lines.push_back(TextsOf(row));
  }
  return lines;
}

std::vector<std::size_t> WidthsOf(const Table& table, const Lines& lines) {
  std::vector<std::size_t> widths(table.columns.size() + 1, 0);
  for (const std::vector<std::string>& line : lines) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::size_t width = internal::TextWidth(line[i]);
      const bool shifts = i > 0 && ColumnOf(table, i).is_text && width > kWidestText;
      if (!shifts) widths[i] = std::max(widths[i], width);
    }
  }
  return widths;
}

/// A text, which could end a cell or begin HTML.
std::string MarkdownCell(const Table::Column& column, const std::string& text) {
  const bool is_code = column.is_code && !text.empty();
  std::string cell = is_code ? "`" : "";
  for (const char c : text) {
    if (c == '|' || (!is_code && (c == '<' || c == '\\'))) cell += '\\';
    cell += c;
  }
  return is_code ? cell + "`" : cell;
}

std::string Padded(const Table::Column& column, const std::string& text, std::size_t width) {
  return column.is_text ? internal::PadRight(text, width) : internal::PadLeft(text, width);
}

void AppendMarkdown(const Table& table, std::span<const Table::Row> rows, bool is_padded,
                    std::string* text) {
  Lines lines = {Titles(table, table.names.title)};
  for (const Table::Row& row : rows) {
    std::vector<std::string>& line = lines.emplace_back(TextsOf(row));
    for (std::size_t i = 0; i < line.size(); ++i) {
      line[i] = MarkdownCell(ColumnOf(table, i), line[i]);
    }
  }
  std::vector<std::size_t> widths(table.columns.size() + 1, is_padded ? 0 : 1);
  for (const std::vector<std::string>& line : lines) {
    for (std::size_t i = 0; is_padded && i < line.size(); ++i) {
      widths[i] = std::max(widths[i], internal::TextWidth(line[i]));
    }
  }
  for (std::size_t row = 0; row < lines.size(); ++row) {
    *text += "|";
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string cell =
          is_padded ? Padded(ColumnOf(table, i), lines[row][i], widths[i]) : lines[row][i];
      *text += cell.empty() ? " |" : " " + cell + " |";
    }
    *text += "\n";
    if (row > 0) continue;
    *text += "|";
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const bool is_left = ColumnOf(table, i).is_text;
      *text += std::string(widths[i] + (is_left ? 2 : 1), '-') + (is_left ? "|" : ":|");
    }
    *text += "\n";
  }
}

/// JSON has null for what is no number.
double NumberIn(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

Json DescribeColumn(const Table::Column& column) {
  return {{"title", column.title}, {"text", column.is_text}, {"detail", column.is_detail}};
}

Json DescribeRow(const Table::Row& row) {
  Json json = {{"heading", row.heading}, {"name", row.name},       {"unit", row.unit},
               {"doc", row.doc},         {"cells", Json::array()}, {"apart", row.is_apart}};
  for (const Table::Cell& cell : row.cells) {
    json["cells"].push_back(!cell.text.empty() || cell.is_empty
                                ? Json(cell.text)
                                : Json::array({cell.estimate.mean, cell.estimate.half}));
  }
  if (row.bar) json["bar"] = {row.bar->value, row.bar->low, row.bar->high};
  return json;
}

Table::Column ColumnIn(const Json& json) {
  return {.title = json.at("title"),
          .is_text = json.at("text"),
          .is_code = false,
          .is_detail = json.at("detail")};
}

Table::Row RowIn(const Json& json) {
  Table::Row row{.heading = json.at("heading"),
                 .name = json.at("name"),
                 .unit = json.at("unit"),
                 .doc = json.at("doc"),
                 .cells = {},
                 .is_apart = json.at("apart"),
                 .bar = {}};
  for (const Json& cell : json.at("cells")) {
    Table::Cell& added = row.cells.emplace_back();
    if (cell.is_string()) {
      added.text = cell;
      added.is_empty = added.text.empty();
    } else {
      added.estimate = {NumberIn(cell.at(0)), NumberIn(cell.at(1))};
    }
  }
  if (json.contains("bar")) {
    const Json& bar = json.at("bar");
    row.bar = Table::Bar{NumberIn(bar.at(0)), NumberIn(bar.at(1)), NumberIn(bar.at(2))};
  }
  return row;
}

/// Not of a single value, and more than the rounding of equal ones.
bool HasSpread(const Estimate& estimate) {
  return std::isfinite(estimate.half) && estimate.half > 1e-12 * std::abs(estimate.mean);
}

}  // namespace

std::string FormatEstimate(const Estimate& estimate) {
  if (!HasSpread(estimate)) return FormatValue(estimate.mean);
  return FormatValue(estimate.mean) + " ± " + internal::General(estimate.half, 2);
}

std::string TypesetEstimate(const Estimate& estimate) {
  const std::string mean = Tabular(estimate.mean);
  return HasSpread(estimate) ? mean + " ± " + Short(estimate.half, 2) : mean;
}

void Table::AddRow(std::string name, const std::vector<std::string>& texts) {
  Row& row = rows.emplace_back(Row{.name = std::move(name)});
  for (const std::string& text : texts) {
    row.cells.push_back(Cell{.text = text, .is_empty = text.empty()});
  }
}

std::string ToTerminal(const Table& table, std::size_t width, std::size_t indent) {
  const Lines lines = LinesOf(table);
  const std::vector<std::size_t> widths = WidthsOf(table, lines);
  std::string text;
  for (std::size_t first = 1; first == 1 || first < widths.size();) {
    std::size_t end = first, used = indent + widths[0];
    while (end < widths.size() && (end == first || used + 2 + widths[end] <= width)) {
      used += widths[end] > 0 ? 2 + widths[end] : 0;
      ++end;
    }
    if (first > 1) text += "\n";
    for (const std::vector<std::string>& cells : lines) {
      std::string line = std::string(indent, ' ') + internal::PadRight(cells[0], widths[0]);
      for (std::size_t i = first; i < end; ++i) {
        if (widths[i] > 0) line += "  " + Padded(ColumnOf(table, i), cells[i], widths[i]);
      }
      text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    first = std::max(end, first + 1);
  }
  return text;
}

std::string ToMarkdown(const Table& table, std::string_view level, bool is_padded) {
  std::string text;
  for (auto first = table.rows.begin(); first != table.rows.end();) {
    const auto begins = [](const Table::Row& row) { return !row.heading.empty(); };
    const auto end = std::find_if(std::next(first), table.rows.end(), begins);
    if (!text.empty()) text += "\n";
    if (!first->heading.empty()) text.append(level).append(" " + first->heading + "\n\n");
    AppendMarkdown(table, {first, end}, is_padded, &text);
    first = end;
  }
  if (table.rows.empty()) AppendMarkdown(table, {}, is_padded, &text);
  return text;
}

std::string CsvCell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string ToCsv(const Table& table) {
  Lines lines = {Titles(table, table.names.title)};
  for (const Table::Row& row : table.rows) {
    std::vector<std::string>& line = lines.emplace_back(std::vector{row.name});
    for (const Table::Cell& cell : row.cells) {
      line.push_back(
          CellText(cell, [](const Estimate& x) { return internal::ExactNumber(x.mean); }));
    }
  }
  std::string text;
  for (std::vector<std::string>& line : lines) {
    std::ranges::transform(line, line.begin(), CsvCell);
    text += internal::Join(line, ",") + "\n";
  }
  return text;
}

std::string ToJson(const Table& table) {
  Json json = {{"names", DescribeColumn(table.names)},
               {"columns", Json::array()},
               {"bars", table.bars},
               {"summary", table.summary},
               {"rows", Json::array()}};
  for (const Table::Column& column : table.columns)
    json["columns"].push_back(DescribeColumn(column));
  for (const Table::Row& row : table.rows) json["rows"].push_back(DescribeRow(row));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Table ReadTable(const std::string& text, const std::string& name) {
  try {
    internal::CheckJson(text, name);
    const Json json = Json::parse(text);
    Table table{.names = ColumnIn(json.at("names")),
                .columns = {},
                .rows = {},
                .bars = json.at("bars"),
                .summary = json.at("summary")};
    for (const Json& column : json.at("columns")) table.columns.push_back(ColumnIn(column));
    for (const Json& row : json.at("rows")) {
      table.rows.push_back(RowIn(row));
      if (table.rows.back().cells.size() == table.columns.size()) continue;
      throw UserError(name + ": a row has not one cell for each column");
    }
    return table;
  } catch (const Json::exception&) {
    throw UserError(name + ": is no table of results");
  }
}

}  // namespace civita
