#include "civita/controllers/legs/leg_kinematics.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "civita/controllers/legs/leg_tasks.h"
#include "civita/error.h"
#include "tests/controllers/closed_loop.h"
#include "tests/controllers/legs/legged_robot.h"
#include "tests/oracles/core_dynamics.h"

namespace civita {
namespace leg_kinematics_test {

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
  IntegratePosition(robot.model, q, dq, 1, moved);
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

// A ball touches at its lowest point, which the rolling ball leaves behind: the velocity is that
// of the centre plus ω × (−r z).
TEST_P(LegKinematicsTest, VelocitiesAreRatesOfPositions) {
  EXPECT_LE(((after->c - before->c) / (2 * kStep) - now->cdot).norm(), 1e-8);
  for (size_t i = 0; i < now->feet.size(); ++i) {
    const FootKinematics& foot = now->feet[i];
    Eigen::Vector3d rate = (after->feet[i].p - before->feet[i].p) / (2 * kStep);
    EXPECT_LE((rate - foot.pdot).norm(), 1e-7) << i;
    const Foot& as_given = robot.legs->feet[i];
    if (!as_given.flat()) rate += foot.w.cross(Eigen::Vector3d(0, 0, -as_given.radius));
    EXPECT_LE((rate - foot.v).norm(), 1e-7) << i;
    EXPECT_LE((foot.J.bottomRows<3>() * v - foot.v).norm(), 1e-12);
  }
}

TEST_P(LegKinematicsTest, JacobianDerivativesAreTheirRates) {
  EXPECT_LE(((after->J_com - before->J_com) / (2 * kStep) - now->Jdot_com).norm(), 1e-6);
  EXPECT_LE(((after->A_G - before->A_G) / (2 * kStep) - now->Adot_G).norm(), 1e-6);
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
    const Pose pose = CalcFramePose(robot.model, foot.frame, workspace);
    for (size_t k = 0; k < foot.points.size(); ++k) {
      const Eigen::Vector3d lowest =
          pose.p + pose.R * foot.points[k] - foot.radius * Eigen::Vector3d::UnitZ();
      EXPECT_LE((lowest - now->feet[i].contacts[k]).norm(), 1e-14);
    }
  }
}

/// J and J̇ of the tasks, assembled independently.
struct Rows {
  Eigen::MatrixXd J, Jdot;
  double damping;
};
Rows StackTasks(const LeggedRobot& robot, const LegKinematics& now, const LegTasks& tasks) {
  const int nv = robot.model.nv();
  const bool flat = robot.legs->feet.front().flat();
  Rows rows{Eigen::MatrixXd::Zero(nv, nv), Eigen::MatrixXd::Zero(nv, nv), flat ? 1e-3 : 1e-4};
  rows.J.topRows<3>() = now.J_com;
  rows.Jdot.topRows<3>() = now.Jdot_com;
  rows.J.block<3, 3>(3, 3).setIdentity();
  int row = 6;
  for (const FootKinematics& foot : now.feet) {
    rows.J.middleRows<3>(row) = foot.J.bottomRows<3>();
    rows.Jdot.middleRows<3>(row) = foot.Jdot.bottomRows<3>();
    row += 3;
    if (!flat) continue;
    rows.J.middleRows<3>(row) = foot.J.topRows<3>();
    rows.Jdot.middleRows<3>(row) = foot.Jdot.topRows<3>();
    row += 3;
  }
  EXPECT_EQ(row, tasks.posture_row());
  rows.J.bottomRightCorner(nv - row, nv - 6) = tasks.posture();
  return rows;
}

// There are as many tasks as coordinates; v_r and v̇_r are their damped least-squares solutions.
TEST_P(LegKinematicsTest, ReferencesAreDampedLeastSquares) {
  LegTasks tasks(robot.model, *robot.legs, robot.q);
  ASSERT_EQ(tasks.rows(), robot.model.nv());
  std::mt19937 random(11);
  const Eigen::VectorXd asked = Near(robot, 1, &random), rate = Near(robot, 1, &random);
  Eigen::VectorXd v_r(robot.model.nv()), vdot_r(robot.model.nv());
  tasks.Update(*now, false, true);
  tasks.SolveVelocity(asked, v_r);
  tasks.SolveAcceleration(asked, rate, v_r, vdot_r);
  const Rows rows = StackTasks(robot, *now, tasks);
  const Eigen::VectorXd of_v = rows.J.transpose() * (rows.J * v_r - asked) + rows.damping * v_r;
  EXPECT_LE(of_v.norm(), 1e-10);
  // The rate of v_r.
  const Eigen::VectorXd of_a = rows.J.transpose() * (rows.J * vdot_r + rows.Jdot * v_r - rate) +
                               rows.Jdot.transpose() * (rows.J * v_r - asked) +
                               rows.damping * vdot_r;
  EXPECT_LE(of_a.norm(), 1e-9);
  EXPECT_LE((rows.J * v_r - asked).norm(), 0.2 * asked.norm());
}

TEST_P(LegKinematicsTest, MomentumIsDampedWhenAskedAlone) {
  LegTasks without(robot.model, *robot.legs, robot.q);
  robot.legs->momentum_weight = 0.1;
  LegTasks with(robot.model, *robot.legs, robot.q);
  ASSERT_EQ(with.rows(), without.rows() + 3);
  std::mt19937 random(12);
  Eigen::VectorXd asked = Eigen::VectorXd::Zero(with.rows());
  asked.head(without.rows()) = Near(robot, 1, &random);
  Eigen::VectorXd v_r(robot.model.nv()), still(robot.model.nv()), free(robot.model.nv());
  without.Update(*now, false, true);
  without.SolveVelocity(asked.head(without.rows()), free);
  with.Update(*now, false, false);
  with.SolveVelocity(asked, v_r);
  EXPECT_LE((v_r - free).norm(), 1e-12 * free.norm());
  with.Update(*now, false, true);
  with.SolveVelocity(asked, still);
  EXPECT_LT((now->A_G.topRows<3>() * still).norm(), (now->A_G.topRows<3>() * free).norm());
}

// The response to accelerations of the trunk's rows is that of the solution to these alone.
TEST_P(LegKinematicsTest, TheTrunksResponseIsThatOfItsRows) {
  LegTasks tasks(robot.model, *robot.legs, robot.q);
  tasks.Update(*now, false, true);
  const int nv = robot.model.nv();
  const Eigen::MatrixXd H = CalcCoreDynamics(robot.model, q, v).H;
  const Eigen::MatrixXd response = tasks.CalcTrunkResponse(H);
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(nv);
  for (int row = 0; row < 6; ++row) {
    Eigen::VectorXd vdot(nv), W = none;
    tasks.SolveAcceleration(none, Eigen::VectorXd::Unit(nv, row), none, vdot);
    const Eigen::VectorXd force = H * vdot;
    tasks.AddTrunkResponse(H, Eigen::Matrix<double, 6, 1>::Unit(row), W);
    EXPECT_LE((W - force).norm(), 1e-12 * force.norm());
    EXPECT_LE((response.col(row) - force.head<6>()).norm(), 1e-12 * force.norm());
  }
}

// H and C have what moves with the mass, whatever the factorization.
TEST_P(LegKinematicsTest, TheMassMovesAsItsMatricesSay) {
  LegOptions legs = *robot.legs;
  legs.momentum_weight = 1;
  Workspace<double> workspace(robot.model);
  UpdateKinematics(robot.model, q, v, workspace);
  for (const Factorization& factorization : AdmissibleFactorizations(robot.model)) {
    const CoreDynamics d = CalcCoreDynamics(robot.model, q, v, factorization);
    const CoriolisIn<double> matrices{.C = d.C, .H = d.H};
    LegKinematics of_matrices(robot.model, legs);
    ASSERT_TRUE(of_matrices.base_moves_all);
    UpdateLegKinematics(robot.model, legs, workspace, of_matrices, &matrices);
    EXPECT_LE((of_matrices.c - now->c).norm(), 1e-13);
    EXPECT_LE((of_matrices.cdot - now->cdot).norm(), 1e-12);
    EXPECT_LE((of_matrices.J_com - now->J_com).norm(), 1e-13);
    EXPECT_LE((of_matrices.Jdot_com - now->Jdot_com).norm(), 1e-12);
    EXPECT_LE((of_matrices.A_G - now->A_G).norm(), 1e-12 * now->A_G.norm());
    EXPECT_LE((of_matrices.Adot_G - now->Adot_G).norm(), 1e-12 * now->Adot_G.norm());
  }
}

TEST_P(LegKinematicsTest, PostureLeavesTheFeetAlone) {
  const LegTasks tasks(robot.model, *robot.legs, robot.q);
  const Eigen::MatrixXd& P = tasks.posture();
  EXPECT_LE((P * P.transpose() - Eigen::MatrixXd::Identity(P.rows(), P.rows())).norm(), 1e-12);
  const LegKinematics standing = At(robot, robot.q, 0 * v);
  for (const FootKinematics& foot : standing.feet) {
    const auto J = foot.J.rightCols(robot.model.nv() - 6);
    EXPECT_LE((J.bottomRows<3>() * P.transpose()).norm(), 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Robots, LegKinematicsTest, testing::Values(3, 5, 6));

TEST(LegTasksTest, LegsWithTooFewJointsAreRefused) {
  LeggedRobot robot = MakeQuadruped(3);
  for (Foot& foot : robot.legs->feet) {
    foot.points = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}};  // flat: needs six
  }
  EXPECT_THROW(LegTasks(robot.model, *robot.legs, robot.q), UserError);
}

}  // namespace leg_kinematics_test
}  // namespace civita
