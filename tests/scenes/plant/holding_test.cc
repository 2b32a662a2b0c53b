// A default start where the drives can hold the robot.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "civita/scenes/plant/start.h"
#include "tests/scenes/scene_fixture.h"

namespace civita {
namespace holding_test {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr double kGravity = 9.81;

/// A rod of 2 kg, its center 0.5 m along x from a hinge about y, whose motor gives `limit` N·m.
std::string Rod(const std::string& limit, const std::string& joint = "",
                const std::string& more = "") {
  return R"(<mujoco><compiler angle="radian" autolimits="true"/><option timestep=".001"/><worldbody>
    <body name="rod"><joint name="j" axis="0 1 0" )" +
         joint + R"(/><inertial pos=".5 0 0" mass="2" diaginertia=".1 .1 .1"/></body></worldbody>
    <actuator><motor joint="j" ctrlrange="-)" +
         limit + " " + limit + R"("/></actuator>)" + more + "</mujoco>";
}

class Holding : public SceneTest {};

TEST_F(Holding, TheStartIsWhereSevenTenthsOfTheLimitsHold) {
  const auto scene = Load(Rod("6"));
  const double load = kGravity * std::cos(scene->q_start[0]);  // 2 kg · 0.5 m · g
  EXPECT_LT(load, 0.71 * 6);
  EXPECT_GT(load, 0.69 * 6) << "no farther than it must be";
  EXPECT_EQ(scene->q_start, scene->q_home);
  EXPECT_THAT(scene->notices,
              Contains(AllOf(HasSubstr("cannot hold the start against gravity: j; it is moved to"),
                             HasSubstr("in brackets: j ("))));
}

TEST_F(Holding, NearLimitsALargerShareWillDo) {
  // As far as the joint may go the load is 7.2 N·m, nine tenths of the limit.
  const auto scene = Load(Rod("8", "range='0.2444 0.8'"));
  const double load = kGravity * std::cos(scene->q_start[0]);
  EXPECT_LT(load, 0.961 * 8);
  EXPECT_GT(load, 0.94 * 8);
  EXPECT_THAT(scene->notices, Contains(HasSubstr("it is moved to where they can")));
}

TEST_F(Holding, AStartThatIsGivenStays) {
  const std::string weak = "the effort limits cannot hold the start against gravity: j";
  const auto home = Load(Rod("6", "", "<keyframe><key name='home' qpos='.1'/></keyframe>"));
  EXPECT_EQ(home->q_start[0], 0.1);
  EXPECT_THAT(home->notices, Contains(weak));
  EXPECT_EQ(Load(Rod("6"), {"initial.q=[0.2]"})->q_start[0], 0.2);
  const auto joints = Load(Rod("6"), {"initial.joints.j=0.3"});
  EXPECT_EQ(joints->q_start[0], 0.3);
  EXPECT_THAT(joints->notices, Contains(weak));
}

TEST_F(Holding, WhereNothingHoldsTheStartStays) {
  const auto scene = Load(Rod("2", "range='-.5 .5'"));
  EXPECT_EQ(scene->q_start[0], 0);
  EXPECT_THAT(scene->notices,
              Contains("the effort limits cannot hold the start against gravity: j"));
}

TEST_F(Holding, JointsMayUnloadOneAnother) {
  // The shoulder's range allows nothing: the elbow folds the arm.
  const auto scene = Load(R"(<mujoco><compiler angle="radian" autolimits="true"/>
    <option timestep=".001"/><worldbody>
    <body name="a"><joint name="one" axis="0 1 0" range="-.01 .01"/>
      <inertial pos=".2 0 0" mass="1" diaginertia=".01 .01 .01"/>
      <body name="b" pos=".4 0 0"><joint name="two" axis="0 1 0" range="-3 3"/>
        <inertial pos=".3 0 0" mass="1" diaginertia=".01 .01 .01"/></body></body></worldbody>
    <actuator><motor joint="one" ctrlrange="-8 8"/><motor joint="two" ctrlrange="-5 5"/></actuator>
    </mujoco>)");
  const Eigen::Vector2d q = scene->q_start;
  const double load =
      kGravity * (0.2 * std::cos(q[0]) + 0.4 * std::cos(q[0]) + 0.3 * std::cos(q[0] + q[1]));
  EXPECT_LT(std::abs(load), 0.71 * 8);
  EXPECT_LT(std::abs(kGravity * 0.3 * std::cos(q[0] + q[1])), 0.71 * 5);
  EXPECT_GT(std::abs(q[1]), 0.1);
}

TEST_F(Holding, WhatFallsIsNotSaidToBeTooWeak) {
  const auto scene = Load(R"(<mujoco><option timestep=".001"/><worldbody>
    <body name="base" pos="0 0 1"><freejoint/><inertial pos="0 0 0" mass="5" diaginertia="1 1 1"/>
      <body name="rod"><joint name="j" axis="0 1 0"/>
        <inertial pos=".5 0 0" mass="2" diaginertia=".1 .1 .1"/></body></body></worldbody>
    <actuator><motor joint="j" ctrlrange="-1 1"/></actuator></mujoco>)");
  EXPECT_THAT(scene->notices, Not(Contains(HasSubstr("cannot hold"))));
}

}  // namespace holding_test
}  // namespace civita
