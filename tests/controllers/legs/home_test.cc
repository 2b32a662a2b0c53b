#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <memory>
#include <numbers>
#include <random>

#include "civita/controllers/legs/leg_kinematics.h"
#include "civita/controllers/legs/whole_body.h"
#include "tests/controllers/legs/legged_robot.h"

namespace civita {
namespace home_test {

Eigen::Matrix3d AnyRotation(std::mt19937* random) {
  std::normal_distribution<double> normal;
  return Eigen::Quaterniond(normal(*random), normal(*random), normal(*random), normal(*random))
      .normalized()
      .toRotationMatrix();
}

/// The same robot, with each foot described in other axes of its body.
LeggedRobot WithTurnedSoles(LeggedRobot robot, std::mt19937* random) {
  robot.legs = std::make_shared<LegOptions>(*robot.legs);
  for (Foot& foot : robot.legs->feet) {
    const Eigen::Matrix3d R = AnyRotation(random);
    foot.frame.X_BF.R = foot.frame.X_BF.R * R;
    for (Eigen::Vector3d& point : foot.points) point = R.transpose() * point;
  }
  return robot;
}

std::unique_ptr<WholeBody> MakeLaw(const LeggedRobot& robot) {
  ControllerOptions options;
  options.legs = robot.legs;
  options.q_start = robot.q;
  return std::make_unique<WholeBody>(robot.model, options, false);
}

struct Step {
  Eigen::VectorXd s, tau;
};

Step RunOnce(const LeggedRobot& robot, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  const auto law = MakeLaw(robot);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(robot.model.nv());
  const ReferenceState reference{robot.q, zero, zero};
  Measurement measured{0, robot.q, zero, Eigen::VectorXd::Ones(2)};
  law->ResetState(measured, reference);
  measured.q = q;
  measured.v = v;
  ControlOutput output(*law);
  EXPECT_EQ(law->CalcControl(measured, reference, output), Status::kOk);
  return {output.s, output.tau};
}

// The axes in which a file describes its soles mean nothing to the law.
TEST(Home, AxesOfSolesDoNotMatter) {
  std::mt19937 random(3);
  const LeggedRobot robot = MakeBiped();
  for (int trial = 0; trial < 5; ++trial) {
    const LeggedRobot turned = WithTurnedSoles(robot, &random);
    Eigen::VectorXd q(robot.q.size());
    IntegratePosition(robot.model, robot.q, Near(robot, 0.05, &random), 1, q);
    const Eigen::VectorXd v = Near(robot, 0.2, &random);
    const Step a = RunOnce(robot, q, v), b = RunOnce(turned, q, v);
    EXPECT_GT(a.s.norm(), 0.1);
    EXPECT_LT((a.s - b.s).norm(), 1e-9 * a.s.norm());
    EXPECT_LT((a.tau - b.tau).norm(), 1e-7 * a.tau.norm());
  }
}

// Whatever heading the robot and whatever axes its soles have at home, the law begins at rest
// there.
TEST(Home, IsWhereTheLawRests) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 5; ++trial) {
    LeggedRobot robot = WithTurnedSoles(MakeBiped(), &random);
    const Eigen::Quaterniond attitude(Eigen::AngleAxisd(1.3 * trial, Eigen::Vector3d::UnitZ()));
    robot.q.segment<4>(3) << attitude.w(), attitude.x(), attitude.y(), attitude.z();
    const Step step = RunOnce(robot, robot.q, Eigen::VectorXd::Zero(robot.model.nv()));
    EXPECT_LT(step.s.norm(), 1e-5);  // what the contact forces leave unmet
  }
}

// Ahead may be any way of the base.
TEST(Home, AheadIsGiven) {
  LeggedRobot robot = MakeBiped();
  const Eigen::Quaterniond attitude(Eigen::AngleAxisd(0.4, Eigen::Vector3d::UnitZ()));
  robot.q.segment<4>(3) << attitude.w(), attitude.x(), attitude.y(), attitude.z();
  LegOptions legs = *robot.legs;
  legs.ahead = Eigen::Vector3d(0, -3, 0);
  TakeHome(robot.model, robot.q, &legs);
  const Eigen::Matrix3d R_yaw = attitude.toRotationMatrix() * legs.R_home.transpose();
  EXPECT_NEAR(std::atan2(R_yaw(1, 0), R_yaw(0, 0)), 0.4 - std::numbers::pi / 2, 1e-12);
}

// The heading at home is that of the base's x axis; near the vertical, the world's x.
TEST(Home, HeadingIsTheBasesXAxis) {
  LeggedRobot robot = MakeBiped();
  const auto heading_of = [&robot](const Eigen::Matrix3d& R) {
    const Eigen::Quaterniond attitude(R);
    robot.q.segment<4>(3) << attitude.w(), attitude.x(), attitude.y(), attitude.z();
    LegOptions legs = *robot.legs;
    TakeHome(robot.model, robot.q, &legs);
    const Eigen::Matrix3d R_yaw = R * legs.R_home.transpose();
    EXPECT_LT((R_yaw.col(2) - Eigen::Vector3d::UnitZ()).norm(), 1e-12);
    Workspace<double> workspace(robot.model);
    UpdateKinematics(robot.model, robot.q, workspace);
    for (const Foot& foot : legs.feet) {
      EXPECT_LT((CalcFramePose(robot.model, foot.frame, workspace).R - R_yaw).norm(), 1e-12);
    }
    return std::atan2(R_yaw(1, 0), R_yaw(0, 0));
  };
  const auto about = [](double angle, const Eigen::Vector3d& axis) {
    return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
  };
  const Eigen::Vector3d y = Eigen::Vector3d::UnitY(), z = Eigen::Vector3d::UnitZ();
  EXPECT_NEAR(heading_of(about(0.7, z)), 0.7, 1e-12);
  EXPECT_NEAR(heading_of(about(-2, z) * about(0.4, y)), -2, 1e-12);
  EXPECT_NEAR(heading_of(about(0.7, z) * about(-1.5, y)), 0, 1e-12);
}

}  // namespace home_test
}  // namespace civita
