#include "civita/controllers/legs/support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace civita {
namespace support_test {

std::vector<Point2> RandomPoints(std::mt19937* random, int n) {
  std::normal_distribution<double> normal;
  std::vector<Point2> points;
  for (int i = 0; i < n; ++i) points.emplace_back(normal(*random), normal(*random));
  return points;
}

/// The maximum of u·p over the points, which the hull must preserve.
double Extent(const std::vector<Point2>& points, const Point2& u) {
  double most = -1e9;
  for (const Point2& p : points) most = std::max(most, u.dot(p));
  return most;
}

TEST(SupportPolygonTest, HullKeepsEveryExtentAndIsConvex) {
  std::mt19937 random(1);
  for (int n = 1; n <= 12; ++n) {
    const std::vector<Point2> points = RandomPoints(&random, n);
    const SupportPolygon hull(points);
    std::vector<Point2> corners;
    for (int i = 0; i < hull.size(); ++i) corners.push_back(hull[i]);
    for (int k = 0; k < 60; ++k) {
      const Point2 u(std::cos(0.1 * k), std::sin(0.1 * k));
      EXPECT_DOUBLE_EQ(Extent(corners, u), Extent(points, u)) << n;
    }
    for (const Point2& p : points) {
      if (hull.size() > 2) {
        EXPECT_GE(hull.Inside(p), -1e-12) << n;
      }
    }
  }
}

TEST(SupportPolygonTest, SquareByHand) {
  const std::vector<Point2> points = {{1, 1}, {0, 0}, {1, 0}, {0, 1}, {0.5, 0.5}, {0.5, 0}};
  const SupportPolygon square(points);
  EXPECT_EQ(square.size(), 4);
  EXPECT_DOUBLE_EQ(square.Inside({0.25, 0.5}), 0.25);
  EXPECT_DOUBLE_EQ(square.Inside({1.5, 0.5}), -0.5);
  EXPECT_TRUE(square.Closest({1.5, 2}).isApprox(Point2(1, 1)));
  EXPECT_TRUE(square.Closest({0.3, -2}).isApprox(Point2(0.3, 0)));
  EXPECT_TRUE(square.Closest({0.3, 0.4}).isApprox(Point2(0.3, 0.4)));
  EXPECT_DOUBLE_EQ(square.Ray({0.25, 0.5}, {1, 0}), 0.75);
  EXPECT_DOUBLE_EQ(square.Ray({0.25, 0.5}, {0, -1}), 0.5);
  EXPECT_DOUBLE_EQ(square.Ray({3, 3}, {0, -1}), 0);
}

TEST(SupportPolygonTest, ClosestIsNoFartherThanAnyPointOfTheHull) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform;
  for (int trial = 0; trial < 50; ++trial) {
    const std::vector<Point2> points = RandomPoints(&random, 7);
    const SupportPolygon hull(points);
    const Point2 x = 3 * RandomPoints(&random, 1).front();
    const Point2 closest = hull.Closest(x);
    EXPECT_GE(hull.Inside(closest), -1e-12);
    for (int k = 0; k < 100; ++k) {  // convex combinations of the points
      Point2 p = Point2::Zero();
      double sum = 0;
      for (const Point2& corner : points) {
        const double weight = -std::log(uniform(random));
        p += weight * corner;
        sum += weight;
      }
      EXPECT_LE((closest - x).norm(), (p / sum - x).norm() + 1e-12);
    }
  }
}

TEST(SupportPolygonTest, RayEndsOnTheBoundary) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const SupportPolygon hull(RandomPoints(&random, 8));
    const Point2 u = RandomPoints(&random, 1).front().normalized();
    const Point2 end = hull.center() + hull.Ray(hull.center(), u) * u;
    EXPECT_NEAR(hull.Inside(end), 0, 1e-12);
  }
}

TEST(SupportPolygonTest, ShrinksTowardsItsCenter) {
  const std::vector<Point2> points = {{0, 0}, {4, 0}, {4, 2}, {0, 2}};
  const SupportPolygon half = SupportPolygon(points).Shrunk(0.5);
  EXPECT_DOUBLE_EQ(half.Inside({2, 1}), 0.5);
  EXPECT_TRUE(half.Closest({9, 1}).isApprox(Point2(3, 1)));
}

TEST(SupportPolygonTest, OneAndTwoPointsHaveNoInside) {
  const std::vector<Point2> two = {{0, 0}, {2, 0}};
  EXPECT_LT(SupportPolygon(two).Inside({1, 0}), 0);
  EXPECT_TRUE(SupportPolygon(two).Closest({0.5, 1}).isApprox(Point2(0.5, 0)));
  const std::vector<Point2> one = {{3, 4}};
  EXPECT_TRUE(SupportPolygon(one).Closest({0.5, 1}).isApprox(Point2(3, 4)));
}

}  // namespace support_test
}  // namespace civita
