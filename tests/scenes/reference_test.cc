#include "scenes/reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/manifold.h"

namespace civita {
namespace {

// A random tree with every joint type, and a free body.
Model MakeModel(std::mt19937* random) {
  std::uniform_real_distribution<double> number(-1, 1);
  const MassProperties mass{1, {0.1, 0, 0}, 0.1 * Eigen::Matrix3d::Identity()};
  ModelBuilder builder;
  const auto pose = [&] {
    return Pose{Eigen::Matrix3d::Identity(), {number(*random), number(*random), number(*random)}};
  };
  const int hinge = builder.AddBody("hinge", ModelBuilder::kWorld, pose(), mass);
  builder.AddJoint(hinge, JointType::kHinge,
                   {.name = "q1", .axis = {1, number(*random), number(*random)}});
  const int ball = builder.AddBody("ball", hinge, pose(), mass);
  builder.AddJoint(ball, JointType::kBall, {.name = "q2"});
  const int slide = builder.AddBody("slide", ball, pose(), mass);
  builder.AddJoint(slide, JointType::kSlide, {.name = "q3", .axis = {0, 1, number(*random)}});
  const int free = builder.AddBody("free", ModelBuilder::kWorld, pose(), mass);
  builder.AddJoint(free, JointType::kFree, {.name = "q4"});
  const int planar = builder.AddBody("planar", free, pose(), mass);
  builder.AddJoint(planar, JointType::kPlanar, {.name = "q5"});
  return builder.Build();
}

Eigen::VectorXd RandomVector(Eigen::Index size, double scale, std::mt19937* random) {
  std::uniform_real_distribution<double> number(-scale, scale);
  Eigen::VectorXd x(size);
  for (double& value : x) value = number(*random);
  return x;
}

Eigen::VectorXd RandomPosition(const Model& model, std::mt19937* random) {
  Eigen::VectorXd q = model.DefaultPosition();
  IntegratePosition(model, q, RandomVector(model.nv(), 2, random), 1, q);
  return q;
}

ReferenceState At(const Model& model, const Reference& reference, double t) {
  ReferenceState state{model.DefaultPosition(), Eigen::VectorXd::Zero(model.nv()),
                       Eigen::VectorXd::Zero(model.nv())};
  reference.Sample(t, state);
  return state;
}

// Velocity and acceleration against fourth-order differences of position and velocity.
void ExpectConsistent(const Model& model, const Reference& reference, double t) {
  constexpr double h = 1e-3;
  const ReferenceState now = At(model, reference, t);
  const auto step = [&](double dt) {
    Eigen::VectorXd e(model.nv());
    DifferencePosition(model, At(model, reference, t + dt).q, now.q, e);
    return e;
  };
  const Eigen::VectorXd v = (8 * (step(h) - step(-h)) - (step(2 * h) - step(-2 * h))) / (12 * h);
  const auto rate = [&](double dt) { return At(model, reference, t + dt).v; };
  const Eigen::VectorXd vdot = (8 * (rate(h) - rate(-h)) - (rate(2 * h) - rate(-2 * h))) / (12 * h);
  EXPECT_LT((now.v - v).lpNorm<Eigen::Infinity>(), 1e-7) << "t = " << t;
  EXPECT_LT((now.vdot - vdot).lpNorm<Eigen::Infinity>(), 1e-7) << "t = " << t;
}

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

}  // namespace
}  // namespace civita
