#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "civita/scenes/plant/plant_errors.h"
#include "civita/scenes/scene.h"

namespace civita {
namespace speed_limits_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(SpeedLimits, AreTheUserNumbersOfALeggedRobotsMotors) {
  const auto scene = LoadScene(ReadConfig("quadruped"));
  const mjModel& m = *scene->mj;
  const Eigen::VectorXd limits = scene->actuation.speed_max();
  EXPECT_EQ(limits[0], kInfinity);
  ASSERT_GT(m.nuser_actuator, 0);
  for (int i = 0; i < m.nu; ++i) {
    const double limit = limits[m.jnt_dofadr[m.actuator_trnid[2 * i]]];
    EXPECT_EQ(limit, m.actuator_user[m.nuser_actuator * i]);
    EXPECT_LT(limit, 100);
  }
  const auto given = LoadScene(ReadConfig("quadruped", {"plant.speed_limit=7"}));
  EXPECT_EQ(given->actuation.speed_max(), Eigen::VectorXd::Constant(limits.size(), 7));
  EXPECT_EQ(LoadScene(ReadConfig("planar_2r"))->actuation.speed_max()[0], kInfinity);
}

/// A hinge behind a ball joint, with these actuators.
Eigen::VectorXd LimitsOf(const std::string& actuators) {
  const std::string xml = R"(<mujoco><size nuser_actuator="1"/>
    <option actuatorgroupdisable="5"/><worldbody>
    <body><joint name="ball" type="ball"/><geom size=".1"/>
    <body pos="1 0 0"><joint name="knee" axis="0 1 0"/><geom size=".1"/></body></body></worldbody>
    <actuator>)" + actuators +
                          "</actuator></mujoco>";
  char error[500] = "";
  const std::unique_ptr<mjSpec, decltype(&mj_deleteSpec)> spec(
      mj_parseXMLString(xml.c_str(), nullptr, error, sizeof error), &mj_deleteSpec);
  EXPECT_NE(spec, nullptr) << error;
  const std::unique_ptr<mjModel, MjModelDeleter> m(mj_compile(spec.get(), nullptr));
  EXPECT_NE(m, nullptr) << mjs_getError(spec.get());
  return FindSpeedLimits({}, true, *m);
}

// Of actuators on joints, whatever has several controls beside them.
TEST(SpeedLimits, AreTheLeastOfTheActuatorsThatAct) {
  const Eigen::VectorXd limits = LimitsOf(R"(
    <orientation joint="ball" kp="4" user="2"/>
    <motor joint="knee" user="12"/><motor jointinparent="knee" user="9"/>
    <motor joint="knee" user="3" group="5"/><motor joint="knee"/>)");
  EXPECT_EQ(limits[3], 9);
  EXPECT_EQ(limits[0], kInfinity);
}

TEST(SpeedLimits, TorqueAlongTheMotionFades) {
  const auto scene = LoadScene(ReadConfig("planar_2r", {"plant.speed_limit=[10, 20]"}));
  const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(scene->mj.get()));
  Eigen::VectorXd applied(2);
  const Eigen::Vector2d tau(1, -2);
  struct Case {
    double share, left;
  };
  for (const Case& c : {Case{0, 1}, {0.5, 1}, {0.9, 1}, {0.95, 0.5}, {0.98, 0.2}, {1, 0}, {3, 0}}) {
    d->qvel[0] = 10 * c.share;
    d->qvel[1] = -20 * c.share;
    EXPECT_EQ(scene->actuation.Apply(tau, d.get(), applied), c.left < 1);
    EXPECT_LE((applied - c.left * tau).norm(), 1e-12) << c.share;
    // Torque against the motion is not reduced.
    EXPECT_FALSE(scene->actuation.Apply(-tau, d.get(), applied));
    EXPECT_EQ(applied, -tau);
  }
}

}  // namespace speed_limits_test
}  // namespace civita
