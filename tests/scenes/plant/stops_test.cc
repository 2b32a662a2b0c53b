// Joints that nothing drives and that springs press against a stop are fixed there for the law.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "civita/scenes/plant/closed_chain.h"
#include "civita/velocity_space.h"
#include "tests/scenes/scene_fixture.h"

namespace civita {
namespace stops_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// A finger of two loops' worth of joints and one motor; the spring turns its rocker to `ref`.
std::string Finger(const std::string& ref) {
  return R"(<mujoco><compiler angle="radian"/><option timestep=".001" gravity="0 0 0"/>
    <default><geom type="capsule" size=".01" density="3000" contype="0" conaffinity="0"/></default>
    <worldbody>
    <body name="driver"><joint name="drive" axis="0 1 0" range="0 1"/><geom fromto="0 0 0 .2 0 0"/>
      <body name="finger" pos=".2 0 0"><joint name="stop" axis="0 1 0" range="-1.5 0"/>
        <geom fromto="0 0 0 .1 0 .2"/></body></body>
    <body name="rocker" pos="0 0 .2"><joint name="spring" axis="0 1 0" stiffness=".05" springref=")" +
         ref + R"("/><geom fromto="0 0 0 .15 0 .1"/>
      <body name="link" pos=".15 0 .1"><joint name="tip" axis="0 1 0"/>
        <geom fromto="0 0 0 .15 0 -.1"/></body></body></worldbody>
    <equality><connect body1="finger" body2="link" anchor=".1 0 .2"/></equality>
    <actuator><motor joint="drive" ctrlrange="-20 20"/></actuator></mujoco>)";
}

class Stops : public SceneTest {};

TEST_F(Stops, HoldWhatASpringPressesAgainstThem) {
  const auto scene = Load(Finger("1"));
  ASSERT_NE(scene->closed, nullptr);
  EXPECT_EQ(scene->closed->nw(), 1) << "the motor moves all of it";
  EXPECT_THAT(scene->controller->undriven().number, 0);
  EXPECT_THAT(scene->notices, Contains(HasSubstr("press them: stop")));
  EXPECT_NEAR(scene->q_start[1], 0, 1e-12);
  EXPECT_NEAR(scene->q_start[0], 0.1, 1e-12) << "the driven joint has room to move";
}

TEST_F(Stops, DoNotHoldWhatASpringPullsAway) {
  const auto scene = Load(Finger("-1"));
  ASSERT_NE(scene->closed, nullptr);
  EXPECT_EQ(scene->closed->nw(), 2);
  EXPECT_THAT(scene->notices, Not(Contains(HasSubstr("press them"))));
}

TEST_F(Stops, AreUnknownToExactLoops) {
  const auto scene = Load(Finger("1"), {"plant.loops=exact"});
  ASSERT_NE(scene->closed, nullptr);
  EXPECT_EQ(scene->closed->nw(), 2);
}

TEST_F(Stops, JointsThatNothingDrivesStartWhereTheyAre) {
  std::string xml = Arm("<actuator><motor joint='b'/></actuator>", "range='0 1'");
  xml.replace(xml.find("-2 1"), 4, "0 1");
  const auto scene = Load(xml);
  EXPECT_THAT(scene->q_start, Eigen::Vector2d(0, 0.1));
  EXPECT_THAT(scene->notices, Contains("the start is moved inside the joint limits by a tenth of "
                                       "the range: b"));
}

}  // namespace stops_test
}  // namespace civita
