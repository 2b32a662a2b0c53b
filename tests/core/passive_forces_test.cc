#include "civita/passive_forces.h"

#include <cmath>

#include "civita/error.h"
#include "gtest/gtest.h"

namespace civita {
namespace passive_forces_test {

Model TwoJoints() {
  ModelBuilder builder;
  const MassProperties mass{1, {0, 0, 0.1}, Eigen::Matrix3d::Identity()};
  const int upper = builder.AddBody("upper", ModelBuilder::kWorld, {}, mass);
  builder.AddJoint(upper, JointType::kHinge,
                   {.name = "shoulder", .damping = 2, .stiffness = 5, .spring_reference = 0.25});
  const int lower = builder.AddBody("lower", upper, {}, mass);
  builder.AddJoint(lower, JointType::kHinge, {.name = "elbow", .frictionloss = 3});
  return builder.Build();
}

TEST(PassiveForces, AreThoseOfSpringDampingAndFriction) {
  const Model model = TwoJoints();
  const Eigen::Vector2d q(1, -1), v(0.5, -0.02);
  Eigen::VectorXd tau = Eigen::Vector2d(10, 20);
  AddPassiveForces(model, q, v, 0.01, 1, tau);
  EXPECT_NEAR(tau[0], 10 - 5 * (1 - 0.25) - 2 * 0.5, 1e-14);
  EXPECT_NEAR(tau[1], 20 + 3 * std::tanh(2.0), 1e-14);
  AddPassiveForces(model, q, v, 0.01, -1, tau);
  EXPECT_NEAR((tau - Eigen::Vector2d(10, 20)).norm(), 0, 1e-14);
}

TEST(PassiveForces, RefuseOtherSizes) {
  const Model model = TwoJoints();
  const Eigen::VectorXd two = Eigen::VectorXd::Zero(2), one = Eigen::VectorXd::Zero(1);
  Eigen::VectorXd tau = two;
  EXPECT_THROW(AddPassiveForces(model, one, two, 0.01, 1, tau), ContractError);
  EXPECT_THROW(AddPassiveForces(model, two, one, 0.01, 1, tau), ContractError);
  EXPECT_THROW(AddPassiveForces(model, two, two, 0, 1, tau), ContractError);
}

}  // namespace passive_forces_test
}  // namespace civita
