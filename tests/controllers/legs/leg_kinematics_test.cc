#include "controllers/legs/leg_kinematics.h"

#include <gtest/gtest.h>

#include "controllers/legs/leg_tasks.h"
#include "tests/controllers/legs/legged_robot.h"

namespace civita {
namespace {

constexpr double kStep = 1e-6;

LegKinematics At(const LeggedRobot& robot, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  LegOptions legs = *robot.legs;
  legs.momentum_weight = 1;
  Workspace<double> workspace(robot.model);
  UpdateKinematics(robot.model, q, v, workspace);
  LegKinematics now(robot.model, legs);
  UpdateLegKinematics(robot.model, legs, workspace, now);
  return now;
}

Eigen::VectorXd Moved(const LeggedRobot& robot, const Eigen::VectorXd& q,
                      const Eigen::VectorXd& dq) {
  Eigen::VectorXd moved(q.size());
  IntegratePosition(robot.model, q, dq, moved);
  return moved;
}

class LegKinematicsTest : public testing::TestWithParam<int> {
 protected:
  LegKinematicsTest() : robot(GetParam() == 6 ? MakeBiped() : MakeQuadruped(GetParam())) {
    std::mt19937 random(7);
    q = Moved(robot, robot.q, Near(robot, 0.3, &random));
    v = Near(robot, 2, &random);
    now = std::make_unique<LegKinematics>(At(robot, q, v));
    after = std::make_unique<LegKinematics>(At(robot, Moved(robot, q, kStep * v), v));
    before = std::make_unique<LegKinematics>(At(robot, Moved(robot, q, -kStep * v), v));
  }

  LeggedRobot robot;
  Eigen::VectorXd q, v;
  std::unique_ptr<LegKinematics> now, after, before;
};

// A ball touches at its lowest point, which the rolling ball leaves behind: the velocity is that of
// the centre and ω × (−r z).
TEST_P(LegKinematicsTest, VelocitiesAreRatesOfPositions) {
  EXPECT_LE(((after->c - before->c) / (2 * kStep) - now->cdot).norm(), 1e-8);
  for (size_t i = 0; i < now->feet.size(); ++i) {
    const FootKinematics& foot = now->feet[i];
    Eigen::Vector3d rate = (after->feet[i].p - before->feet[i].p) / (2 * kStep);
    const Foot& as_given = robot.legs->feet[i];
    if (!as_given.flat()) rate += foot.w.cross(Eigen::Vector3d(0, 0, -as_given.radius));
    EXPECT_LE((rate - foot.v).norm(), 1e-7) << i;
    EXPECT_LE((foot.J.bottomRows<3>() * v - foot.v).norm(), 1e-12);
  }
}

TEST_P(LegKinematicsTest, JacobianDerivativesAreTheirRates) {
  EXPECT_LE(((after->J_com - before->J_com) / (2 * kStep) - now->Jdot_com).norm(), 1e-6);
  for (size_t i = 0; i < now->feet.size(); ++i) {
    const Eigen::MatrixXd rate = (after->feet[i].J - before->feet[i].J) / (2 * kStep);
    EXPECT_LE((rate - now->feet[i].Jdot).norm(), 1e-6) << i;
  }
}

TEST_P(LegKinematicsTest, ContactsAreTheLowestPointsOfTheBalls) {
  for (size_t i = 0; i < now->feet.size(); ++i) {
    const Foot& foot = robot.legs->feet[i];
    Workspace<double> workspace(robot.model);
    UpdateKinematics(robot.model, q, workspace);
    const FramePose<double> pose = CalcFramePose(robot.model, foot.frame, workspace);
    for (size_t k = 0; k < foot.points.size(); ++k) {
      const Eigen::Vector3d lowest =
          pose.p + pose.R * foot.points[k] - foot.radius * Eigen::Vector3d::UnitZ();
      EXPECT_LE((lowest - now->feet[i].contacts[k]).norm(), 1e-14);
    }
  }
}

// The tasks are as many as the coordinates, and v_r does what they ask, but for the damping.
TEST_P(LegKinematicsTest, ReferenceVelocityMovesTheTasks) {
  LegTasks tasks(robot.model, *robot.legs, robot.q);
  ASSERT_EQ(tasks.rows(), robot.model.nv());
  std::mt19937 random(11);
  const Eigen::VectorXd asked = Near(robot, 1, &random);
  Eigen::VectorXd v_r(robot.model.nv());
  tasks.Update(*now, false);
  tasks.SolveVelocity(asked, v_r);
  EXPECT_LE((now->J_com * v_r - asked.head<3>()).norm(), 0.03);
  EXPECT_LE((v_r.segment<3>(3) - asked.segment<3>(3)).norm(), 0.03);
  for (size_t i = 0; i < now->feet.size(); ++i) {
    const Eigen::Vector3d foot = now->feet[i].J.bottomRows<3>() * v_r;
    EXPECT_LE((foot - asked.segment<3>(tasks.foot_row(i))).norm(), 0.05);
  }
  const Eigen::MatrixXd& P = tasks.posture();
  const Eigen::VectorXd posture = P * v_r.tail(robot.model.nv() - 6);
  EXPECT_LE((posture - asked.segment(tasks.posture_row(), P.rows())).norm(), 0.05);
  EXPECT_LE((P * P.transpose() - Eigen::MatrixXd::Identity(P.rows(), P.rows())).norm(), 1e-12);
}

// Along the motion v_r: d/dt (J v_r) = ẍ_r when v̇_r is the rate of v_r.
TEST_P(LegKinematicsTest, ReferenceAccelerationMovesTheTasks) {
  LegTasks tasks(robot.model, *robot.legs, robot.q);
  std::mt19937 random(12);
  const Eigen::VectorXd asked = Near(robot, 1, &random);
  const Eigen::VectorXd v_r = Near(robot, 1, &random);
  Eigen::VectorXd vdot_r(robot.model.nv());
  tasks.Update(*now, false);
  tasks.SolveAcceleration(*now, asked, v_r, vdot_r);
  const auto rate = [&](const auto& J, const auto& Jdot) {
    return Eigen::VectorXd(J * vdot_r + Jdot * v_r);
  };
  EXPECT_LE((rate(now->J_com, now->Jdot_com) - asked.head<3>()).norm(), 0.1);
  for (size_t i = 0; i < now->feet.size(); ++i) {
    const FootKinematics& foot = now->feet[i];
    const Eigen::VectorXd a = rate(foot.J.bottomRows<3>(), foot.Jdot.bottomRows<3>());
    EXPECT_LE((a - asked.segment<3>(tasks.foot_row(i))).norm(), 0.2);
  }
}

INSTANTIATE_TEST_SUITE_P(Robots, LegKinematicsTest, testing::Values(3, 5, 6));

TEST(LegTasksTest, LegsWithTooFewJointsAreRefused) {
  LeggedRobot robot = MakeQuadruped(3);
  for (Foot& foot : robot.legs->feet) {
    foot.points = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}};  // flat: wants six
  }
  EXPECT_THROW(LegTasks(robot.model, *robot.legs, robot.q), UserError);
}

}  // namespace
}  // namespace civita
