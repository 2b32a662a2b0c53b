// A table of results: what stands in it once, and its texts for a terminal, Markdown, CSV and JSON.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace civita {

/// A number with the half width of its 95 % confidence interval; NaN: not known.
struct Estimate {
  double mean = std::numeric_limits<double>::quiet_NaN();
  double half = std::numeric_limits<double>::quiet_NaN();
};
/// "0.123", "0.123 ± 0.004", "–". Without ± of equal values, whose spread is rounding.
std::string FormatEstimate(const Estimate& estimate);
/// The same as the window and pages show it, with four digits.
std::string TypesetEstimate(const Estimate& estimate);

struct Table {
  struct Column {
    std::string title = {};
    bool is_text = false;    ///< aligned left
    bool is_code = false;    ///< its texts are literal: `text` in Markdown
    bool is_detail = false;  ///< left out where there is little room
  };
  enum class Tone { kPlain, kGood, kBad };
  struct Cell {
    std::string text = {};  ///< empty: the estimate
    Estimate estimate = {};
    Tone tone = Tone::kPlain;
    bool is_empty = false;  ///< nothing is there, rather than not known
  };
  /// In shares of the bar's length; low and high: of an interval about the value.
  struct Bar {
    double value = 0, low = 0, high = 0;
  };
  struct Row {
    std::string heading = {};  ///< of the rows from this one on; "": unchanged
    std::string name = {}, unit = {};
    std::string doc = {};   ///< what it is, in a sentence
    std::string link = {};  ///< to what the name leads, in HTML
    std::vector<Cell> cells = {};
    bool is_apart = false;  ///< the cells differ by much
    bool is_alike = false;  ///< they tell nothing apart: HTML folds the row
    std::optional<Bar> bar = {};
  };

  Column names = {.title = {}, .is_text = true};  ///< of the rows
  std::vector<Column> columns = {};
  std::vector<Row> rows = {};
  std::string bars = {};     ///< what the bars show; empty: there are none
  std::string summary = {};  ///< in words

  void AddRow(std::string name, const std::vector<std::string>& texts);
};

/// What stands in a cell, with numbers as `number` writes them.
template <typename Number>
std::string CellText(const Table::Cell& cell, Number&& number) {
  if (!cell.text.empty() || cell.is_empty) return cell.text;
  return number(cell.estimate);
}

/// Lines of at most `width` columns, if a single column of cells fits: what does not stands below.
/// Empty columns are left out; a text of more than 30 columns shifts the rest of its line. Lines
/// begin with `indent` spaces.
std::string ToTerminal(const Table& table, std::size_t width = 100, std::size_t indent = 2);
inline constexpr std::size_t kAnyWidth = std::numeric_limits<std::size_t>::max();

/// A table for each heading, below "### heading" or as `level` says; `is_padded`: that can be read
/// as it is.
std::string ToMarkdown(const Table& table, std::string_view level = "###", bool is_padded = false);

/// A line of titles and one for each row, of names (without headings and units) and cells; numbers
/// are exact, without their intervals.
std::string ToCsv(const Table& table);
/// A cell of it, in quotes where it has to be.
std::string CsvCell(const std::string& text);

/// What ReadTable reads; kTableFile is the name of the file in a folder of results.
std::string ToJson(const Table& table);
inline constexpr std::string_view kTableFile = "table.json";

/// @throws UserError of a text that is none of ToJson; `name` names it.
Table ReadTable(const std::string& json, const std::string& name);

}  // namespace civita
