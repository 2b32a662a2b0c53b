// Confidence intervals.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "civita/study/compare/comparison.h"
#include "civita/study/survive/survival.h"

namespace civita {
namespace intervals_test {

constexpr double kZ = 1.959963984540054;

TEST(Comparison, IntervalsAreStudents) {
  const std::vector<double> values = {1, 2, 3, 4, NAN};
  const Estimate e = EstimateMean(values);
  EXPECT_DOUBLE_EQ(e.mean, 2.5);
  EXPECT_NEAR(e.half, 3.1824 * std::sqrt(5.0 / 3) / 2, 1e-4);
  std::vector<double> many(31, 0.0);
  many[0] = 31;
  EXPECT_NEAR(EstimateMean(many).half, 2.0423 * 31 / std::sqrt(31.0) / std::sqrt(31.0), 2e-3);
  EXPECT_TRUE(std::isnan(EstimateMean(std::vector<double>{NAN}).mean));
  EXPECT_TRUE(std::isnan(EstimateMean(std::vector<double>{3}).half));
}

TEST(Survival, WilsonIntervalsAreThoseOfTheClosedForms) {
  for (const long n : {1L, 10L, 200L}) {
    const double all = static_cast<double>(n) / (static_cast<double>(n) + kZ * kZ);
    EXPECT_NEAR(WilsonInterval(n, n).low, all, 1e-12) << n;
    EXPECT_NEAR(WilsonInterval(n, n).high, 1, 1e-12) << n;
    EXPECT_NEAR(WilsonInterval(0, n).high, 1 - all, 1e-12) << n;
    EXPECT_NEAR(WilsonInterval(0, n).low, 0, 1e-12) << n;
  }
  const double half = kZ / (2 * std::sqrt(200 + kZ * kZ));
  EXPECT_NEAR(WilsonInterval(100, 200).low, 0.5 - half, 1e-12);
  EXPECT_NEAR(WilsonInterval(100, 200).high, 0.5 + half, 1e-12);
  // The interval's ends p solve (p − k/n)² = z² p(1 − p)/n.
  for (const double p : {WilsonInterval(190, 200).low, WilsonInterval(190, 200).high}) {
    EXPECT_NEAR((p - 0.95) * (p - 0.95), kZ * kZ * p * (1 - p) / 200, 1e-12);
  }
  EXPECT_EQ(WilsonInterval(0, 0).low, 0);
  EXPECT_EQ(WilsonInterval(0, 0).high, 1);
}

}  // namespace intervals_test
}  // namespace civita
