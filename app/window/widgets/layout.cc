#include "app/window/widgets/layout.h"

#include <algorithm>
#include <cmath>

namespace civita {
namespace {

constexpr float kWide = 1180;    // minimum width with the plots beside the view
constexpr float kMinCard = 120;  // a smaller card is left out
constexpr float kMinView = 320;  // width and height that sizes chosen by the user leave the view
constexpr float kMinSide = 260, kMaxSide = 640, kMinPlots = 260, kMinStrip = 130;

float SideWidth(const Ui& ui, float width, const PanelChoice& choice) {
  if (choice.side_width > 0) {
    const float most = std::min(ui.px(kMaxSide), width - ui.px(kMinPlots + kMinView));
    return std::floor(
        std::clamp(ui.px(choice.side_width), ui.px(kMinSide), std::max(ui.px(kMinSide), most)));
  }
  return std::floor(std::clamp(0.245f * width, ui.px(288), ui.px(360)));
}

}  // namespace

Layout CalcLayout(const Ui& ui, float width, float height, const PanelChoice& choice) {
  Layout layout;
  const float gap = ui.px(kCardGap);
  const float top = ui.px(kTopBarHeight), bottom = ui.px(kStatusBarHeight);
  layout.top_bar = {0, 0, width, top};
  layout.status_bar = {0, std::max(top, height - bottom), width, bottom};
  const float tall = std::max(1.0f, height - top - bottom);
  float middle = width - 2 * gap;
  const float side = SideWidth(ui, width, choice);
  if (choice.side && middle - side - gap >= ui.px(kMinCard)) {
    layout.side = {width - side - gap, top, side, tall};
    middle -= side + gap;
  }
  layout.is_wide = width >= ui.px(kWide);
  layout.view = {gap, top, std::max(1.0f, middle), tall};
  if (!choice.plots || middle < ui.px(kMinCard) || tall < ui.px(2 * kMinCard)) return layout;
  if (layout.is_wide) {
    const float wanted = choice.plots_width > 0
                             ? ui.px(choice.plots_width)
                             : std::clamp(0.425f * middle, ui.px(380), ui.px(680));
    const float most = std::max(ui.px(kMinPlots), middle - gap - ui.px(kMinView));
    const float plots = std::floor(std::clamp(wanted, ui.px(kMinPlots), most));
    layout.view.w = std::max(1.0f, middle - plots - gap);
    layout.plots = {layout.view.right() + gap, top, plots, tall};
  } else {
    const float wanted = choice.plots_height > 0 ? ui.px(choice.plots_height) : 0.5f * (tall - gap);
    const float most = std::max(ui.px(kMinStrip), tall - gap - ui.px(kMinView));
    const float plots = choice.plots_collapsed
                            ? ui.px(kCardHeader)
                            : std::floor(std::clamp(wanted, std::min(ui.px(kMinStrip), most),
                                                    std::max(most, 0.5f * (tall - gap))));
    layout.view.h = std::max(1.0f, tall - plots - gap);
    layout.plots = {gap, layout.view.bottom() + gap, middle, plots};
    layout.plot_columns = 2;
  }
  return layout;
}

}  // namespace civita
