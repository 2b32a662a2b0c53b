#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "app/window/widgets/draw.h"

namespace civita {

/// A matrix as coloured cells: blue negative, orange positive, symmetric limits of 1·2·5.
struct HeatMap {
  std::span<const double> values;  ///< rows × columns, row by row
  int rows = 0;
  int columns = 0;
  std::string_view symbol;  ///< shown with the value under the pointer: "C"
  std::string_view unit;
  /// Name of degree of freedom i, shown with the value under the pointer; may be empty.
  std::function<std::string(int)> label;

  double at(int row, int column) const {
    const auto i = static_cast<std::size_t>(row), j = static_cast<std::size_t>(column);
    return values[i * static_cast<std::size_t>(columns) + j];
  }
};

/// Draws the map, its row and column numbers and the colour bar, at most `width` wide. Cells show
/// digits if they are wide enough; the value under the pointer is always shown. Returns the height
/// used.
float DrawHeatMap(const Ui& ui, float x, float y, float width, const HeatMap& map);

/// Limit of the colours: the maximum |value| rounded up to 1, 2 or 5 times a power of ten (1 for
/// zeros).
double HeatLimit(std::span<const double> values);

}  // namespace civita
