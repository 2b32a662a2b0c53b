#include "civita/passive_forces.h"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "civita/error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/random_model.h"
#include "tests/oracles/slow_dynamics.h"

namespace civita {
namespace passive_forces_test {

using testing::HasSubstr;

const MassProperties kMass{1, {0, 0, 0.1}, Eigen::Matrix3d::Identity()};

Model TwoJoints() {
  ModelBuilder builder;
  const int upper = builder.AddBody("upper", ModelBuilder::kWorld, {}, kMass);
  builder.AddJoint(upper, JointType::kHinge,
                   {.name = "shoulder", .damping = 2, .stiffness = 5, .spring_reference = 0.25});
  const int lower = builder.AddBody("lower", upper, {}, kMass);
  builder.AddJoint(lower, JointType::kHinge, {.name = "elbow", .frictionloss = 3});
  return builder.Build();
}

Eigen::VectorXd ForcesOf(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(model.nv());
  AddPassiveForces(model, q, v, {.speed = 0.01}, 1, tau);
  return tau;
}

TEST(PassiveForces, AreThoseOfSpringDampingAndFriction) {
  const Model model = TwoJoints();
  const Eigen::Vector2d q(1, -1), v(0.5, -0.02);
  Eigen::VectorXd tau = Eigen::Vector2d(10, 20);
  AddPassiveForces(model, q, v, {.speed = 0.01}, 1, tau);
  EXPECT_NEAR(tau[0], 10 - 5 * (1 - 0.25) - 2 * 0.5, 1e-14);
  EXPECT_NEAR(tau[1], 20 + 3 * std::tanh(2.0), 1e-14);
  AddPassiveForces(model, q, v, {.speed = 0.01}, -1, tau);
  EXPECT_NEAR((tau - Eigen::Vector2d(10, 20)).norm(), 0, 1e-14);
}

TEST(PassiveForces, PolynomialsOfJointsAndTendons) {
  ModelBuilder builder;
  const int upper = builder.AddBody("upper", ModelBuilder::kWorld, {}, kMass);
  builder.AddJoint(upper, JointType::kHinge,
                   {.name = "hinge",
                    .damping = 2,
                    .stiffness = 5,
                    .stiffness_poly = {3, -1},
                    .damping_poly = {4, 6}});
  builder.AddJoint(builder.AddBody("lower", upper, {}, kMass), JointType::kSlide,
                   {.name = "slide"});
  builder.AddTendon({.name = "cord",
                     .terms = {{0, 2.0}, {1, -0.5}},
                     .damping = 1,
                     .frictionloss = 7,
                     .stiffness = 10,
                     .rest_lower = -0.25,
                     .rest_upper = 0.5,
                     .stiffness_poly = {20, 30},
                     .damping_poly = {-2, 8}});
  const Model model = builder.Build();
  const double x = -0.3, v = -0.2;  // of the hinge
  const double hinge = -(5 * x + 3 * x * x - x * x * x) - (2 * v + 4 * v * 0.2 + 6 * v * v * v);
  for (const double slide : {-2.5, -1.0, 1.0}) {
    SCOPED_TRACE(slide);
    const double rate = 2 * v - 0.5 * 0.7;
    const double length = 2 * x - 0.5 * slide;  // above, inside and below the range of rest
    const double stretch = slide == -2.5 ? length - 0.5 : slide == -1 ? 0 : length + 0.25;
    const double force =
        -(10 * stretch + 20 * stretch * stretch + 30 * stretch * stretch * stretch) -
        (rate + 2 * rate * rate + 8 * rate * rate * rate) - 7 * std::tanh(rate / 0.01);
    const Eigen::VectorXd tau = ForcesOf(model, Eigen::Vector2d(x, slide), Eigen::Vector2d(v, 0.7));
    EXPECT_NEAR(tau[0], hinge + 2 * force, 1e-13);
    EXPECT_NEAR(tau[1], -0.5 * force, 1e-13);
  }
}

TEST(PassiveForces, OfSpringsAreTheRatesOfTheirEnergy) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const TreeSpec spec = RandomTree(seed, {.passive = true});
    const Model model = BuildTree(spec);
    std::mt19937 random(seed);
    // Turned by less than half a turn from rest, where the energy of rotations has an edge.
    const Eigen::VectorXd q =
        SlowIntegrate(spec, model.DefaultPosition(), RandomVector(spec.nv, &random), 1);
    const Eigen::VectorXd force = ForcesOf(model, q, Eigen::VectorXd::Zero(spec.nv));
    Eigen::VectorXd rate(spec.nv);
    for (int i = 0; i < spec.nv; ++i) {
      rate[i] = SlowRate(spec, q, Eigen::VectorXd::Unit(spec.nv, i),
                         [&](const Eigen::VectorXd& at) { return SlowSpringEnergy(spec, at); });
    }
    ASSERT_LE(RelativeError(force, -rate), 1e-9);
  }
}

TEST(PassiveForces, DerivativesAreDifferences) {
  constexpr double kFrictionSpeed = 0.5, kStep = 1e-5;
  int full = 0, partial = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const TreeSpec spec = RandomTree(seed, {.passive = true});
    const Model model = BuildTree(spec);
    const int nv = model.nv();
    std::mt19937 random(seed);
    const Eigen::VectorXd q =
        SlowIntegrate(spec, model.DefaultPosition(), RandomVector(nv, &random), 1);
    const Eigen::VectorXd v = RandomVector(nv, &random);
    // Every other model has soft friction, where this is positive.
    const Eigen::VectorXd full_speeds =
        RandomVector(nv + static_cast<int>(model.tendons().size()), &random).cwiseMax(0);
    const bool soft = seed % 2 == 1;
    const auto force = [&](const Eigen::VectorXd& at_q, const Eigen::VectorXd& at_v) {
      Eigen::VectorXd tau = Eigen::VectorXd::Zero(nv);
      if (soft) {
        AddPassiveForces(model, at_q, at_v, {.speed = kFrictionSpeed, .full_speeds = full_speeds},
                         1, tau);
      } else {
        AddPassiveForces(model, at_q, at_v, {.speed = kFrictionSpeed}, 1, tau);
      }
      return tau;
    };
    const Eigen::MatrixXd start = Eigen::MatrixXd::Constant(nv, nv, 3);
    Eigen::MatrixXd by_q = start, by_v = start, expected_q = start, expected_v = start;
    if (soft) {
      AddPassiveForceDerivatives(model, q, v, {.speed = kFrictionSpeed, .full_speeds = full_speeds},
                                 -2, by_q, by_v);
      for (int k = 0; k < nv; ++k) {
        if (model.frictionloss()[k] == 0 || full_speeds[k] == 0) continue;
        (std::abs(v[k]) > full_speeds[k] ? full : partial) += 1;
      }
    } else {
      AddPassiveForceDerivatives(model, q, v, {.speed = kFrictionSpeed}, -2, by_q, by_v);
    }
    for (int k = 0; k < nv; ++k) {
      const Eigen::VectorXd step = kStep * Eigen::VectorXd::Unit(nv, k);
      expected_q.col(k) -=
          (force(SlowIntegrate(spec, q, step, 1), v) - force(SlowIntegrate(spec, q, step, -1), v)) /
          kStep;
      expected_v.col(k) -= (force(q, v + step) - force(q, v - step)) / kStep;
    }
    EXPECT_LE(RelativeError(by_q, expected_q), 1e-8);
    EXPECT_LE(RelativeError(by_v, expected_v), 1e-8);
  }
  EXPECT_GT(full, 5);
  EXPECT_GT(partial, 5);
}

TEST(PassiveForces, SpringsOfFreeJointsRestWhereTheyAreTold) {
  ModelBuilder builder;
  const Pose placement{Eigen::AngleAxisd(0.4, Eigen::Vector3d::UnitX()).toRotationMatrix(),
                       {1, 2, 3}};
  const int body = builder.AddBody("ship", ModelBuilder::kWorld, placement, kMass);
  builder.AddJoint(body, JointType::kFree, {.name = "root", .stiffness = 3});
  const Model at_home = builder.Build();
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(6);
  EXPECT_LE(ForcesOf(at_home, at_home.DefaultPosition(), zero).norm(), 1e-14);
  ModelBuilder elsewhere;
  const int other = elsewhere.AddBody("ship", ModelBuilder::kWorld, placement, kMass);
  elsewhere.AddJoint(other, JointType::kFree,
                     {.name = "root", .stiffness = 3, .spring_pose = Pose{}});
  const Eigen::VectorXd force = ForcesOf(elsewhere.Build(), at_home.DefaultPosition(), zero);
  Eigen::VectorXd expected(6);
  expected << -3, -6, -9, -3 * 0.4, 0, 0;
  EXPECT_LE((force - expected).norm(), 1e-14);
}

TEST(PassiveForces, ATurnLongerThanHalfIsTakenTheOtherWay) {
  ModelBuilder builder;
  const int body = builder.AddBody("head", ModelBuilder::kWorld, {}, kMass);
  builder.AddJoint(body, JointType::kBall,
                   {.name = "neck", .stiffness = 1, .stiffness_poly = {0.5, 0.25}});
  const Model model = builder.Build();
  const double turn = 1.25 * std::numbers::pi, left = 2 * std::numbers::pi - turn;
  Eigen::Vector4d q(std::cos(turn / 2), 0, std::sin(turn / 2), 0);
  for (const double scale : {1.0, 3.0, -1.0}) {  // numbers that are no unit quaternion, too
    const Eigen::VectorXd tau = ForcesOf(model, scale * q, Eigen::Vector3d::Zero());
    EXPECT_NEAR(tau[1], left + 0.5 * left * left + 0.25 * left * left * left, 1e-13);
  }
}

// As for all that reads q: the identity.
TEST(PassiveForces, AZeroQuaternionIsNoTurn) {
  ModelBuilder builder;
  const int body = builder.AddBody("head", ModelBuilder::kWorld, {}, kMass);
  const Pose rest{Eigen::AngleAxisd(-0.6, Eigen::Vector3d::UnitZ()).toRotationMatrix(),
                  Eigen::Vector3d::Zero()};
  builder.AddJoint(body, JointType::kBall, {.name = "neck", .stiffness = 25, .spring_pose = rest});
  const Model model = builder.Build();
  const Eigen::VectorXd tau = ForcesOf(model, Eigen::Vector4d::Zero(), Eigen::Vector3d::Zero());
  EXPECT_LE((tau - Eigen::Vector3d(0, 0, -15)).norm(), 1e-13);
  EXPECT_EQ(tau, ForcesOf(model, Eigen::Vector4d(1, 0, 0, 0), Eigen::Vector3d::Zero()));
}

TEST(PassiveForces, DissipationIsThePowerOfWhatIsNotFedForward) {
  int friction = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const TreeSpec spec = RandomTree(seed, {.passive = true});
    const Model model = BuildTree(spec);
    std::mt19937 random(seed);
    const Eigen::VectorXd q = RandomPosition(spec, &random);
    const Eigen::VectorXd v_r = RandomVector(spec.nv, &random), s = RandomVector(spec.nv, &random);
    const double power = s.dot(ForcesOf(model, q, v_r) - ForcesOf(model, q, v_r + s));
    const double P = CalcPassiveDissipation(model, v_r, s, {.speed = 0.01});
    ASSERT_NEAR(P, power, 1e-11 * (1 + P));
    ASSERT_GT(P, 0);
    friction += !spec.tendons.empty();
  }
  EXPECT_GT(friction, 20);
}

TEST(PassiveForces, SoftFrictionIsProportionalUpToItsFullSpeed) {
  const auto build = [](double joint, double tendon) {
    ModelBuilder builder;
    builder.AddJoint(builder.AddBody("arm", ModelBuilder::kWorld, {}, kMass), JointType::kHinge,
                     {.name = "a", .frictionloss = joint});
    builder.AddTendon({.name = "belt", .terms = {{0, 2}}, .frictionloss = tendon});
    return builder.Build();
  };
  const Model of_joint = build(3, 0), of_tendon = build(0, 3);
  const auto at = [](double x) { return Eigen::VectorXd::Constant(1, x).eval(); };
  for (const auto& [share, speed] : {std::pair{0.25, 0.5}, {1.0, 2.0}, {-0.5, -1.0}, {-1, -7}}) {
    Eigen::VectorXd tau = at(0);
    AddPassiveForces(of_joint, at(0.1), at(speed),
                     {.speed = 0.01, .full_speeds = Eigen::Vector2d(2, 0)}, 1, tau);
    EXPECT_DOUBLE_EQ(tau[0], -3 * share);
    tau = at(0);
    AddPassiveForces(of_tendon, at(0.1), at(speed / 2),
                     {.speed = 0.01, .full_speeds = Eigen::Vector2d(0, 2)}, 1, tau);
    EXPECT_DOUBLE_EQ(tau[0], -3 * share * 2) << "the tendon is twice as fast";
  }
  Eigen::VectorXd soft = at(0), smooth = at(0);
  AddPassiveForces(of_joint, at(0.1), at(0.004),
                   {.speed = 0.01, .full_speeds = Eigen::Vector2d(0, 2)}, 1, soft);
  AddPassiveForces(of_joint, at(0.1), at(0.004), {.speed = 0.01}, 1, smooth);
  EXPECT_EQ(soft, smooth) << "0 is the friction of a rigid contact";
  const Eigen::Vector2d full(2, 0);
  EXPECT_DOUBLE_EQ(
      CalcPassiveDissipation(of_joint, at(0.5), at(0.2), {.speed = 0.01, .full_speeds = full}),
      3 * 0.2 * 0.1);
  EXPECT_DOUBLE_EQ(
      CalcPassiveDissipation(of_joint, at(5), at(0.2), {.speed = 0.01, .full_speeds = full}), 0);
  EXPECT_THROW(
      AddPassiveForces(of_joint, at(0), at(0), {.speed = 0.01, .full_speeds = at(2)}, 1, soft),
      ContractError);
  // At its full speed the derivative is that below it.
  for (const auto& [speed, rate] : {std::pair{0.5, -1.5}, {2.0, -1.5}, {-2.0, -1.5}, {2.1, 0.0}}) {
    Eigen::MatrixXd by_q = Eigen::MatrixXd::Zero(1, 1), by_v = by_q;
    AddPassiveForceDerivatives(of_joint, at(0.1), at(speed), {.speed = 0.01, .full_speeds = full},
                               1, by_q, by_v);
    EXPECT_DOUBLE_EQ(by_v(0, 0), rate) << speed;
    by_v.setZero();
    AddPassiveForceDerivatives(of_tendon, at(0.1), at(speed / 2),
                               {.speed = 0.01, .full_speeds = Eigen::Vector2d(0, 2)}, 1, by_q,
                               by_v);
    EXPECT_DOUBLE_EQ(by_v(0, 0), 4 * rate) << speed;
    EXPECT_EQ(by_q(0, 0), 0);
    EXPECT_THROW(AddPassiveForceDerivatives(of_joint, at(0), at(0),
                                            {.speed = 0.01, .full_speeds = at(2)}, 1, by_q, by_v),
                 ContractError);
  }
}

TEST(PassiveForces, ADamperWhoseForceFallsMayAddToTheStorage) {
  ModelBuilder builder;
  builder.AddJoint(builder.AddBody("arm", ModelBuilder::kWorld, {}, kMass), JointType::kHinge,
                   {.name = "fan", .damping = 1, .damping_poly = {-1.9, 1}});
  const Model model = builder.Build();
  const Eigen::VectorXd half = Eigen::VectorXd::Constant(1, 0.5), s = half * 0.1;
  EXPECT_LT(CalcPassiveDissipation(model, half, s, {.speed = 0.01}), 0);
  EXPECT_GT(CalcPassiveDissipation(model, 4 * half, s, {.speed = 0.01}), 0);
}

TEST(PassiveForces, DampingAloneIsTheRestWithoutSpringsAndFriction) {
  const Model model = TwoJoints();
  Eigen::VectorXd tau = Eigen::Vector2d(10, 20);
  AddDampingForces(model, Eigen::Vector2d(0.5, -0.02), 2, tau);
  EXPECT_EQ(tau, Eigen::Vector2d(8, 20));
}

TEST(PassiveForces, RefuseOtherSizes) {
  const Model model = TwoJoints();
  const Eigen::VectorXd two = Eigen::VectorXd::Zero(2), one = Eigen::VectorXd::Zero(1);
  Eigen::VectorXd tau = two;
  EXPECT_THROW(AddPassiveForces(model, one, two, {.speed = 0.01}, 1, tau), ContractError);
  EXPECT_THROW(AddPassiveForces(model, two, one, {.speed = 0.01}, 1, tau), ContractError);
  EXPECT_THROW(AddPassiveForces(model, two, two, {.speed = 0}, 1, tau), ContractError);
  EXPECT_THROW(CalcPassiveDissipation(model, one, two, {.speed = 0.01}), ContractError);
  EXPECT_THROW(CalcPassiveDissipation(model, two, one, {.speed = 0.01}), ContractError);
  EXPECT_THROW(CalcPassiveDissipation(model, two, two, {.speed = 0}), ContractError);
}

std::string ErrorOfTendon(const TendonProperties& tendon) {
  ModelBuilder builder;
  const int upper = builder.AddBody("upper", ModelBuilder::kWorld, {}, kMass);
  builder.AddJoint(upper, JointType::kBall, {});
  builder.AddJoint(builder.AddBody("lower", upper, {}, kMass), JointType::kUniversal, {});
  try {
    builder.AddTendon(tendon);
    builder.Build();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(PassiveForces, TendonsThatCannotBeAreRefused) {
  const double nan = std::nan("");
  EXPECT_EQ(ErrorOfTendon({.name = "cord", .terms = {{4, 1.0}, {5, -2.0}}, .stiffness = -1}), "");
  for (const int iq : {-1, 0, 3, 6}) {
    EXPECT_THAT(ErrorOfTendon({.name = "cord", .terms = {{iq, 1.0}}}),
                HasSubstr("tendon 'cord': number " + std::to_string(iq) + " of q"));
  }
  EXPECT_THAT(ErrorOfTendon({.terms = {{4, nan}}}), HasSubstr("coefficients must be finite"));
  EXPECT_THAT(ErrorOfTendon({.frictionloss = -1}), HasSubstr("dry friction"));
  EXPECT_THAT(ErrorOfTendon({.damping_poly = {0, nan}}), HasSubstr("damping must be finite"));
  EXPECT_THAT(ErrorOfTendon({.stiffness = nan}), HasSubstr("stiffness must be finite"));
  EXPECT_THAT(ErrorOfTendon({.rest_lower = 1}), HasSubstr("rest_lower and rest_upper"));
}

}  // namespace passive_forces_test
}  // namespace civita
