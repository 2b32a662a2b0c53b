#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/window/widgets/widgets.h"

namespace civita {

/// The columns of a table: names at the left, values that end at set places. Device pixels, from
/// the table's left.
struct TableColumns {
  float row = 22;  ///< height of a row, logical pixels
  std::vector<float> rights = {};
  float longest = 0;  ///< of a text among the values; a longer one is cut
  float names = 0;    ///< where names end; 0: before the first value
};

struct TableRow {
  std::string_view name = {}, unit = {};
  std::vector<std::string> values = {};
  std::string tip = {};            ///< under the pointer; empty: the name if it is cut
  Font name_font = {}, font = {};  ///< of the values; usually small and body
  float indent = 0;                ///< of the name
  bool is_head = false;            ///< titles of columns
  bool is_muted = false;           ///< the values are
  bool is_text = false;            ///< the values are texts, which are cut in their middle
  std::string_view id = {};        ///< of the item that the pointer reaches; empty: the name
  bool is_choice = false;          ///< a click chooses the row
  bool is_on = false;              ///< it is chosen
};

/// Two columns of values of the same width at the right edge: as wide as what stands in the rows,
/// up to a share of the table, so that numbers do not run into each other.
TableColumns FitTwo(const Ui& ui, const std::vector<TableRow>& rows, float width, float most);

/// Columns of this width each, of which the last one ends at `right`; logical pixels. `names`: how
/// far names reach into the first one.
TableColumns EvenColumns(const Ui& ui, std::size_t count, float each, float right, float names);

/// Draws the row as the next one of the column. The item that comes first gets the mouse.
Hit DrawTableRow(Column* column, const TableColumns& columns, const TableRow& row);

}  // namespace civita
