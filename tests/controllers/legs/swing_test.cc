#include "civita/controllers/legs/swing.h"

#include <gtest/gtest.h>

namespace civita {
namespace swing_test {

constexpr double kStep = 1e-5;

TEST(SwingTest, QuinticBeginsAndEndsAsAsked) {
  const Moving1 from{0.3, -1.2, 4};
  const Moving1 begin = FollowQuintic(from, 0.9, 0.35, 0);
  EXPECT_DOUBLE_EQ(begin.x, from.x);
  EXPECT_DOUBLE_EQ(begin.v, from.v);
  EXPECT_DOUBLE_EQ(begin.a, from.a);
  const Moving1 end = FollowQuintic(from, 0.9, 0.35, 0.35);
  EXPECT_NEAR(end.x, 0.9, 1e-13);
  EXPECT_NEAR(end.v, 0, 1e-12);
  EXPECT_NEAR(end.a, 0, 1e-10);
}

TEST(SwingTest, QuinticsRatesAreItsOwn) {
  const Moving1 from{0.3, -1.2, 4};
  for (double t = 0.01; t < 0.34; t += 0.03) {
    const Moving1 at = FollowQuintic(from, 0.9, 0.35, t);
    const Moving1 before = FollowQuintic(from, 0.9, 0.35, t - kStep);
    const Moving1 after = FollowQuintic(from, 0.9, 0.35, t + kStep);
    EXPECT_NEAR(at.v, (after.x - before.x) / (2 * kStep), 1e-7);
    EXPECT_NEAR(at.a, (after.v - before.v) / (2 * kStep), 1e-6);
  }
}

TEST(SwingTest, PlannedAnewOnTheWayItStaysTheSame) {
  Moving1 now{0.1, 0.5, -2};
  const Moving1 from = now;
  for (int k = 0; k < 200; ++k) now = FollowQuintic(now, 0.7, 0.3 - 0.001 * k, 0.001);
  const Moving1 once = FollowQuintic(from, 0.7, 0.3, 0.2);
  EXPECT_NEAR(now.x, once.x, 1e-12);
  EXPECT_NEAR(now.v, once.v, 1e-10);
  EXPECT_NEAR(now.a, once.a, 1e-8);
}

TEST(SwingTest, HeightAndItsRates) {
  const double h = 0.08, T = 0.16;
  EXPECT_DOUBLE_EQ(SwingHeight(0.5, h, T).x, h);
  for (const double end : {0.0, 1.0}) {
    EXPECT_EQ(SwingHeight(end, h, T).x, 0);
    EXPECT_EQ(SwingHeight(end, h, T).v, 0);
    EXPECT_EQ(SwingHeight(end, h, T).a, 0);
  }
  for (double t = 0.01; t < T; t += 0.013) {
    const Moving1 at = SwingHeight(t / T, h, T);
    const Moving1 before = SwingHeight((t - kStep) / T, h, T);
    const Moving1 after = SwingHeight((t + kStep) / T, h, T);
    EXPECT_NEAR(at.v, (after.x - before.x) / (2 * kStep), 1e-6);
    EXPECT_NEAR(at.a, (after.v - before.v) / (2 * kStep), 1e-5);
  }
}

}  // namespace swing_test
}  // namespace civita
