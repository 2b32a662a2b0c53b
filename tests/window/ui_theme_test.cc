#include <gtest/gtest.h>

#include <cmath>

#include "app/window/widgets/ui.h"

namespace civita {
namespace ui_theme_test {

class ThemeTest : public testing::TestWithParam<bool> {
 protected:
  const Theme& theme() const { return GetParam() ? kDarkTheme : kLightTheme; }
};

struct Role {
  const char* name;
  Rgb color;
};

TEST_P(ThemeTest, TextReadsOnEverySurfaceItIsUsedOn) {
  const Theme& t = theme();
  const Role surfaces[] = {{"background", t.background}, {"surface", t.surface},
                           {"raised", t.raised},         {"hover", t.hover},
                           {"popup", t.popup},           {"selected", t.selected}};
  const Role texts[] = {{"text", t.text}, {"muted", t.muted}, {"accent", t.accent},
                        {"warn", t.warn}, {"error", t.error}, {"ok", t.ok}};
  for (const Role& text : texts) {
    for (const Role& surface : surfaces) {
      EXPECT_GE(Contrast(text.color, surface.color), 4.5) << text.name << " on " << surface.name;
    }
  }
  EXPECT_GE(Contrast(t.faint, t.surface), 4.5);
  EXPECT_GE(Contrast(t.accent_ink, t.accent), 4.5);
  const Rgb pill = Mix(t.surface, t.accent, t.tint_alpha);  // accent behind its own colour
  EXPECT_GE(Contrast(t.accent, pill), 4.5);
}

TEST_P(ThemeTest, CurvesStandOutFromTheirCardAndFromTheGrid) {
  const Theme& t = theme();
  for (size_t i = 0; i < t.series.size(); ++i) {
    EXPECT_GE(Contrast(t.series[i], t.surface), 3) << "series " << i;
    EXPECT_GE(Contrast(t.series[i], t.grid), 2.5) << "series " << i;
    for (size_t j = 0; j < i; ++j) EXPECT_NE(t.series[i], t.series[j]);
  }
  EXPECT_LT(Contrast(t.grid, t.surface), 1.6) << "the grid must stay behind";
  EXPECT_EQ(t.accent, t.series[0]);
}

TEST_P(ThemeTest, HeatMapRunsFromMinusOverNeutralToPlus) {
  const Theme& t = theme();
  EXPECT_EQ(HeatColor(t, 0), t.heat_zero);
  EXPECT_EQ(HeatColor(t, 1), t.heat_plus);
  EXPECT_EQ(HeatColor(t, -1), t.heat_minus);
  EXPECT_EQ(HeatColor(t, 7), t.heat_plus);
  EXPECT_NE(HeatColor(t, 0.05f), t.heat_zero);
  for (int i = -20; i <= 20; ++i) {
    const Rgb cell = HeatColor(t, static_cast<float>(i) / 20);
    EXPECT_GE(Contrast(ReadableInk(cell), cell), 4.5) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Both, ThemeTest, testing::Bool(),
                         [](const auto& dark) { return dark.param ? "Dark" : "Light"; });

TEST(Theme, KnowsItself) {
  EXPECT_TRUE(kDarkTheme.dark);
  EXPECT_FALSE(kLightTheme.dark);
  EXPECT_LT(Luminance(kDarkTheme.surface), 0.05f);
  EXPECT_GT(Luminance(kLightTheme.surface), 0.9f);
}

// Values of the WCAG definition.
TEST(Colors, ContrastAsWcagDefinesIt) {
  EXPECT_NEAR(Contrast(0x000000, 0xFFFFFF), 21, 1e-3);
  EXPECT_NEAR(Contrast(0xFFFFFF, 0x000000), 21, 1e-3);
  EXPECT_NEAR(Contrast(0x777777, 0xFFFFFF), 4.478, 1e-3);
  EXPECT_EQ(Contrast(0x123456, 0x123456), 1);
  EXPECT_NEAR(Luminance(0xFF0000), 0.2126, 1e-4);
}

TEST(Colors, MixAndConversions) {
  EXPECT_EQ(Mix(0x102030, 0xF0E0D0, 0), 0x102030u);
  EXPECT_EQ(Mix(0x102030, 0xF0E0D0, 1), 0xF0E0D0u);
  EXPECT_EQ(Mix(0x000000, 0xFFFFFF, 0.5f), 0x808080u);
  EXPECT_EQ(ToImU32(0x112233), IM_COL32(0x11, 0x22, 0x33, 0xFF));
  EXPECT_EQ(ToImU32(0x112233, 0.5f), IM_COL32(0x11, 0x22, 0x33, 128));
}

}  // namespace ui_theme_test
}  // namespace civita
