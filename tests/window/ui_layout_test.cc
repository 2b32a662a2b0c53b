#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "app/window/panels/panels.h"
#include "app/window/widgets/heat_map.h"
#include "app/window/widgets/layout.h"

namespace civita {
namespace ui_layout_test {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct NamedRect {
  const char* name;
  Rect r;
};

std::vector<NamedRect> Cards(const Layout& layout) {
  std::vector<NamedRect> cards = {
      {"top bar", layout.top_bar}, {"status bar", layout.status_bar}, {"view", layout.view}};
  if (layout.plots.w > 0) cards.push_back({"plots", layout.plots});
  if (layout.side.w > 0) cards.push_back({"side", layout.side});
  return cards;
}

bool Overlap(const Rect& a, const Rect& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

void ExpectNotInsideOut(const Rect& r) {
  EXPECT_GE(r.x, 0);
  EXPECT_GE(r.y, 0);
  EXPECT_GE(r.w, 1);
  EXPECT_GE(r.h, 1);
}

struct Size {
  float width, height, scale;
};

std::vector<PanelChoice> AllChoices() {
  std::vector<PanelChoice> choices;
  for (const bool side : {true, false}) {
    for (const bool plots : {true, false}) {
      for (const bool collapsed : {true, false}) choices.push_back({side, plots, collapsed});
    }
  }
  return choices;
}

class LayoutTest : public testing::TestWithParam<Size> {};

TEST_P(LayoutTest, CardsStayApartAndInTheWindow) {
  const Size size = GetParam();
  Ui ui;
  ui.scale = size.scale;
  for (const PanelChoice& choice : AllChoices()) {
    const Layout layout = CalcLayout(ui, size.width, size.height, choice);
    const std::vector<NamedRect> cards = Cards(layout);
    for (size_t i = 0; i < cards.size(); ++i) {
      const Rect& r = cards[i].r;
      SCOPED_TRACE(cards[i].name);
      ExpectNotInsideOut(r);
      EXPECT_LE(r.right(), size.width);
      EXPECT_LE(r.bottom(), size.height);
      EXPECT_EQ(r.x, std::floor(r.x));
      EXPECT_EQ(r.w, std::floor(r.w));
      for (size_t j = 0; j < i; ++j) EXPECT_FALSE(Overlap(r, cards[j].r)) << cards[j].name;
    }
    EXPECT_EQ(layout.plots.w > 0, choice.plots);
    EXPECT_EQ(layout.side.w > 0, choice.side);
    EXPECT_GE(layout.view.w, ui.px(320)) << "no room left for the robot";
    EXPECT_GE(layout.view.h, ui.px(280));
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, LayoutTest,
                         testing::Values(Size{1024, 700, 1}, Size{1179, 700, 1}, Size{1180, 700, 1},
                                         Size{1280, 800, 1}, Size{1920, 1080, 1},
                                         Size{3840, 2160, 1}, Size{3840, 2160, 2},
                                         Size{1920, 1200, 1.5f}));

// No usable window is that small, but a window manager may make it so; sizes must not become
// negative.
TEST(Layout, TinyWindowsGiveNoNegativeSizes) {
  const Ui ui;
  for (const float width : {1.0f, 40.0f, 300.0f, 640.0f}) {
    for (const float height : {1.0f, 40.0f, 90.0f, 200.0f, 400.0f}) {
      for (const PanelChoice& choice : AllChoices()) {
        const Layout layout = CalcLayout(ui, width, height, choice);
        const std::vector<NamedRect> cards = Cards(layout);
        SCOPED_TRACE(std::to_string(width) + " × " + std::to_string(height));
        for (size_t i = 0; i < cards.size(); ++i) {
          const Rect& r = cards[i].r;
          SCOPED_TRACE(cards[i].name);
          ExpectNotInsideOut(r);
          for (size_t j = 0; j < i; ++j) {
            EXPECT_FALSE(height > 90 && Overlap(r, cards[j].r)) << cards[j].name;
          }
        }
        const Rect picture = PictureArea(ui, layout.view);
        EXPECT_GE(picture.w, 1);
        EXPECT_GE(picture.h, 1);
      }
    }
  }
}

TEST(Layout, PlotsStandBesideTheViewFrom1180On) {
  const Ui ui;
  const Layout narrow = CalcLayout(ui, 1179, 800, {});
  EXPECT_FALSE(narrow.is_wide);
  EXPECT_EQ(narrow.plot_columns, 2);
  EXPECT_GT(narrow.plots.y, narrow.view.bottom());
  const Layout wide = CalcLayout(ui, 1180, 800, {});
  EXPECT_TRUE(wide.is_wide);
  EXPECT_EQ(wide.plots.y, wide.view.y);
  EXPECT_GT(wide.plots.x, wide.view.right());
  Ui doubled;
  doubled.scale = 2;
  EXPECT_FALSE(CalcLayout(doubled, 2358, 1600, {}).is_wide);
}

TEST(Layout, CollapsedPlotsLeaveTheirHeader) {
  const Ui ui;
  const Layout layout = CalcLayout(ui, 1024, 700, {.plots_collapsed = true});
  EXPECT_EQ(layout.plots.h, kCardHeader);
  EXPECT_EQ(CalcLayout(ui, 1280, 700, {.plots_collapsed = true}).plots.h, layout.side.h);
}

TEST(HeatLimit, RoundsUpToOneTwoFive) {
  const auto limit = [](std::vector<double> values) { return HeatLimit(values); };
  EXPECT_EQ(limit({}), 1);
  EXPECT_EQ(limit({0, 0}), 1);
  EXPECT_DOUBLE_EQ(limit({0.3, -1.7}), 2);
  EXPECT_DOUBLE_EQ(limit({-2.0}), 2);
  EXPECT_DOUBLE_EQ(limit({2.001}), 5);
  EXPECT_DOUBLE_EQ(limit({5.1}), 10);
  EXPECT_DOUBLE_EQ(limit({1e-9, 4e-7}), 5e-7);
  EXPECT_DOUBLE_EQ(limit({kNaN, 3, std::numeric_limits<double>::infinity()}), 5);
  EXPECT_DOUBLE_EQ(limit({kNaN}), 1);
  for (double x = 1.3e-12; x < 1e12; x *= 1.7) {
    EXPECT_GE(limit({x}), x * (1 - 1e-12));
    EXPECT_LE(limit({x}), 2.5 * x * (1 + 1e-12));
  }
}

}  // namespace ui_layout_test
}  // namespace civita
