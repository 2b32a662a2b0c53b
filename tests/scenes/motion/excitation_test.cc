#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "civita/manifold.h"
#include "civita/scenes/motion/reference.h"
#include "tests/scenes/motion/moving_model.h"

namespace civita {
namespace excitation_test {

class ExcitationTest : public testing::TestWithParam<unsigned> {
 protected:
  ExcitationTest()
      : random_(GetParam()),
        model_(MakeModel(&random_)),
        center_(RandomPosition(model_, &random_)),
        amplitude_(RandomVector(model_.nv(), 0.8, &random_).cwiseAbs()) {}

  std::unique_ptr<Reference> Make(int seed, int harmonics = 5) const {
    return MakeExcitation(model_, center_, amplitude_, 0.25, harmonics, seed);
  }
  Eigen::VectorXd Away(const Reference& reference, double t) const {
    Eigen::VectorXd e(model_.nv());
    DifferencePosition(model_, At(model_, reference, t).q, center_, e);
    return e;
  }

  std::mt19937 random_;
  Model model_;
  Eigen::VectorXd center_, amplitude_;
};

TEST_P(ExcitationTest, HasExactDerivativesAndStartsAtRest) {
  for (const int harmonics : {3, 5, 8}) {
    const auto reference = Make(7, harmonics);
    for (const double t : {0.1, 1.3, 2.9, 5.5}) ExpectConsistent(model_, *reference, t);
    const ReferenceState start = At(model_, *reference, 0);
    EXPECT_LT(Away(*reference, 0).norm(), 1e-13);
    EXPECT_LT(start.v.norm(), 1e-13);
    EXPECT_LT(start.vdot.norm(), 1e-12);
  }
}

TEST_P(ExcitationTest, FillsItsAmplitudeAndComesAgain) {
  const auto reference = Make(3);
  Eigen::VectorXd peak = Eigen::VectorXd::Zero(model_.nv());
  for (double t = 0; t < 4; t += 0.002) peak = peak.cwiseMax(Away(*reference, t).cwiseAbs());
  // The three components of a rotation vector may add up; each alone reaches its amplitude.
  EXPECT_LT((peak - amplitude_).lpNorm<Eigen::Infinity>(), 2e-3);
  EXPECT_LT((Away(*reference, 1.7) - Away(*reference, 5.7)).norm(), 1e-12);
}

TEST_P(ExcitationTest, SeedsDifferAndRepeat) {
  EXPECT_EQ(Away(*Make(3), 1.1), Away(*Make(3), 1.1));
  EXPECT_GT((Away(*Make(3), 1.1) - Away(*Make(4), 1.1)).norm(), 1e-2);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ExcitationTest, testing::Range(1u, 4u));

}  // namespace excitation_test
}  // namespace civita
