#include "civita/scenes/motion/spline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "civita/manifold.h"
#include "tests/scenes/motion/moving_model.h"

namespace civita {
namespace spline_test {

class SplineTest : public testing::TestWithParam<unsigned> {
 protected:
  SplineTest() : random_(GetParam()), model_(MakeModel(&random_)) {
    knots_.t = {0.5, 1.3, 1.9, 3.2, 4.0};
    knots_.q.resize(model_.nq(), 5);
    for (int k = 0; k < 5; ++k) knots_.q.col(k) = RandomPosition(model_, &random_);
  }

  // ‖a ⊖ b‖.
  double Distance(const Eigen::VectorXd& a, const Eigen::VectorXd& b) const {
    Eigen::VectorXd e(model_.nv());
    DifferencePosition(model_, a, b, e);
    return e.norm();
  }
  void ExpectContinuousAtKnots(const Reference& reference) const {
    for (size_t k = 1; k + 1 < knots_.t.size(); ++k) {
      const ReferenceState before = At(model_, reference, knots_.t[k] - 1e-10);
      const ReferenceState after = At(model_, reference, knots_.t[k] + 1e-10);
      EXPECT_LT(Distance(before.q, knots_.q.col(static_cast<int>(k))), 1e-7);
      EXPECT_LT(Distance(after.q, knots_.q.col(static_cast<int>(k))), 1e-7);
      EXPECT_LT((before.v - after.v).norm(), 1e-6);
      EXPECT_LT((before.vdot - after.vdot).norm(), 1e-5);
    }
  }

  std::mt19937 random_;
  Model model_;
  Knots knots_;
};

TEST_P(SplineTest, PassesItsKnotsSmoothlyFromRestToRest) {
  const auto reference = MakeSpline(model_, knots_);
  ExpectContinuousAtKnots(*reference);
  for (const double t : {0.6, 1.0, 1.5, 2.2, 3.0, 3.9}) ExpectConsistent(model_, *reference, t);
  for (const double t : {0.0, 0.5, 4.0, 7.0}) {
    const ReferenceState end = At(model_, *reference, t);
    EXPECT_LT(Distance(end.q, knots_.q.col(t < 1 ? 0 : 4)), 1e-12) << t;
    EXPECT_LT(end.v.norm() + end.vdot.norm(), 1e-10) << t;
  }
}

// The minimum of ∫jerk² through points is the spline with continuous third and fourth derivatives.
TEST_P(SplineTest, JerkIsLeastWhereNothingTurns) {
  const auto reference = MakeSpline(model_, knots_);
  constexpr double h = 1e-4;
  const auto vdot = [&](double t) { return At(model_, *reference, t).vdot; };
  const auto jerk = [&](double t, double side) {  // one-sided, of second order
    return Eigen::VectorXd(side * (-3 * vdot(t) + 4 * vdot(t + side * h) - vdot(t + 2 * side * h)) /
                           (2 * h));
  };
  const auto snap = [&](double t, double side) {
    return Eigen::VectorXd((vdot(t) - 2 * vdot(t + side * h) + vdot(t + 2 * side * h)) / (h * h));
  };
  for (const double t : {1.3, 1.9, 3.2}) {
    for (const int iv : {0, 4, 5, 6, 7}) {  // hinge, slide, the free body's position
      EXPECT_NEAR(jerk(t, -1)[iv], jerk(t, 1)[iv], 1e-3 * (1 + std::abs(jerk(t, 1)[iv]))) << iv;
      EXPECT_NEAR(snap(t, -1)[iv], snap(t, 1)[iv], 0.1 * (1 + std::abs(snap(t, 1)[iv]))) << iv;
    }
  }
}

TEST_P(SplineTest, RepeatsThereAndBack) {
  const auto reference = MakeSpline(model_, knots_, true);
  for (const double t : {4.4, 6.0, 7.3, 8.2, 11.6}) ExpectConsistent(model_, *reference, t);
  EXPECT_LT(Distance(At(model_, *reference, 4.9).q, At(model_, *reference, 3.1).q), 1e-12);
  EXPECT_LT(Distance(At(model_, *reference, 7.5).q, knots_.q.col(0)), 1e-12);
  EXPECT_LT(Distance(At(model_, *reference, 7.9).q, At(model_, *reference, 0.9).q), 1e-12);
}

TEST_P(SplineTest, KeepsWhatIsGiven) {
  knots_.v.resize(model_.nv(), 5);
  for (int k = 0; k < 5; ++k) knots_.v.col(k) = RandomVector(model_.nv(), 1, &random_);
  for (const bool with_vdot : {false, true}) {
    if (with_vdot) knots_.vdot = 2 * knots_.v;
    const auto reference = MakeSpline(model_, knots_);
    ExpectContinuousAtKnots(*reference);
    for (int k = 1; k < 4; ++k) {
      const ReferenceState state = At(model_, *reference, knots_.t[static_cast<size_t>(k)]);
      EXPECT_LT((state.v - knots_.v.col(k)).norm(), 1e-12);
      if (with_vdot) {
        EXPECT_LT((state.vdot - knots_.vdot.col(k)).norm(), 1e-11);
      }
    }
    for (const double t : {0.7, 1.7, 2.9, 3.8}) ExpectConsistent(model_, *reference, t);
  }
}

// A motion sampled with its rates is reproduced: the error decreases with the sixth power of the
// step.
TEST_P(SplineTest, GivesBackAMotionThatWasSampled) {
  const int nv = model_.nv();
  const auto motion =
      MakeSinusoid(model_, RandomPosition(model_, &random_), RandomVector(nv, 0.8, &random_),
                   Eigen::VectorXd::Constant(nv, 0.5), RandomVector(nv, 3, &random_), 0);
  const auto error = [&](int pieces) {
    Knots knots;
    knots.q.resize(model_.nq(), pieces + 1);
    knots.v.resize(nv, pieces + 1);
    knots.vdot.resize(nv, pieces + 1);
    for (int k = 0; k <= pieces; ++k) {
      knots.t.push_back(2.0 * k / pieces);
      const ReferenceState state = At(model_, *motion, knots.t.back());
      knots.q.col(k) = state.q;
      knots.v.col(k) = state.v;
      knots.vdot.col(k) = state.vdot;
    }
    const auto copy = MakeSpline(model_, knots);
    double worst = 0;
    for (double t = 0.013; t < 2; t += 0.037) {
      worst = std::max(worst, Distance(At(model_, *copy, t).q, At(model_, *motion, t).q));
    }
    return worst;
  };
  const double coarse = error(10), fine = error(20);
  EXPECT_LT(coarse, 1e-3);
  EXPECT_LT(fine, coarse / 32);
}

TEST_P(SplineTest, JumpsAreFound) {
  EXPECT_FALSE(FindJump(model_, knots_).has_value());
  knots_.q(0, 2) += 70;
  const auto jump = FindJump(model_, knots_);
  ASSERT_TRUE(jump.has_value());
  EXPECT_EQ(jump->knot, 2);
  EXPECT_EQ(jump->iv, 0);
  EXPECT_NEAR(jump->way, 70, 10);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SplineTest, testing::Range(1u, 6u));

}  // namespace spline_test
}  // namespace civita
