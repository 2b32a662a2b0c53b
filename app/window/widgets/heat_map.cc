#include "app/window/widgets/heat_map.h"

#include <algorithm>
#include <cmath>

#include "app/window/widgets/widgets.h"

namespace civita {
namespace {

constexpr int kDecimals = 2;
constexpr double kLeastPlain = 0.1;  // smaller limits share a power of ten, so that digits fit
constexpr int kBarSteps = 64;

// The exponent, a multiple of three, of the power of ten that all digits share.
int CommonPower(double limit) {
  return limit < kLeastPlain ? 3 * static_cast<int>(std::floor(std::log10(limit) / 3)) : 0;
}

// Decimals that show the maximum magnitude with three significant digits.
int Decimals(double limit) { return limit >= 100 ? 0 : limit >= 10 ? 1 : kDecimals; }

// The colour of a share of the limit. Without digits colours alone tell small entries from zero:
// then they follow the root of the magnitude.
Rgb ColorOf(const Ui& ui, double share, bool with_digits) {
  const double shade = with_digits ? share : std::copysign(std::sqrt(std::fabs(share)), share);
  return HeatColor(ui.theme, static_cast<float>(shade));
}

struct Grid {
  float x, y, cell_w, cell_h, gap;

  Rect Cell(int row, int column) const {
    return {x + cell_w * static_cast<float>(column), y + cell_h * static_cast<float>(row),
            cell_w - gap, cell_h - gap};
  }
};

void DrawCell(const Ui& ui, const Rect& cell, double value, double limit, bool with_digits) {
  const Rgb color = std::isfinite(value) ? ColorOf(ui, value / limit, with_digits) : ui.theme.error;
  FillRect(ui, cell, color, ui.px(cell.w < ui.px(20) ? 2 : 3));
  if (!with_digits) return;
  const double power = std::pow(10.0, CommonPower(limit));
  const int decimals = Decimals(limit / power);
  value /= power;
  const bool is_zero = std::fabs(value) < 0.5 * std::pow(10.0, -decimals);
  const Rgb ink = ReadableInk(color);
  TextMiddle(ui, ui.fonts.tiny, cell.middle_x(), cell.middle_y(), {ink, is_zero ? 0.55f : 1.0f},
             is_zero ? "0" : Fixed(value, decimals), Align::kCenter);
}

// Draws numbers along both edges; every fifth if there is no room for all.
void DrawNumbers(const Ui& ui, const Grid& grid, int rows, int columns) {
  const int every = grid.cell_h < ui.px(15) || grid.cell_w < ui.px(17) ? 5 : 1;
  const auto draw = [&](int i, float x, float y) {
    if (every > 1 && i > 0 && (i + 1) % every != 0) return;
    TextMiddle(ui, ui.fonts.tiny, x, y, ui.theme.muted, std::to_string(i + 1), Align::kCenter);
  };
  for (int j = 0; j < columns; ++j) {
    draw(j, grid.Cell(0, j).middle_x(), grid.y - ui.px(10));
  }
  for (int i = 0; i < rows; ++i) draw(i, grid.x - ui.px(14), grid.Cell(i, 0).middle_y());
}

void DrawColorBar(const Ui& ui, float x0, float x1, float y, double limit, bool with_digits,
                  std::string_view unit) {
  const float step = (x1 - x0) / kBarSteps;
  for (int i = 0; i < kBarSteps; ++i) {
    const double share = 2 * (i + 0.5) / kBarSteps - 1;
    FillRect(ui, {x0 + step * static_cast<float>(i), y, step + 0.5f, ui.px(6)},
             ColorOf(ui, share, with_digits));
  }
  const Ink color = ui.theme.muted;
  const float text_y = y + ui.px(17);
  const int exponent = CommonPower(limit);
  limit /= std::pow(10.0, exponent);
  const std::string shared = exponent == 0 ? "0  " : "0  " + PowerOfTen(exponent) + " ";
  TextMiddle(ui, ui.fonts.tiny, x0, text_y, color, Short(-limit, 1));
  TextMiddle(ui, ui.fonts.tiny, 0.5f * (x0 + x1), text_y, color, shared + std::string(unit),
             Align::kCenter);
  TextMiddle(ui, ui.fonts.tiny, x1, text_y, color, "+" + Short(limit, 1), Align::kRight);
}

void ShowValueUnderPointer(const Ui& ui, const Grid& grid, const HeatMap& map) {
  const Rect area{grid.x, grid.y, grid.cell_w * static_cast<float>(map.columns),
                  grid.cell_h * static_cast<float>(map.rows)};
  const Hit hit = HitBox("matrix", area);
  if (!hit.hovered) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const int column =
      std::clamp(static_cast<int>((mouse.x - area.x) / grid.cell_w), 0, map.columns - 1);
  const int row = std::clamp(static_cast<int>((mouse.y - area.y) / grid.cell_h), 0, map.rows - 1);
  const double value = map.at(row, column);
  std::string text(map.symbol);
  text += "(" + std::to_string(row + 1) + ", " + std::to_string(column + 1) +
          ") = " + Scientific(value) + " " + std::string(map.unit);
  if (map.label) text += "  " + map.label(row) + ", " + map.label(column);
  Rect cell = grid.Cell(row, column);
  StrokeRect(ui, cell, ui.theme.text, ui.px(3));
  Tooltip(ui, text);
}

}  // namespace

double HeatLimit(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  }
  if (largest == 0) return 1;
  const double decade = std::pow(10.0, std::floor(std::log10(largest)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (largest <= factor * decade * (1 + 1e-12)) return factor * decade;
  }
  return 10 * decade;
}

float DrawHeatMap(const Ui& ui, float x, float y, float width, const HeatMap& map) {
  if (map.rows <= 0 || map.columns <= 0) return 0;
  const float margin = ui.px(24), header = ui.px(18);
  Grid grid{};
  grid.x = x + margin;
  grid.y = y + header;
  grid.cell_w = std::floor(std::min(ui.px(48), (width - margin) / static_cast<float>(map.columns)));
  grid.cell_h = std::min(grid.cell_w, ui.px(30));
  grid.gap = grid.cell_w < ui.px(20) ? ui.hairline() : ui.px(2);
  const double limit = HeatLimit(map.values);
  const bool with_digits = grid.cell_w >= ui.px(33) && limit < 1000;
  for (int i = 0; i < map.rows; ++i) {
    for (int j = 0; j < map.columns; ++j) {
      const double value = map.at(i, j);
      DrawCell(ui, grid.Cell(i, j), value, limit, with_digits);
    }
  }
  DrawNumbers(ui, grid, map.rows, map.columns);
  const float bottom = grid.y + grid.cell_h * static_cast<float>(map.rows);
  const float right = grid.x + grid.cell_w * static_cast<float>(map.columns) - grid.gap;
  DrawColorBar(ui, grid.x, std::max(right, grid.x + ui.px(120)), bottom + ui.px(10), limit,
               with_digits, map.unit);
  ShowValueUnderPointer(ui, grid, map);
  return header + grid.cell_h * static_cast<float>(map.rows) + ui.px(40);
}

}  // namespace civita
