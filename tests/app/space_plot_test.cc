#include "app/report/space_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace civita {
namespace space_plot_test {

using testing::HasSubstr;
using testing::Not;

SvgPlot PlotSegment(const Eigen::Vector3d& from, const Eigen::Vector3d& to) {
  return PlotInSpace("path", {"x, m", "y, m", "z, m"}, {{"a", {from, to}}});
}

/// What the second end of a segment adds to the first on the page.
Eigen::Vector2d Shift(const Eigen::Vector3d& along) {
  const SvgSeries line = PlotSegment(Eigen::Vector3d::Zero(), along).series[0];
  return {line.x[1] - line.x[0], line.y[1] - line.y[0]};
}

TEST(SpacePlot, LooksAlongTheFirstAxisFromTheRightAndAbove) {
  const Eigen::Vector2d x = Shift({2, 0, 0}), y = Shift({0, 2, 0}), z = Shift({0, 0, 2});
  EXPECT_GT(x.x(), 0);
  EXPECT_GT(x.y(), 0);
  EXPECT_LT(y.x(), 0);
  EXPECT_GT(y.y(), 0);
  EXPECT_EQ(z.x(), 0);
  EXPECT_GT(z.y(), 0);
}

TEST(SpacePlot, PutsShadowsOnTheFloorBelow) {
  const SvgPlot plot = PlotSegment({0, 0, -1}, {0, 0, 1});
  const SvgSeries &line = plot.series[0], &shadow = plot.series[1];
  EXPECT_EQ(line.x, shadow.x);
  EXPECT_EQ(shadow.y[0], shadow.y[1]);
  EXPECT_LE(shadow.y[0], line.y[0]);
}

TEST(SpacePlot, HasTicksAndNamesOfThreeAxes) {
  const std::string svg = FormatSvg({.plots = {PlotSegment({0, -1, 0}, {10, 1, 0.2})}});
  for (const char* text : {">x, m<", ">y, m<", ">z, m<", ">10<", ">−1.0<", ">0.2", ">a<"}) {
    EXPECT_THAT(svg, HasSubstr(text));
  }
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

}  // namespace space_plot_test
}  // namespace civita
