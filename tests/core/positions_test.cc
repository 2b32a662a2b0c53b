// Limits of a model; configurations: neutral, random, between two; poses, joints and frames by
// name.

#include <Eigen/Geometry>
#include <limits>
#include <numbers>
#include <random>
#include <string>

#include "civita/error.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/seeds.h"

namespace civita {
namespace positions_test {

using Eigen::VectorXd;

constexpr double kPi = std::numbers::pi;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

const MassProperties kMass{1, Eigen::Vector3d(0.1, 0.2, 0.3), 0.1 * Eigen::Matrix3d::Identity()};

/// Free, ball, hinges with no limit, with two and with one, a slide with two, a planar joint.
Model LimitedModel() {
  ModelBuilder b;
  const int base = b.AddBody("base", ModelBuilder::kWorld,
                             {Eigen::Matrix3d::Identity(), Eigen::Vector3d(5, 6, 7)}, kMass);
  b.AddJoint(base, JointType::kFree, {.name = "root"});
  int body = base;
  const auto add = [&](JointType type, const JointProperties& joint) {
    body = b.AddBody("of_" + joint.name, body, {}, kMass);
    b.AddJoint(body, type, joint);
  };
  add(JointType::kBall, {.name = "ball", .velocity_limit = 4, .effort_lower = -9});
  add(JointType::kHinge, {.name = "open", .position_reference = 2});
  add(JointType::kHinge, {.name = "closed",
                          .position_lower = 0.5,
                          .position_upper = 0.75,
                          .velocity_limit = 3,
                          .effort_lower = -2,
                          .effort_upper = 1});
  add(JointType::kHinge, {.name = "half", .position_upper = -1});
  add(JointType::kSlide, {.name = "rail", .position_lower = -0.2, .position_upper = 0.1});
  add(JointType::kPlanar, {.name = "plane", .velocity_limit = 2});
  return b.Build();
}

TEST(Limits, AreThoseOfTheJointsByNumber) {
  const Model model = LimitedModel();
  for (int i = 0; i < 11; ++i) {
    EXPECT_EQ(model.position_lower()[i], -kInfinity);
    EXPECT_EQ(model.position_upper()[i], kInfinity);
  }
  const Model::NamedJoint &closed = model.FindJoint("closed"), &ball = model.FindJoint("ball"),
                          &plane = model.FindJoint("plane");
  EXPECT_EQ(model.position_lower()[closed.iq], 0.5);
  EXPECT_EQ(model.position_upper()[closed.iq], 0.75);
  EXPECT_EQ(model.velocity_limit()[closed.iv], 3);
  EXPECT_EQ(model.effort_lower()[closed.iv], -2);
  EXPECT_EQ(model.effort_upper()[closed.iv], 1);
  EXPECT_EQ(model.velocity_limit().segment<3>(ball.iv), Eigen::Vector3d::Constant(4));
  EXPECT_EQ(model.effort_lower().segment<3>(ball.iv), Eigen::Vector3d::Constant(-9));
  EXPECT_EQ(model.velocity_limit().segment<3>(plane.iv), Eigen::Vector3d::Constant(2));
  EXPECT_EQ(model.velocity_limit()[0], kInfinity);
  EXPECT_EQ(model.effort_upper()[0], kInfinity);
}

TEST(Limits, ThatNoJointHasAreRefused) {
  ModelBuilder b;
  const int body = b.AddBody("body", ModelBuilder::kWorld, {}, kMass);
  EXPECT_THROW(
      b.AddJoint(body, JointType::kHinge, {.name = {}, .position_lower = 1, .position_upper = 0}),
      UserError);
  EXPECT_THROW(b.AddJoint(body, JointType::kHinge, {.name = {}, .position_lower = NAN}), UserError);
  EXPECT_THROW(b.AddJoint(body, JointType::kSlide, {.name = {}, .position_lower = kInfinity}),
               UserError);
  EXPECT_THROW(b.AddJoint(body, JointType::kSlide, {.name = {}, .position_upper = -kInfinity}),
               UserError);
  EXPECT_THROW(
      b.AddJoint(body, JointType::kHinge, {.name = {}, .effort_lower = 1, .effort_upper = 0}),
      UserError);
  EXPECT_THROW(b.AddJoint(body, JointType::kHinge, {.name = {}, .velocity_limit = -1}), UserError);
  EXPECT_THROW(b.AddJoint(body, JointType::kBall, {.name = {}, .position_upper = 1}), UserError);
  EXPECT_NO_THROW(
      b.AddJoint(body, JointType::kHinge, {.name = {}, .position_lower = 1, .position_upper = 1}));
}

TEST(NeutralPosition, IsZeroWithinTheLimits) {
  const Model model = LimitedModel();
  VectorXd q = VectorXd::Constant(model.nq(), NAN), expected = VectorXd::Zero(model.nq());
  NeutralPosition(model, q);
  expected[3] = expected[7] = 1;
  expected[model.FindJoint("closed").iq] = 0.5;
  expected[model.FindJoint("half").iq] = -1;
  EXPECT_EQ(q, expected);
}

TEST(RandomPosition, FillsTheLimits) {
  const Model model = LimitedModel();
  const VectorXd start = model.DefaultPosition();
  VectorXd lowest = VectorXd::Constant(model.nq(), kInfinity), highest = -lowest;
  VectorXd q(model.nq());
  Eigen::Matrix4d mean = Eigen::Matrix4d::Zero();
  constexpr int kDraws = 4000;
  for (int seed = 0; seed < kDraws; ++seed) {
    q.setConstant(NAN);
    RandomPosition(model, seed, q);
    ASSERT_TRUE(q.allFinite());
    lowest = lowest.cwiseMin(q);
    highest = highest.cwiseMax(q);
    EXPECT_NEAR(q.segment<4>(3).norm(), 1, 1e-15);
    mean += q.segment<4>(7) * q.segment<4>(7).transpose() / kDraws;
  }
  const auto expect = [&](int iq, double lower, double upper) {
    SCOPED_TRACE(iq);
    EXPECT_GE(lowest[iq], lower);
    EXPECT_LE(highest[iq], upper);
    EXPECT_LE(lowest[iq], lower + 0.01 * (upper - lower));
    EXPECT_GE(highest[iq], upper - 0.01 * (upper - lower));
  };
  for (int i = 0; i < 3; ++i) expect(i, start[i] - 1, start[i] + 1);
  expect(model.FindJoint("open").iq, 2 - kPi, 2 + kPi);
  expect(model.FindJoint("closed").iq, 0.5, 0.75);
  expect(model.FindJoint("half").iq, -1 - 2 * kPi, -1);
  expect(model.FindJoint("rail").iq, -0.2, 0.1);
  // Uniform in SO(3): the quaternions' second moments are 1/4.
  EXPECT_LE((mean - 0.25 * Eigen::Matrix4d::Identity()).cwiseAbs().maxCoeff(), 0.02);
  VectorXd again(model.nq());
  RandomPosition(model, kDraws - 1, again);
  EXPECT_EQ(again, q);
}

TEST(InterpolatePosition, DividesTheDifference) {
  for (unsigned seed = 0; seed < Seeds(20); ++seed) {
    const Case c = MakeCase(seed);
    std::mt19937 random(seed);
    const VectorXd q_1 = RandomPosition(c.spec, &random);
    VectorXd e(c.model.nv()), part(c.model.nv()), q(c.model.nq());
    DifferencePosition(c.model, q_1, c.q, e);
    for (const double u : {0.0, 0.3, 1.0, -0.1}) {
      InterpolatePosition(c.model, c.q, q_1, u, q);
      DifferencePosition(c.model, q, c.q, part);
      EXPECT_LE(RelativeError(part, VectorXd(u * e)), 1e-13) << u;
    }
    VectorXd in_place = c.q;
    InterpolatePosition(c.model, c.q, q_1, 0.4, q);
    InterpolatePosition(c.model, in_place, q_1, 0.4, in_place);
    EXPECT_EQ(in_place, q);
  }
  const Case c = MakeCase(0);
  VectorXd q(c.model.nq() + 1);
  EXPECT_THROW(InterpolatePosition(c.model, c.q, c.q, 0.5, q), ContractError);
  EXPECT_THROW(NeutralPosition(c.model, q), ContractError);
  EXPECT_THROW(RandomPosition(c.model, 1, q), ContractError);
}

TEST(PoseTest, InverseUndoesAndCompositionAssociates) {
  const auto pose = [](double angle, const Eigen::Vector3d& p) {
    return Pose{Eigen::AngleAxisd(angle, Eigen::Vector3d(1, 2, -3).normalized()).matrix(), p};
  };
  const Pose X_AB = pose(0.7, {1, 2, 3}), X_BC = pose(-2, {0.5, -1, 2});
  const Eigen::Vector3d x(0.1, -0.4, 0.3);
  EXPECT_LE(((X_AB * X_BC) * x - X_AB * (X_BC * x)).norm(), 1e-15);
  EXPECT_LE((X_AB.Inverse() * (X_AB * x) - x).norm(), 1e-15);
  EXPECT_LE(RelativeError((X_AB * X_BC).Inverse().p, (X_BC.Inverse() * X_AB.Inverse()).p), 1e-15);
  EXPECT_LE(RelativeError((X_AB.Inverse() * X_AB).R, Eigen::Matrix3d::Identity()), 1e-15);
}

TEST(FindJoint, NamesTheNearest) {
  const Model model = LimitedModel();
  EXPECT_EQ(model.FindJoint("rail").type, JointType::kSlide);
  try {
    (void)model.FindJoint("rial");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("'rail'"), std::string::npos) << error.what();
  }
}

TEST(WithFrame, MovesWithTheFrameItIsFixedTo) {
  const Case c = MakeCase(3);
  const Pose X{Eigen::AngleAxisd(0.4, Eigen::Vector3d::UnitX()).matrix(), {0.1, 0.2, 0.3}};
  const Model::NamedFrame& body = c.model.frames().back();
  const Model with = c.model.WithFrame("tool", body, X);
  const Model twice = with.WithFrame("tip", with.FindFrame("tool"), X);
  EXPECT_EQ(twice.id(), c.model.id());
  Workspace<double> workspace(c.model);
  UpdateKinematics(c.model, c.q, workspace);
  const Pose at = CalcFramePose(twice, twice.FindFrame("tip"), workspace);
  const Pose expected = CalcFramePose(c.model, body, workspace) * X * X;
  EXPECT_LE(RelativeError(at.R, expected.R), 1e-14);
  EXPECT_LE(RelativeError(at.p, expected.p), 1e-14);
  const Model fixed = c.model.WithFrame("mark", {}, X);
  EXPECT_EQ(CalcFramePose(fixed, fixed.FindFrame("mark"), workspace).p, X.p);
  EXPECT_THROW((void)with.WithFrame("tool", body, X), UserError);
  EXPECT_THROW((void)with.WithFrame("", body, X), UserError);
  EXPECT_THROW((void)with.WithFrame("two", body, {2 * X.R, X.p}), UserError);
}

}  // namespace positions_test
}  // namespace civita
