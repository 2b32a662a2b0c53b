#include "app/window/widgets/layout.h"

#include <algorithm>
#include <cmath>

namespace civita {
namespace {

constexpr float kWide = 1180;     // minimum width with the plots beside the view
constexpr float kTallSide = 990;  // minimum height at which the matrix has its own card,
constexpr float kSideBody = 640;  // if this much remains for the card above it
constexpr float kMinCard = 120;   // a smaller card is left out

}  // namespace

float SideWidth(const Ui& ui, float width) {
  return std::floor(std::clamp(0.245f * width, ui.px(288), ui.px(360)));
}

Layout CalcLayout(const Ui& ui, float width, float height, const PanelChoice& choice,
                  float matrix_height) {
  Layout layout;
  const float gap = ui.px(kCardGap);
  const float top = ui.px(kTopBarHeight), bottom = ui.px(kStatusBarHeight);
  layout.top_bar = {0, 0, width, top};
  layout.status_bar = {0, std::max(top, height - bottom), width, bottom};
  const float tall = std::max(1.0f, height - top - bottom);
  float middle = width - 2 * gap;
  const float side = SideWidth(ui, width);
  if (choice.side && middle - side - gap >= ui.px(kMinCard)) {
    layout.side = {width - side - gap, top, side, tall};
    middle -= side + gap;
    if (tall >= ui.px(kTallSide) && tall - matrix_height - gap >= ui.px(kSideBody)) {
      layout.matrix = {layout.side.x, top + tall - matrix_height, side, matrix_height};
      layout.side.h = tall - matrix_height - gap;
    }
  }
  layout.is_wide = width >= ui.px(kWide);
  layout.view = {gap, top, std::max(1.0f, middle), tall};
  if (!choice.plots || middle < ui.px(kMinCard) || tall < ui.px(2 * kMinCard)) return layout;
  if (layout.is_wide) {
    const float plots = std::floor(std::clamp(0.425f * middle, ui.px(380), ui.px(680)));
    layout.view.w = std::max(1.0f, middle - plots - gap);
    layout.plots = {layout.view.right() + gap, top, plots, tall};
  } else {
    const float plots =
        choice.plots_collapsed ? ui.px(kCardHeader) : std::floor(0.5f * (tall - gap));
    layout.view.h = std::max(1.0f, tall - plots - gap);
    layout.plots = {gap, layout.view.bottom() + gap, middle, plots};
    layout.plot_columns = 2;
  }
  return layout;
}

}  // namespace civita
