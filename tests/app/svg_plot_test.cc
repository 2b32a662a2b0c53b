#include "app/report/svg_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <regex>

namespace civita {
namespace svg_plot_test {

using testing::HasSubstr;
using testing::Not;

/// The points on the page of the line drawn in `color`, without breaks.
std::vector<std::array<double, 2>> PointsOf(const std::string& svg, const char* color) {
  const std::regex path(std::string("<path stroke=\"") + color + "\"[^>]* d=\"([^\"]*)\"");
  std::smatch match;
  std::vector<std::array<double, 2>> points;
  if (!std::regex_search(svg, match, path)) return points;
  const std::string d = match[1];
  const std::regex point("[ML](-?[0-9.]+) (-?[0-9.]+)");
  for (std::sregex_iterator i(d.begin(), d.end(), point), end; i != end; ++i) {
    points.push_back({std::stod((*i)[1]), std::stod((*i)[2])});
  }
  return points;
}

SvgPlot OnePlot(std::vector<double> x, std::vector<double> y) {
  return {.title = "A < B & C",
          .x = {.label = "time, s"},
          .y = {.label = "V, J"},
          .series = {{.label = "a", .x = std::move(x), .y = std::move(y), .color = 0x123456}}};
}

TEST(SvgPlot, PutsPointsWhereTheAxesSay) {
  SvgPlot plot = OnePlot({0, 1, 4}, {0, 5, 10});
  plot.y.lo = 0;
  plot.y.hi = 10;
  const auto p = PointsOf(FormatSvg({.plots = {plot}}), "#123456");
  ASSERT_EQ(p.size(), 3u);
  EXPECT_NEAR((p[1][0] - p[0][0]) / (p[2][0] - p[0][0]), 0.25, 1e-3);
  EXPECT_NEAR((p[0][1] - p[1][1]) / (p[0][1] - p[2][1]), 0.5, 1e-3);
  EXPECT_LT(p[2][1], p[0][1]) << "up is up";
}

TEST(SvgPlot, LogarithmicAxesMakePowersStraight) {
  SvgPlot plot = OnePlot({1, 10, 100, 0, 1000}, {1, 100, 1e4, 1e5, 1e6});
  plot.x.log = plot.y.log = true;
  const std::string svg = FormatSvg({.plots = {plot}});
  const auto p = PointsOf(svg, "#123456");
  ASSERT_EQ(p.size(), 4u) << "the point at x = 0 has no place";
  for (size_t i = 1; i + 1 < p.size(); ++i) {
    EXPECT_NEAR(p[i + 1][0] - p[i][0], p[1][0] - p[0][0], 0.05);
    EXPECT_NEAR(p[i + 1][1] - p[i][1], p[1][1] - p[0][1], 0.05);
  }
  EXPECT_THAT(svg, HasSubstr(">10³<"));
  plot.series[0].x = {5, 10, 20, 40};
  EXPECT_THAT(FormatSvg({.plots = {plot}}), HasSubstr(">20<"));
}

TEST(SvgPlot, BreaksWhereThereIsNothing) {
  const std::string svg = FormatSvg({.plots = {OnePlot({0, 1, 2, 3, 4}, {0, 1, NAN, 1, 2})}});
  const std::size_t start = svg.find("stroke=\"#123456\"");
  const std::string path = svg.substr(start, svg.find("/>", start) - start);
  EXPECT_EQ(std::count(path.begin(), path.end(), 'M'), 2);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(FormatSvg({.plots = {OnePlot({}, {})}}), Not(HasSubstr("nan")));
  EXPECT_THAT(FormatSvg({.plots = {OnePlot({1}, {INFINITY})}}), Not(HasSubstr("inf")));
  EXPECT_THAT(FormatSvg({}), HasSubstr("</svg>"));
}

/// Vertical position on the page of a line's name.
double HeightOf(const std::string& name, const std::string& svg) {
  std::smatch match;
  const std::regex text("y=\"(-?[0-9.]+)\" style=\"fill:#......\">" + name + "<");
  return std::regex_search(svg, match, text) ? std::stod(match[1]) : NAN;
}

TEST(SvgPlot, NamesLinesWhereTheyEndAndApart) {
  SvgPlot plot = OnePlot({0, 1}, {0, 1});
  plot.y.lo = 0;
  plot.y.hi = 1;
  plot.series.push_back({.label = "b", .x = {0, 1}, .y = {0, 1}});
  plot.series.push_back({.label = "c", .x = {0, 1}, .y = {1, 0}});
  plot.series.push_back({.label = "d", .x = {0, 1}, .y = {0.5, 0}});
  const std::string svg = FormatSvg({.plots = {plot}});
  const auto line = PointsOf(svg, "#123456");
  const double top = line[1][1], bottom = line[0][1], letter = 4;
  for (const auto& [first, second] : {std::pair("a", "b"), {"c", "d"}}) {
    const double one = HeightOf(first, svg), other = HeightOf(second, svg);
    EXPECT_GE(std::abs(one - other), 15) << first << second;
    EXPECT_GE(std::min(one, other), top + letter - 0.1) << first << second;
    EXPECT_LE(std::max(one, other), bottom + letter + 0.1) << first << second;
  }
  EXPECT_GT(HeightOf("c", svg), HeightOf("a", svg));
  const std::string legend = FormatSvg({.plots = {plot, plot}, .legend = true});
  EXPECT_EQ(legend.find(">b<"), legend.rfind(">b<")) << "once for both plots";
  EXPECT_NE(legend.find(">b<"), std::string::npos);
}

TEST(SvgPlot, WritesNotesBesideTheirPoints) {
  SvgPlot plot = OnePlot({0, 1, 4}, {0, 5, 10});
  plot.notes = {{1, 5, "here & now", true}};
  const std::string svg = FormatSvg({.plots = {plot}});
  const auto points = PointsOf(svg, "#123456");
  ASSERT_EQ(points.size(), 3u);
  std::smatch note;
  ASSERT_TRUE(std::regex_search(
      svg, note, std::regex("<text x=\"([0-9.]+)\" y=\"([0-9.]+)\" >here &amp; now</text>")));
  EXPECT_NEAR(std::stod(note[1]), points[1][0] + 8, 0.1);
  EXPECT_NEAR(std::stod(note[2]), points[1][1] + 4, 0.1);
}

TEST(SvgPlot, EscapesTextAndKeepsOneScaleInPictures) {
  SvgPlot plot = OnePlot({0, 2, 2}, {0, 0, 1});
  plot.picture = true;
  const std::string svg = FormatSvg({.plots = {plot}});
  EXPECT_THAT(svg, HasSubstr("A &lt; B &amp; C"));
  const auto p = PointsOf(svg, "#123456");
  ASSERT_EQ(p.size(), 3u);
  EXPECT_NEAR(p[1][0] - p[0][0], 2 * (p[1][1] - p[2][1]), 0.1);
}

}  // namespace svg_plot_test
}  // namespace civita
