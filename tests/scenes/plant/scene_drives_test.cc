// How a model's actuators drive its joints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/workspace.h"
#include "tests/scenes/scene_fixture.h"

namespace civita {
namespace scene_drives_test {

using testing::Contains;
using testing::Not;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The torque after limits and the resulting joint forces in MuJoCo, for τ at every coordinate.
struct Driven {
  Eigen::VectorXd applied, felt;
  bool limited;
};
Driven Drive(const Scene& scene, const Eigen::VectorXd& tau) {
  const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(scene.mj.get()));
  Driven driven{Eigen::VectorXd::Zero(tau.size()), {}, false};
  driven.limited = scene.actuation.Apply(tau, d.get(), driven.applied);
  mj_forward(scene.mj.get(), d.get());
  driven.felt = Eigen::Map<Eigen::VectorXd>(d->qfrc_applied, tau.size()) +
                Eigen::Map<Eigen::VectorXd>(d->qfrc_actuator, tau.size());
  return driven;
}

TEST_F(SceneTest, WithoutActuatorsJointsAreDrivenDirectly) {
  const auto scene = Load(Arm("", "actuatorfrcrange='-3 2'"));
  const Driven driven = Drive(*scene, Eigen::Vector2d(1000, 5));
  EXPECT_TRUE(driven.limited);
  EXPECT_EQ(driven.applied, Eigen::Vector2d(1000, 2));
  EXPECT_EQ(driven.felt, driven.applied);
  EXPECT_FALSE(Drive(*scene, Eigen::Vector2d(1000, -3)).limited);
  EXPECT_EQ(scene->actuation.upper()[0], kInfinity);
}

TEST_F(SceneTest, LimitsBelowGravityAreTold) {
  const std::string notice = "the effort limits cannot hold the start against gravity: b";
  const std::string home = "<keyframe><key name='home' qpos='0 1'/></keyframe>";
  EXPECT_THAT(Load(Arm(home, "actuatorfrcrange='-.1 .1'"))->notices, Contains(notice));
  EXPECT_THAT(Load(Arm(home, "actuatorfrcrange='-9 9'"))->notices, Not(Contains(notice)));
}

TEST_F(SceneTest, LimitsBelowSpringsAreTold) {
  const std::string spring = "actuatorfrcrange='-.1 .1' stiffness='4' springref='";
  const std::string notice =
      "the effort limits cannot hold the start against gravity and springs: b";
  const std::string home = "<keyframe><key name='home' qpos='0 0'/></keyframe>";
  EXPECT_THAT(Load(Arm(home, spring + "1'"))->notices, Contains(notice));
  EXPECT_THAT(Load(Arm(home, spring + "0'"))->notices, Not(Contains(notice)));
}

TEST_F(SceneTest, MotorsGoThroughGearAndRanges) {
  const auto scene = Load(Arm(R"(<actuator>
    <motor joint="a" gear="-50" ctrlrange="-1 2"/><motor joint="b" gear="10"
    forcerange="-.5 .5"/></actuator>)"));
  EXPECT_EQ(scene->actuation.lower(), Eigen::Vector2d(-100, -5));
  EXPECT_EQ(scene->actuation.upper(), Eigen::Vector2d(50, 5));
  Driven driven = Drive(*scene, Eigen::Vector2d(-70, 4));
  EXPECT_FALSE(driven.limited);
  EXPECT_TRUE(driven.felt.isApprox(Eigen::Vector2d(-70, 4), 1e-14));
  driven = Drive(*scene, Eigen::Vector2d(70, 6));
  EXPECT_TRUE(driven.limited);
  EXPECT_TRUE(driven.felt.isApprox(Eigen::Vector2d(50, 5), 1e-14));
  EXPECT_TRUE(driven.applied.isApprox(driven.felt, 1e-14));
}

TEST_F(SceneTest, ArmatureAndDampingOfActuatorsAreTheJoints) {
  const auto scene = Load(Arm(R"(<actuator><motor joint="a" gear="3" armature=".2" damping="2"/>
    <position joint="b" kp="5" armature=".1"/></actuator>)",
                              "armature='.05' damping='.5'"));
  const mjModel* m = scene->mj.get();
  const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(m));
  d->qpos[1] = 0.7;
  d->qvel[0] = d->qvel[1] = 1;
  mj_forward(m, d.get());
  Eigen::Matrix2d H_mujoco;
  mj_fullM(m, d.get(), H_mujoco.data());
  Workspace<double> workspace(scene->plant);
  UpdateKinematics(scene->plant, Eigen::Vector2d(0, 0.7), workspace);
  Eigen::MatrixXd H(2, 2);
  CalcMassMatrix(scene->plant, workspace, H);
  EXPECT_TRUE(H.isApprox(H_mujoco, 1e-12)) << H << "\n\n" << H_mujoco;
  EXPECT_GT(H(0, 0), 1.8);
  EXPECT_NEAR(d->qfrc_passive[0], -scene->plant.damping()[0], 1e-12);
  EXPECT_NEAR(scene->plant.damping()[0], 18, 1e-12);
  EXPECT_NEAR(d->qfrc_passive[1], -scene->plant.damping()[1], 1e-12);
}

TEST_F(SceneTest, ServosAreSwitchedOffAndTheirJointsDriven) {
  const auto scene = Load(Arm(R"(<actuator><position name="servo" joint="a" kp="1000"
    forcerange="-9 9" ctrlrange="1 1.5"/><velocity joint="b" kv="5"/></actuator>)"));
  const Driven driven = Drive(*scene, Eigen::Vector2d(4, 7));
  EXPECT_EQ(driven.felt, Eigen::Vector2d(4, 7));
  EXPECT_EQ(scene->actuation.upper(), Eigen::Vector2d(9, kInfinity));
  EXPECT_THAT(scene->notices,
              Contains("actuators that are no plain motors are switched off, and their "
                       "joints driven directly within the force ranges: servo, 1"));
}

TEST_F(SceneTest, CoordinatesWithoutADriveStayPassive) {
  const auto scene = Load(Arm(R"(<actuator><motor joint="a"/></actuator>)"));
  const Driven driven = Drive(*scene, Eigen::Vector2d(4, 7));
  EXPECT_EQ(driven.felt, Eigen::Vector2d(4, 0));
  EXPECT_EQ(driven.applied, Eigen::Vector2d(4, 0));
  EXPECT_FALSE(driven.limited);
  EXPECT_TRUE(scene->actuation.is_passive(1));
  EXPECT_EQ(scene->config.reference.Numbers("amplitude")[1], 0);
  EXPECT_THAT(scene->notices, Contains("joints that nothing drives stay passive: b"));
}

TEST_F(SceneTest, TwoMotorsOnAJointShareItsTorque) {
  const auto scene = Load(Arm(R"(<actuator><motor joint="a" ctrlrange="-2 2"/>
    <motor joint="a" gear="3" ctrlrange="-1 1"/><motor joint="b"/>
    <position joint="b" kp="10"/></actuator>)"));
  EXPECT_EQ(scene->actuation.upper()[0], 5);
  EXPECT_TRUE(Drive(*scene, Eigen::Vector2d(4, 7)).felt.isApprox(Eigen::Vector2d(4, 7), 1e-14));
  EXPECT_TRUE(Drive(*scene, Eigen::Vector2d(-9, 7)).felt.isApprox(Eigen::Vector2d(-5, 7), 1e-14));
}

TEST_F(SceneTest, OtherTransmissionsAreSwitchedOff) {
  const auto scene = Load(Arm(R"(<worldbody><site name="p"/><site name="q" pos="1 0 0"/></worldbody>
    <tendon><spatial name="t"><site site="p"/><site site="q"/></spatial></tendon>
    <actuator><motor name="pull" tendon="t"/><motor name="push" site="q" gear="0 0 1 0 0 0"/>
    <motor joint="a"/></actuator>)"));
  EXPECT_EQ(Drive(*scene, Eigen::Vector2d(4, 7)).felt, Eigen::Vector2d(4, 0));
  EXPECT_THAT(
      scene->notices,
      Contains("actuators that act on no joint or fixed tendon are switched off: pull, push"));
}

TEST_F(SceneTest, FreeAndBallJointsAreDrivenByCoordinate) {
  const auto scene = Load(R"(<mujoco><worldbody><body pos="0 0 1"><freejoint name="f"/>
    <geom size=".1"/><body><joint name="b" type="ball"/><geom size=".1" pos=".2 0 0"/></body></body>
    </worldbody><actuator><motor joint="b" gear="0 2 0"/><motor joint="f" gear="0 0 3 0 0 0"/>
    </actuator></mujoco>)");
  Eigen::VectorXd tau = Eigen::VectorXd::Ones(9);
  Eigen::VectorXd expected = Eigen::VectorXd::Zero(9);
  expected[2] = expected[7] = 1;
  EXPECT_TRUE(Drive(*scene, tau).felt.isApprox(expected, 1e-14));
  EXPECT_EQ(scene->config.reference.Numbers("amplitude"), std::vector<double>(9, 0.0));
}

}  // namespace scene_drives_test
}  // namespace civita
