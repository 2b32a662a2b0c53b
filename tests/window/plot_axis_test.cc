#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "app/style/axis.h"

namespace civita {
namespace plot_axis_test {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(NiceStepTest, IsOneTwoOrFive) {
  EXPECT_DOUBLE_EQ(NiceStep(10, 5), 2);
  EXPECT_DOUBLE_EQ(NiceStep(1, 7), 0.2);
  EXPECT_DOUBLE_EQ(NiceStep(7, 7), 1);
  EXPECT_DOUBLE_EQ(NiceStep(0.03, 3), 0.01);
  EXPECT_DOUBLE_EQ(NiceStep(830, 2), 500);
  EXPECT_EQ(DecimalsOf(0.2), 1);
  EXPECT_EQ(DecimalsOf(0.01), 2);
  EXPECT_EQ(DecimalsOf(1), 0);
  EXPECT_EQ(DecimalsOf(500), 0);
}

TEST(TicksTest, HoldZeroExactlyAndBothEnds) {
  const std::vector<double> ticks = TicksIn(-0.3, 0.3, 0.1);
  ASSERT_EQ(ticks.size(), 7u);
  EXPECT_EQ(ticks[3], 0.0);
  EXPECT_NEAR(ticks.front(), -0.3, 1e-12);
  EXPECT_NEAR(ticks.back(), 0.3, 1e-12);
}

TEST(LinearLimitsTest, HoldTheDataWithTwoToSevenSteps) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> exponent(-12, 12), unit(-1, 1);
  for (int i = 0; i < 2000; ++i) {
    const double size = std::pow(10, exponent(random));
    double lo = size * unit(random), hi = size * unit(random);
    if (lo > hi) std::swap(lo, hi);
    if (i % 10 == 0) hi = lo;
    const double room = 1 + 9 * std::abs(unit(random));
    const AxisLimits a = LinearLimits(lo, hi, kNaN, kNaN, room);
    EXPECT_LE(a.lo, lo);
    EXPECT_GE(a.hi, hi);
    EXPECT_GT(a.hi, a.lo);
    const size_t ticks = TicksIn(a.lo, a.hi, a.step).size();
    EXPECT_GE(ticks, 1u) << lo << " " << hi << " " << room;
    EXPECT_LE(ticks, 9u) << lo << " " << hi << " " << room;
    const double half_steps = a.lo / (0.5 * a.step);
    EXPECT_NEAR(half_steps, std::round(half_steps), 1e-6 * std::max(1.0, std::abs(half_steps)));
  }
}

TEST(LinearLimitsTest, KeepFixedEndsAndSurviveNothing) {
  const AxisLimits a = LinearLimits(2, 3, 0, kNaN, 5);
  EXPECT_EQ(a.lo, 0);
  EXPECT_GE(a.hi, 3);
  const AxisLimits none = LinearLimits(1, -1, kNaN, kNaN, 5);
  EXPECT_GT(none.hi, none.lo);
  const AxisLimits zero = LinearLimits(0, 0, kNaN, kNaN, 5);
  EXPECT_EQ(zero.lo, -1);
  EXPECT_EQ(zero.hi, 1);
  const AxisLimits below = LinearLimits(-3, -2, 0, kNaN, 5);  // all data below the fixed limit
  EXPECT_GT(below.hi, below.lo);
}

TEST(LinearLimitsTest, HaveTwoTicksHoweverLowThePlot) {
  for (double lo = -1; lo < 1; lo += 0.07) {
    for (double range = 0.01; range < 3; range *= 1.3) {
      for (const double fixed : {kNaN, 0.0}) {
        const AxisLimits a =
            LinearLimits(std::isnan(fixed) ? lo : 0, std::abs(lo) + range, fixed, kNaN, 1.2);
        EXPECT_GE(TicksIn(a.lo, a.hi, a.step).size(), 2u) << a.lo << " " << a.hi << " " << a.step;
      }
    }
  }
}

TEST(LinearLimitsTest, AreAtLeastAsWideAsAsked) {
  for (const double middle : {0.0, 3e-9, -0.25}) {
    const AxisLimits a = LinearLimits(middle - 1e-12, middle + 1e-12, kNaN, kNaN, 5, 0.1);
    EXPECT_GE(a.hi - a.lo, 0.1 - 1e-9) << middle;
    EXPECT_LE(a.hi - a.lo, 0.3) << middle;
    EXPECT_LT(a.lo, middle);
    EXPECT_GT(a.hi, middle);
  }
  EXPECT_GE(LinearLimits(0, 0, 0, kNaN, 5, 0.1).hi, 0.05);
  EXPECT_GE(LinearLimits(-4, 4, kNaN, kNaN, 5, 0.1).hi, 4);
}

TEST(LogLimitsTest, AreWholeDecadesAtMostSixBelowTheTop) {
  const AxisLimits a = LogLimits(2e-3, 4, 6);
  EXPECT_EQ(a.lo, -3);
  EXPECT_EQ(a.hi, 1);
  EXPECT_EQ(LogLimits(1e-20, 4, 6).lo, -5);
  // What is below the floor is rounding, which must not fill the axis.
  EXPECT_EQ(LogLimits(1e-26, 1e-24, 9, -12).lo, -12);
  EXPECT_EQ(LogLimits(1e-26, 1e-24, 9, -12).hi, -10);
  EXPECT_EQ(LogLimits(1e-26, 1e-7, 9, -12).lo, -12);
  EXPECT_EQ(LogLimits(2, 3, 6).lo, -1);
  EXPECT_EQ(LogLimits(2, 3, 6).hi, 1);
  const AxisLimits none = LogLimits(0, -1, 6);
  EXPECT_GT(none.hi, none.lo);
}

TEST(CommonExponentTest, ShortensLabelsThatWouldNotFit) {
  EXPECT_EQ(CommonExponent({-200, 600, 200}), 0);
  EXPECT_EQ(CommonExponent({0, 0.01, 0.002}), 0);
  EXPECT_EQ(CommonExponent({0, 2e-4, 5e-5}), -6);
  EXPECT_EQ(CommonExponent({0, 3e-3, 5e-4}), -3);
  EXPECT_EQ(CommonExponent({-4e5, 1, 1e5}), 3);
}

TEST(CalmLimitsTest, HoldUntilTheyNoLongerFit) {
  const AxisLimits wide{0, 10, 2}, narrow{0, 8, 2}, tiny{0, 1, 0.2}, higher{0, 12, 2};
  EXPECT_EQ(CalmLimits(wide, narrow).hi, 10);
  EXPECT_EQ(CalmLimits(wide, tiny).hi, 1);
  EXPECT_EQ(CalmLimits(wide, higher).hi, 12);
}

TimeAxis AxisAt(double last, double span = 10) {
  TimeAxis axis;
  axis.SetSpan(span);
  axis.Update(0, last);
  return axis;
}

TEST(TimeAxisTest, FollowsTheNewestSample) {
  TimeAxis axis = AxisAt(7);
  EXPECT_EQ(axis.t0(), 0);
  EXPECT_EQ(axis.t1(), 10);
  axis.Update(0, 25);
  EXPECT_EQ(axis.t0(), 15);
  EXPECT_EQ(axis.t1(), 25);
  axis.SetSpan(2);
  axis.Update(0, 26);
  EXPECT_EQ(axis.t0(), 24);
  EXPECT_TRUE(axis.following());
}

TEST(TimeAxisTest, AWindowOfTheUsersMovesToWhereOneScrubs) {
  TimeAxis axis;
  axis.Update(0, 40);
  axis.Show(30, 32);
  axis.shown = 31;
  axis.Update(0, 40);
  EXPECT_EQ(axis.t0(), 30);
  axis.shown = 12;
  axis.Update(0, 40);
  EXPECT_EQ(axis.t0(), 11);
  EXPECT_EQ(axis.t1(), 13);
  axis.Pan(20);  // away from it, while it stays where it is
  const double there = axis.t0();
  axis.Update(0, 40);
  EXPECT_EQ(axis.t0(), there);
  axis.shown = 0.25;
  axis.Update(0, 40);
  EXPECT_EQ(axis.t0(), 0);
  axis.Hold(true);
  axis.shown = 25;
  axis.Update(0, 40);
  EXPECT_EQ(axis.t0(), 0);
}

TEST(TimeAxisTest, GrowsWithAYoungRun) {
  EXPECT_EQ(AxisAt(0.3).t1(), 1);
  EXPECT_EQ(AxisAt(1.2).t1(), 2);
  EXPECT_EQ(AxisAt(3).t1(), 5);
  EXPECT_EQ(AxisAt(9, 60).t1(), 10);
  EXPECT_EQ(AxisAt(55, 60).t1(), 60);
  EXPECT_EQ(AxisAt(1.5, 2).t1(), 2);
  TimeAxis zoomed = AxisAt(100);
  zoomed.Zoom(0.4, 100);
  ASSERT_TRUE(zoomed.following());
  zoomed.Update(0, 0.5);  // after a reset the chosen zoom stays
  EXPECT_DOUBLE_EQ(zoomed.length(), 4);
}

TEST(TimeAxisTest, PanningLeavesTheNewestSampleAndComesBack) {
  TimeAxis axis = AxisAt(100);
  axis.Pan(-30);
  EXPECT_FALSE(axis.following());
  axis.Update(0, 101);
  EXPECT_DOUBLE_EQ(axis.t0(), 60);
  EXPECT_DOUBLE_EQ(axis.t1(), 70);
  axis.Pan(40);
  EXPECT_TRUE(axis.following());
  axis.Update(0, 102);
  EXPECT_DOUBLE_EQ(axis.t1(), 102);
  axis.Pan(-1e6);
  EXPECT_GE(axis.t1(), 0);  // the data stay visible
}

TEST(TimeAxisTest, ZoomKeepsTheTimeUnderThePointer) {
  TimeAxis axis = AxisAt(100);
  axis.Zoom(0.5, 92.5);
  EXPECT_DOUBLE_EQ(axis.length(), 5);
  EXPECT_DOUBLE_EQ(axis.t0() + 0.25 * 5, 92.5);
  EXPECT_FALSE(axis.following());
  axis.Zoom(1e-9, 92.5);
  EXPECT_GT(axis.length(), 1e-4);
  axis.Zoom(1e9, 92.5);
  EXPECT_LE(axis.length(), 150);
  EXPECT_TRUE(axis.following());  // the newest sample is visible again
}

TEST(TimeAxisTest, FitTogglesBetweenAllAndTheNewest) {
  TimeAxis axis = AxisAt(100);
  axis.Fit();
  EXPECT_EQ(axis.t0(), 0);
  EXPECT_EQ(axis.t1(), 100);
  axis.Fit();
  axis.Update(0, 100);
  EXPECT_TRUE(axis.following());
  EXPECT_DOUBLE_EQ(axis.t0(), 90);
}

TEST(TimeAxisTest, HoldFreezesAndARewindBringsBack) {
  TimeAxis axis = AxisAt(50);
  axis.Hold(true);
  axis.Update(0, 60);
  EXPECT_EQ(axis.t1(), 50);
  axis.SetSpan(2);
  EXPECT_EQ(axis.length(), 2);
  axis.Hold(false);
  axis.Show(40, 45);
  EXPECT_FALSE(axis.following());
  axis.Update(0, 3);  // the record now ends before the window
  EXPECT_TRUE(axis.following());
  EXPECT_EQ(axis.t0(), 0);
}

TEST(TimeAxisTest, CursorIsSharedAndForgotten) {
  TimeAxis axis = AxisAt(5);
  axis.SetCursor(2.5);
  axis.Update(0, 5);
  EXPECT_EQ(axis.cursor(), 2.5);
  axis.Update(0, 5);
  EXPECT_TRUE(std::isnan(axis.cursor()));
}

}  // namespace plot_axis_test
}  // namespace civita
