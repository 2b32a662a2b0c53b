#include "civita/controllers/legs/contact_forces.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "tests/controllers/legs/legged_robot.h"

namespace civita {
namespace contact_forces_test {

using Wrench = Eigen::Matrix<double, 6, 1>;

class ContactForcesTest : public testing::TestWithParam<bool> {
 protected:
  ContactForcesTest()
      : robot(GetParam() ? MakeBiped() : MakeQuadruped()), now(robot.model, *robot.legs) {
    Workspace<double> workspace(robot.model);
    UpdateKinematics(robot.model, robot.q, Eigen::VectorXd::Zero(robot.model.nv()), workspace);
    UpdateLegKinematics(robot.model, *robot.legs, workspace, now);
    load = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(robot.legs->feet.size()));
    free = Eigen::VectorXd::Zero(robot.model.nv());
    weight << 0, 0, 9.81 * now.mass, 0, 0, 0;
  }

  /// The sum of the feet's wrenches about the centre of mass.
  Wrench Sum(const ContactForces& forces) const {
    Wrench sum = Wrench::Zero();
    for (size_t i = 0; i < now.feet.size(); ++i) {
      const Wrench foot = forces.foot_wrench(i);
      sum.head<3>() += foot.tail<3>();
      sum.tail<3>() += foot.head<3>() + (now.feet[i].p - now.c).cross(foot.tail<3>());
    }
    return sum;
  }

  LeggedRobot robot;
  LegKinematics now;
  Eigen::VectorXd load, free;
  Wrench weight;
};

TEST_P(ContactForcesTest, GivesWhatTheFeetCanGive) {
  ContactForces forces(robot.model, *robot.legs);
  Wrench wanted = weight;
  wanted.head<2>() << 0.1 * weight[2], -0.05 * weight[2];
  ASSERT_EQ(forces.Distribute(now, wanted, load, free), ContactForces::Status::kOptimal);
  EXPECT_LE(forces.unmet().norm(), 2e-3 * weight[2]);
  EXPECT_LE((Sum(forces) - wanted - forces.unmet()).norm(), 1e-9 * weight[2]);
}

// While no limit acts the forces are where the objective has no slope.
TEST_P(ContactForcesTest, HaveTheLeastObjectiveWhereNoLimitActs) {
  constexpr double kWeight[6] = {1, 1, 5, 50, 50, 50}, kRegularization = 1e-4;
  ContactForces forces(robot.model, *robot.legs);
  Wrench wanted = weight;
  wanted << 0.01 * weight[2], -0.005 * weight[2], 1.05 * weight[2], 0.3, -0.2, 0.1;
  ASSERT_EQ(forces.Distribute(now, wanted, load, free), ContactForces::Status::kOptimal);
  EXPECT_EQ(forces.iterations(), 1);
  EXPECT_LE((Sum(forces) - wanted - forces.unmet()).norm(), 1e-9 * weight[2]);
  // Aᵀ Q (A f − b) + ε f = 0, of which the sum over a foot's contacts holds for its force.
  const Wrench pull = Eigen::Map<const Wrench>(kWeight).cwiseProduct(forces.unmet());
  for (size_t i = 0; i < now.feet.size(); ++i) {
    Eigen::Vector3d slope = kRegularization * forces.foot_wrench(i).tail<3>();
    for (const Eigen::Vector3d& p : now.feet[i].contacts) {
      slope += pull.head<3>() - (p - now.c).cross(pull.tail<3>());
    }
    EXPECT_LE(slope.norm(), 1e-9) << i;
  }
}

TEST_P(ContactForcesTest, StaysInsideTheInnerPyramid) {
  ContactForces forces(robot.model, *robot.legs);
  const double mu = 0.7 * robot.legs->friction;
  Wrench wanted = weight;
  wanted[0] = 2 * weight[2];
  Eigen::Vector3d ground(0, 0, now.feet[0].p.z() - now.c.z());
  ground.head<2>() = now.FeetCenter() - Point2(now.c.head<2>());
  wanted.tail<3>() = ground.cross(wanted.head<3>());
  forces.Distribute(now, wanted, load, free);
  double largest = 0;
  for (size_t i = 0; i < robot.legs->feet.size(); ++i) {
    const Eigen::Vector3d f = forces.foot_wrench(i).tail<3>();
    EXPECT_GE(f.z(), -1e-6);
    EXPECT_LE(std::abs(f.x()), mu * f.z() + 1e-6);
    if (f.z() > 1) largest = std::max(largest, std::abs(f.x()) / f.z());
  }
  EXPECT_NEAR(largest, mu, 1e-6);
  EXPECT_GT(forces.unmet().head<3>().norm(), 0.3 * weight[2]);
}

// Between the axes, too, a foot keeps a reserve of friction.
TEST_P(ContactForcesTest, StaysInsideTheConeWhateverTheDirection) {
  ContactForces forces(robot.model, *robot.legs);
  const double mu = 0.8 * robot.legs->friction;
  Eigen::Vector3d ground(0, 0, now.feet[0].p.z() - now.c.z());
  ground.head<2>() = now.FeetCenter() - Point2(now.c.head<2>());
  for (const double angle : {0.785398, 2.356194, -0.785398, -2.356194}) {
    Wrench wanted = weight;
    wanted.head<2>() = 2 * weight[2] * Point2(std::cos(angle), std::sin(angle));
    wanted.tail<3>() = ground.cross(wanted.head<3>());
    forces.Distribute(now, wanted, load, free);
    double largest = 0;
    for (size_t i = 0; i < robot.legs->feet.size(); ++i) {
      const Eigen::Vector3d f = forces.foot_wrench(i).tail<3>();
      if (f.z() > 1) largest = std::max(largest, f.head<2>().norm() / f.z());
      EXPECT_LE(f.head<2>().lpNorm<1>(), std::sqrt(2) * mu * f.z() + 1e-6) << angle;
    }
    EXPECT_LE(largest, 1.03 * mu) << "a corner of the eight, at " << angle;
    EXPECT_GT(largest, 0.99 * mu) << angle;
  }
}

TEST_P(ContactForcesTest, AFootWithoutLoadGivesNothing) {
  ContactForces forces(robot.model, *robot.legs);
  load[0] = 0;
  forces.Distribute(now, weight, load, free);
  EXPECT_EQ(forces.foot_wrench(0), Wrench(Wrench::Zero()));
  load.setZero();
  EXPECT_EQ(forces.Distribute(now, weight, load, free), ContactForces::Status::kNoContact);
  EXPECT_EQ(forces.unmet(), Wrench(-weight));
}

TEST_P(ContactForcesTest, PressureFollowsTheMoment) {
  ContactForces forces(robot.model, *robot.legs);
  Wrench wanted = weight;
  wanted[4] = -0.02 * weight[2];  // about y: 2 cm forward
  forces.Distribute(now, wanted, load, free);
  EXPECT_NEAR(forces.center_of_pressure().x(), now.c.x() + 0.02, 2e-4);
  EXPECT_NEAR(forces.center_of_pressure().y(), now.c.y(), 2e-4);
}

TEST_P(ContactForcesTest, KeepsTorquesWithinTheirLimits) {
  ContactForces easy(robot.model, *robot.legs);
  easy.Distribute(now, weight, load, free);
  const auto torque = [&](const ContactForces& forces) {
    Eigen::VectorXd tau = free;
    for (size_t i = 0; i < now.feet.size(); ++i) {
      tau -= now.feet[i].J.transpose() * forces.foot_wrench(i);
    }
    return tau;
  };
  const Eigen::VectorXd tau = torque(easy).tail(robot.model.nv() - 6);
  Eigen::Index worst = 0;
  const double most = tau.cwiseAbs().maxCoeff(&worst);
  robot.legs->tau_max[worst + 6] = 0.95 * most;
  ContactForces limited(robot.model, *robot.legs);
  ASSERT_EQ(limited.Distribute(now, weight, load, free), ContactForces::Status::kTorqueRows);
  EXPECT_LE(std::abs(torque(limited)[worst + 6]), 0.95 * most + 1e-6);
  EXPECT_LE(limited.unmet().norm(), 0.1 * weight[2]);
}

INSTANTIATE_TEST_SUITE_P(Robots, ContactForcesTest, testing::Bool());

}  // namespace contact_forces_test
}  // namespace civita
