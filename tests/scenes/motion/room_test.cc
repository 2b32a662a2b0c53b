// The default reference asks for what the drives can give, and takes no bodies into others.

#include "civita/scenes/motion/room.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "civita/scenes/plant/floating.h"
#include "tests/scenes/scene_fixture.h"

namespace civita {
namespace room_test {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// A wheel of 0.5 kg·m² about the vertical, with a motor of `limit` in N·m.
std::string Wheel(const std::string& limit) {
  return R"(<mujoco><option timestep=".001"/><worldbody>
    <body name="wheel"><joint name="j" axis="0 0 1"/>
      <inertial pos="0 0 0" mass="1" diaginertia=".5 .5 .5"/></body></worldbody>
    <actuator><motor joint="j" ctrlrange="-)" +
         limit + " " + limit + R"("/></actuator></mujoco>)";
}

/// The largest |I a| of the reference in 10 s, N·m.
double LargestTorque(const Scene& scene) {
  ReferenceState at{scene.q_home, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
  double largest = 0;
  for (int k = 0; k <= 1000; ++k) {
    scene.reference->Sample(0.01 * k, at);
    largest = std::max(largest, 0.5 * std::abs(at.vdot[0]));
  }
  return largest;
}

class Room : public SceneTest {};

TEST_F(Room, WeakMotorsMoveLess) {
  const auto strong = Load(Wheel("10")), weak = Load(Wheel(".05"));
  EXPECT_THAT(strong->notices, Not(Contains(HasSubstr("moves less"))));
  EXPECT_THAT(weak->notices,
              Contains("the reference moves less than by default, as far as effort limits and "
                       "contacts allow, by the amplitude in brackets: j (0.0125)"));
  EXPECT_GT(LargestTorque(*strong), 0.05);
  EXPECT_LT(1.2 * LargestTorque(*weak), 0.05);
  EXPECT_GT(1.2 * 2 * LargestTorque(*weak), 0.05) << "no smaller than it must be";
}

TEST_F(Room, AGivenAmplitudeStays) {
  const auto weak = Load(Wheel(".05"), {"reference.amplitude=0.2"});
  EXPECT_THAT(weak->notices, Not(Contains(HasSubstr("moves less"))));
  EXPECT_GT(LargestTorque(*weak), 0.05);
}

TEST_F(Room, WhatCannotBeHeldAtRestDoesNotCount) {
  const std::string arm = R"(<mujoco><option timestep=".001"/><worldbody>
    <body name="arm"><joint name="j" axis="0 1 0"/>
      <inertial pos=".5 0 0" mass="2" diaginertia=".1 .1 .1"/></body></worldbody>
    <actuator><motor joint="j" ctrlrange="-1 1"/></actuator>
    <keyframe><key name="home" qpos="0"/></keyframe></mujoco>)";
  EXPECT_THAT(Load(arm)->notices, Not(Contains(HasSubstr("moves less"))));
  EXPECT_THAT(Load(arm)->notices, Contains(HasSubstr("cannot hold the start against gravity: j")));
}

// The hinge that the gripper's jaws are on counts, though the jaws, which are coupled, do not.
TEST_F(Room, DrivesBesideCoupledJointsCount) {
  const auto arm = [this](const std::string& limit) {
    return Load(R"(<mujoco><option timestep=".001"/><worldbody>
      <body name="wheel"><joint name="j" axis="0 0 1"/>
        <inertial pos="0 0 0" mass="1" diaginertia=".5 .5 .5"/>
        <body name="left"><joint name="l" type="slide" axis="0 1 0" range="0 .1"/>
          <inertial pos="0 0 0" mass=".1" diaginertia="1e-4 1e-4 1e-4"/></body>
        <body name="right"><joint name="r" type="slide" axis="0 -1 0" range="0 .1"/>
          <inertial pos="0 0 0" mass=".1" diaginertia="1e-4 1e-4 1e-4"/></body>
      </body></worldbody>
      <equality><joint joint1="r" joint2="l"/></equality>
      <actuator><motor joint="j" ctrlrange="-)" +
                limit + " " + limit +
                R"("/><motor joint="l" ctrlrange="-.01 .01"/></actuator></mujoco>)");
  };
  EXPECT_THAT(arm("10")->notices, Not(Contains(HasSubstr("moves less"))));
  EXPECT_THAT(arm(".05")->notices, Contains(HasSubstr("in brackets: j (0.0125)")));
}

TEST_F(Room, TheReferenceKeepsClearOfWhatIsFixed) {
  const std::string arm = R"(<mujoco><option timestep=".001"/><worldbody>
    <geom type="box" size=".1 .1 .1" pos=".5 .13 0"/>
    <body name="arm"><joint name="j" axis="0 0 1"/>
      <geom type="capsule" size=".02" fromto="0 0 0 .5 0 0"/></body></worldbody></mujoco>)";
  const auto scene = Load(arm);
  EXPECT_THAT(scene->notices, Contains(HasSubstr("moves less than by default")));
  ReferenceState at{scene->q_home, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
  const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(scene->mj.get()));
  double widest = 0;
  for (int k = 0; k <= 100; ++k) {
    scene->reference->Sample(0.1 * k, at);
    EXPECT_THAT(FindOverlaps(*scene->mj, scene->free_parts, at.q, d.get()), testing::IsEmpty());
    widest = std::max(widest, std::abs(at.q[0]));
  }
  EXPECT_GT(widest, 0) << "it moves all the same";
}

}  // namespace room_test
}  // namespace civita
