// How actuators that act on several coordinates drive them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/scenes/scene_fixture.h"

namespace civita {
namespace tendon_drives_test {

using Eigen::VectorXd;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class TendonDrives : public SceneTest {
 protected:
  /// Three hinges side by side, of which two are on a fixed tendon.
  std::unique_ptr<Scene> Three(const std::string& actuators, const std::string& b = "",
                               const std::string& tendon = "") {
    return Load(R"(<mujoco><worldbody>
      <body><joint name="a" axis="0 1 0"/><geom size=".05" pos=".2 0 0"/></body>
      <body pos="0 1 0"><joint name="b" axis="0 1 0" )" +
                b + R"(/><geom size=".05" pos=".3 0 0"/></body>
      <body pos="0 2 0"><joint name="c" axis="0 1 0"/><geom size=".05" pos=".1 0 0"/></body>
      </worldbody><tendon><fixed name="t" )" +
                tendon + R"(><joint joint="b" coef=".5"/><joint joint="c" coef="-2"/></fixed>
      <fixed name="one"><joint joint="b" coef="3"/></fixed></tendon><actuator>)" +
                actuators + "</actuator></mujoco>");
  }
};

/// The torque after limits and the resulting joint forces in MuJoCo.
struct Driven {
  Driven(const Scene& scene, const VectorXd& tau, const VectorXd& v = {})
      : applied(VectorXd::Zero(tau.size())) {
    const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(scene.mj.get()));
    for (Eigen::Index i = 0; i < v.size(); ++i) d->qvel[i] = v[i];
    limited = scene.actuation.Apply(tau, d.get(), applied);
    mj_forward(scene.mj.get(), d.get());
    felt = Eigen::Map<VectorXd>(d->qfrc_applied, tau.size()) +
           Eigen::Map<VectorXd>(d->qfrc_actuator, tau.size());
  }
  VectorXd applied, felt;
  bool limited = false;
};

void ExpectTorques(const Driven& driven, const VectorXd& expected) {
  EXPECT_LE((driven.applied - expected).norm(), 1e-12) << driven.applied.transpose();
  EXPECT_LE((driven.felt - expected).norm(), 1e-12) << driven.felt.transpose();
}

constexpr const char* kMotors[] = {
    "<motor tendon='t' gear='-3' ctrlrange='-2 1'/>",    // −3 … 6
    "<motor tendon='t' gear='.5' forcerange='-6 12'/>",  // −3 … 6
    "<position tendon='t' kp='9' forcerange='-3 6'/>",   // driven directly
    "<general tendon='t' biastype='affine' gainprm='7' biasprm='0 -1 0' forcerange='-3 6'/>"};

TEST_F(TendonDrives, AMotorDrivesTheJointsOfATendonByItsCoefficients) {
  const Eigen::Vector3d row(0, .5, -2);
  for (const char* motor : kMotors) {
    SCOPED_TRACE(motor);
    const auto scene = Three(motor);
    EXPECT_TRUE(scene->actuation.lower().isApprox(Eigen::Vector3d(0, -1.5, -12)));
    EXPECT_TRUE(scene->actuation.upper().isApprox(Eigen::Vector3d(0, 3, 6)));
    for (const double force : {-2.9, 0.0, 1.0, 5.9}) {
      const Driven driven(*scene, force * row);
      ExpectTorques(driven, force * row);
      EXPECT_FALSE(driven.limited);
    }
    const Driven high(*scene, 8 * row), low(*scene, -4 * row);
    ExpectTorques(high, 6 * row);
    ExpectTorques(low, -3 * row);
    EXPECT_TRUE(high.limited);
    EXPECT_TRUE(low.limited);
    EXPECT_THAT(scene->notices, Contains("joints that nothing drives stay passive: a"));
  }
}

TEST_F(TendonDrives, ServosOfTendonsAreReplacedWithANote) {
  const auto scene = Three("<position name='servo' tendon='t' kp='9' forcerange='-3 6'/>");
  EXPECT_THAT(scene->notices,
              Contains("actuators that are no plain motors are switched off, and their fixed "
                       "tendons driven directly within the force ranges: servo"));
}

TEST_F(TendonDrives, RangesOfTheTendonAndOfJointsCount) {
  const Eigen::Vector3d row(0, .5, -2);
  for (const char* motor : {"<motor tendon='t'/>", "<position tendon='t' kp='9'/>"}) {
    const auto scene = Three(motor, "actuatorfrcrange='-1 1'", "actuatorfrcrange='-9 9'");
    const Driven driven(*scene, 12 * row);
    ExpectTorques(driven, Eigen::Vector3d(0, 1, -18));
    EXPECT_TRUE(driven.limited);
    EXPECT_FALSE(Driven(*scene, 1.9 * row).limited);
    EXPECT_EQ(scene->actuation.upper()[1], 1);
  }
}

TEST_F(TendonDrives, MotorsOfJointsAddWhatATendonLeaves) {
  const auto scene = Three("<motor tendon='t'/><motor joint='b' ctrlrange='-9 9'/>");
  const Driven driven(*scene, Eigen::Vector3d(7, 4, 1));
  ExpectTorques(driven, Eigen::Vector3d(0, 4, 1));  // −0.25 + 4.25
  EXPECT_FALSE(driven.limited);
  EXPECT_TRUE(Driven(*scene, Eigen::Vector3d(0, 9, 1)).limited);
  EXPECT_EQ(scene->controller->undriven().number, 0);
}

TEST_F(TendonDrives, TendonsShareWhatOneAloneCannot) {
  // Two that pull only, in opposite directions.
  const auto scene = Three(
      "<motor tendon='one' ctrlrange='0 4'/><motor tendon='one' gear='-1' "
      "ctrlrange='0 5'/>");
  for (const double torque : {-14.0, 0.0, 11.0}) {
    const Driven driven(*scene, Eigen::Vector3d(0, torque, 0));
    ExpectTorques(driven, Eigen::Vector3d(0, torque, 0));
    EXPECT_FALSE(driven.limited);
  }
  EXPECT_TRUE(Driven(*scene, Eigen::Vector3d(0, 12.1, 0)).limited);
}

TEST_F(TendonDrives, ForcesFallNearASpeedLimit) {
  auto scene = Three("<motor tendon='t'/>");
  Actuation& actuation = scene->actuation;
  actuation.set_speed_max(Eigen::Vector3d(1, 2, 4));
  const Eigen::Vector3d row(0, .5, -2);
  const Driven half(*scene, row, Eigen::Vector3d(0, 1.9, 0));
  ExpectTorques(half, 0.5 * row);
  EXPECT_TRUE(half.limited);
  EXPECT_FALSE(Driven(*scene, -row, Eigen::Vector3d(0, 1.9, 0)).limited);
}

TEST_F(TendonDrives, AGearOfSeveralComponentsDrivesABall) {
  const auto scene = Load(R"(<mujoco><worldbody><body><joint name="b" type="ball"/>
    <geom size=".1" pos=".2 0 0"/></body></worldbody><actuator><motor joint="b" gear="1 2 0"
    ctrlrange="-3 3"/><motor joint="b" gear="0 0 2"/></actuator></mujoco>)");
  const Driven driven(*scene, Eigen::Vector3d(2, 4, 5));
  ExpectTorques(driven, Eigen::Vector3d(2, 4, 5));
  EXPECT_FALSE(driven.limited);
  EXPECT_EQ(scene->controller->undriven().number, 1);
  ExpectTorques(Driven(*scene, Eigen::Vector3d(4, 8, 0)), Eigen::Vector3d(3, 6, 0));
}

}  // namespace tendon_drives_test
}  // namespace civita
