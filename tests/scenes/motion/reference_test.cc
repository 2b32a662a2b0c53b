#include "civita/scenes/motion/reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "civita/manifold.h"
#include "tests/scenes/motion/moving_model.h"

namespace civita {
namespace reference_test {

class ReferenceTest : public testing::TestWithParam<unsigned> {
 protected:
  ReferenceTest() : random_(GetParam()), model_(MakeModel(&random_)) {}
  std::mt19937 random_;
  Model model_;
};

TEST_P(ReferenceTest, SinusoidHasExactDerivatives) {
  const int nv = model_.nv();
  const Eigen::VectorXd frequency = RandomVector(nv, 0.4, &random_).cwiseAbs();
  const auto reference =
      MakeSinusoid(model_, RandomPosition(model_, &random_), RandomVector(nv, 1, &random_),
                   frequency, RandomVector(nv, 3, &random_), 1.5);
  for (const double t : {0.2, 0.7, 1.4, 1.6, 3.0, 7.7}) ExpectConsistent(model_, *reference, t);
}

TEST_P(ReferenceTest, SmallRotationsUseTheSeries) {
  const int nv = model_.nv();
  for (const double amplitude : {1e-8, 1e-3, 0.05}) {
    const auto reference = MakeSinusoid(
        model_, RandomPosition(model_, &random_), RandomVector(nv, amplitude, &random_),
        RandomVector(nv, 0.5, &random_).cwiseAbs(), RandomVector(nv, 3, &random_), 0);
    for (const double t : {0.0, 0.3, 2.1}) ExpectConsistent(model_, *reference, t);
  }
}

TEST_P(ReferenceTest, FadedSinusoidStartsAtRest) {
  const Eigen::VectorXd center = RandomPosition(model_, &random_);
  const int nv = model_.nv();
  const auto reference = MakeSinusoid(model_, center, Eigen::VectorXd::Ones(nv),
                                      Eigen::VectorXd::Ones(nv), Eigen::VectorXd::Ones(nv), 1);
  const ReferenceState start = At(model_, *reference, 0);
  Eigen::VectorXd e(nv);
  DifferencePosition(model_, start.q, center, e);
  EXPECT_LT(e.norm(), 1e-14);
  EXPECT_EQ(start.v.norm(), 0);
  EXPECT_EQ(start.vdot.norm(), 0);
}

TEST_P(ReferenceTest, QuinticGoesThereAndBack) {
  const Eigen::VectorXd from = RandomPosition(model_, &random_);
  const Eigen::VectorXd to = RandomPosition(model_, &random_);
  const auto reference = MakeQuintic(model_, from, to, 0.5, 2, true);
  const auto distance = [&](const Eigen::VectorXd& q, double t) {
    Eigen::VectorXd e(model_.nv());
    DifferencePosition(model_, At(model_, *reference, t).q, q, e);
    return e.norm();
  };
  for (const double t : {0.7, 1.4, 2.1, 3.1, 4.0, 5.3}) ExpectConsistent(model_, *reference, t);
  EXPECT_LT(distance(from, 0), 1e-13);
  EXPECT_LT(distance(to, 2.5), 1e-12);
  EXPECT_LT(distance(from, 4.5), 1e-12);
  EXPECT_LT(distance(to, 6.5), 1e-12);
  const ReferenceState turn = At(model_, *reference, 2.5);
  EXPECT_LT(turn.v.norm() + turn.vdot.norm(), 1e-12);

  const auto once = MakeQuintic(model_, from, to, 0, 1, false);
  EXPECT_EQ(At(model_, *once, 5).v.norm(), 0);
}

TEST_P(ReferenceTest, LineMovesOneCoordinate) {
  const Eigen::VectorXd start = RandomPosition(model_, &random_);
  for (const int coordinate : {0, 2, 4, 5, 9}) {  // hinge, ball, slide, free position and rotation
    const auto reference = MakeLine(model_, start, coordinate);
    for (const double t : {0.1, 0.9, 1.4}) {
      ExpectConsistent(model_, *reference, t);
      const ReferenceState state = At(model_, *reference, t);
      EXPECT_NEAR(state.v[coordinate], 1 + std::cos(t), 1e-13);
      EXPECT_NEAR(state.v.norm(), 1 + std::cos(t), 1e-13);
    }
  }
}

TEST_P(ReferenceTest, HoldStandsStill) {
  const Eigen::VectorXd q = RandomPosition(model_, &random_);
  const ReferenceState state = At(model_, *MakeHold(model_, q), 3);
  EXPECT_EQ(state.q, q);
  EXPECT_EQ(state.v.norm() + state.vdot.norm(), 0);
}

TEST_P(ReferenceTest, CoupledCoordinatesFollow) {
  const int nv = model_.nv();
  Coupling follows{.iv = 4,
                   .iq = 5,
                   .iv_from = 0,
                   .iq_from = 0,
                   .reference = 0.3,
                   .from_reference = -0.2,
                   .polynomial = {0.1, -2, 0.5, 0.25, -0.125}};
  const auto reference = MakeCoupled(
      MakeSinusoid(model_, RandomPosition(model_, &random_), Eigen::VectorXd::Constant(nv, 0.8),
                   Eigen::VectorXd::Ones(nv) * 0.3, RandomVector(nv, 3, &random_), 0),
      {follows});
  for (const double t : {0.0, 0.4, 1.9}) {
    ExpectConsistent(model_, *reference, t);
    const ReferenceState state = At(model_, *reference, t);
    const double x = state.q[0] + 0.2;
    EXPECT_NEAR(state.q[5],
                0.3 + 0.1 - 2 * x + 0.5 * x * x + 0.25 * std::pow(x, 3) - 0.125 * std::pow(x, 4),
                1e-13);
  }
  Coupling constant{.iv = 4, .iq = 5, .reference = 0.3, .polynomial = {0.1, 7}};
  const auto still = MakeCoupled(MakeLine(model_, model_.DefaultPosition(), 4), {constant});
  EXPECT_DOUBLE_EQ(At(model_, *still, 1).q[5], 0.4);
  EXPECT_EQ(At(model_, *still, 1).v[4], 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ReferenceTest, testing::Range(1u, 6u));

}  // namespace reference_test
}  // namespace civita
