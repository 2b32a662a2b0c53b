// How hard a robot can be pushed that stands without a step.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "civita/centroidal.h"
#include "civita/controllers/legs/standing.h"
#include "tests/controllers/legs/legged_robot.h"

namespace civita {
namespace push_ceiling_test {

constexpr double kGravity = 9.81;

struct Stand {
  Eigen::Vector3d c;            // of mass, above the plane z = 0
  std::vector<Point2> corners;  // where the feet touch
};

Stand StandOf(const LeggedRobot& robot) {
  Workspace<double> workspace(robot.model);
  UpdateKinematics(robot.model, robot.q, workspace);
  Stand stand{CalcCenterOfMass(robot.model, workspace), {}};
  for (const Foot& foot : robot.legs->feet) {
    const Pose pose = CalcFramePose(robot.model, foot.frame, workspace);
    stand.corners.emplace_back((pose.p + pose.R * foot.points.front()).head<2>());
  }
  return stand;
}

Point2 Way(double angle) { return {std::cos(angle), std::sin(angle)}; }

TEST(PushCeiling, WithoutLimitsItIsThePendulumsOverTheSupport) {
  LeggedRobot robot = MakeQuadruped();
  robot.legs->tau_max.setConstant(std::numeric_limits<double>::infinity());
  robot.legs->friction = 5;
  const Stand stand = StandOf(robot);
  for (double angle = 0.1; angle < 2 * std::numbers::pi; angle += 0.5) {
    const PushCeiling ceiling = CalcPushCeiling(robot.model, *robot.legs, robot.q, Way(angle));
    const double d = SupportPolygon(stand.corners).Ray(stand.c.head<2>(), Way(angle));
    EXPECT_NEAR(ceiling.distance, d, 1e-4 * d);
    EXPECT_NEAR(ceiling.impulse, CalcTotalMass(robot.model) * std::sqrt(kGravity / stand.c.z()) * d,
                1e-3);
    EXPECT_EQ(ceiling.joint, -1);
    EXPECT_FALSE(ceiling.by_friction);
  }
}

TEST(PushCeiling, OnSlipperyGroundItIsThatOfTheFriction) {
  LeggedRobot robot = MakeQuadruped();
  robot.legs->friction = 0.1;
  const Stand stand = StandOf(robot);
  const PushCeiling ceiling = CalcPushCeiling(robot.model, *robot.legs, robot.q, Way(0.7));
  EXPECT_NEAR(ceiling.distance, 0.1 * stand.c.z(), 1e-4);
  EXPECT_TRUE(ceiling.by_friction);
}

// Under gravity that leans by the acceleration −ω² d u the robot stands still, or it does not: soft
// rows of ContactForces leave some of the wrench unmet near the limit.
constexpr double kUnmet = 0.01;
bool Stands(double limit, double d, const Point2& u, double height) {
  const Eigen::Vector3d leaning(kGravity / height * d * u.x(), kGravity / height * d * u.y(),
                                -kGravity);
  LeggedRobot robot = MakeQuadruped(3, 8, leaning);
  robot.legs->tau_max.tail(robot.model.nv() - 6).setConstant(limit);
  robot.legs->friction = 5;
  const Standing standing = CalcStanding(robot.model, *robot.legs, robot.q);
  return standing.unmet_force < kUnmet && standing.unmet_moment < kUnmet &&
         standing.tau.tail(robot.model.nv() - 6).cwiseAbs().maxCoeff() < limit + 1e-6;
}

TEST(PushCeiling, EffortLimitsBoundItAsTheyBoundAStandUnderLeaningGravity) {
  for (const double limit : {8.0, 9.0, 10.0}) {
    for (const double angle : {0.3, 1.8, 4.0}) {
      LeggedRobot robot = MakeQuadruped();
      const double height = StandOf(robot).c.z();
      robot.legs->tau_max.tail(robot.model.nv() - 6).setConstant(limit);
      robot.legs->friction = 5;
      const PushCeiling ceiling = CalcPushCeiling(robot.model, *robot.legs, robot.q, Way(angle));
      double low = 0, high = 0.3;
      while (high - low > 1e-4) {
        const double d = (low + high) / 2;
        (Stands(limit, d, Way(angle), height) ? low : high) = d;
      }
      EXPECT_NEAR(ceiling.distance, low, 0.04 * low) << limit << " N·m, " << angle << " rad";
      EXPECT_GE(ceiling.joint, 6);
    }
  }
}

TEST(PushCeiling, ItIsZeroWhereTheJointsCannotHoldTheRobot) {
  LeggedRobot robot = MakeQuadruped();
  robot.legs->tau_max.tail(robot.model.nv() - 6).setConstant(0.5);
  EXPECT_EQ(CalcPushCeiling(robot.model, *robot.legs, robot.q, Way(1)).impulse, 0);
}

}  // namespace push_ceiling_test
}  // namespace civita
