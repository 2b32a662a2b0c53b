#include "civita/sim/error_causes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "civita/sim/recorder.h"
#include "civita/sim/trials/compare_runs.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace error_causes_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

RunSummary RunFor(const std::string& mjcf, const std::vector<std::string>& overrides = {}) {
  const TemporaryFolder folder;
  Simulation simulation = MakeSimulation(folder.Write("arm.xml", mjcf), overrides);
  Recorder recorder(simulation, {});
  while (simulation.time() < 1 && simulation.Step()) recorder.Add(simulation.record());
  return recorder.Finish(simulation, 1, false);
}

/// Two hinges in a row, level at the start: the first needs about 7 N·m.
std::string Arm(const std::string& motors, const std::string& wall = "") {
  return "<mujoco><worldbody>" + wall + R"(
    <body name="upper" pos="0 0 1"><joint name="shoulder" axis="0 1 0" damping="0.1"/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0.4 0 0" mass="1"/>
      <body name="lower" pos="0.4 0 0"><joint name="elbow" axis="0 1 0" damping="0.1"/>
        <geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0" mass="0.5"/></body>
    </body></worldbody><actuator>)" +
         motors + "</actuator></mujoco>";
}

TEST(ErrorCauses, SilentOnTheReference) {
  EXPECT_THAT(RunFor(Arm(R"(<motor joint="shoulder"/><motor joint="elbow"/>)")).notes, IsEmpty());
}

TEST(ErrorCauses, NameTheJointsAtTheirTorqueLimits) {
  const RunSummary summary = RunFor(
      Arm(R"(<motor joint="shoulder" ctrlrange="-2 2" ctrllimited="true"/><motor joint="elbow"/>)"),
      {"initial.q=[0, 0]"});
  EXPECT_EQ(summary.value("saturated_steps"), static_cast<double>(summary.steps));
  EXPECT_THAT(
      summary.notes,
      ElementsAre(AllOf(HasSubstr("off its reference at "),
                        HasSubstr("torque limits act in 100 % of the steps (shoulder 100 %"),
                        Not(HasSubstr("nothing drives")))));
}

TEST(ErrorCauses, CountWhatNothingDrives) {
  EXPECT_THAT(RunFor(Arm(R"(<motor joint="shoulder"/>)")).notes,
              ElementsAre(AllOf(HasSubstr("rad off its reference at elbow"),
                                HasSubstr("nothing drives 1 of 2 coordinates"))));
}

TEST(ErrorCauses, CountStepsInContact) {
  const std::string wall =
      R"(<geom type="box" size="0.05 0.2 0.05" pos="0.5 0 0.9" solref="0.005 1"/>)";
  EXPECT_THAT(
      RunFor(Arm(R"(<motor joint="shoulder"/><motor joint="elbow"/>)", wall),
             {"reference.type=quintic", "reference.to=[0.5, 0]", "reference.duration_s=0.5"})
          .notes,
      ElementsAre(HasSubstr("joint limits or contacts act in")));
}

TEST(ErrorCauses, WhatObjectsTouchIsNoConstraintOfTheRobot) {
  const TemporaryFolder folder;
  const std::string motors = R"(<motor joint="shoulder"/><motor joint="elbow"/>)";
  const auto constrained = [&](const std::string& place) {
    const std::string floor_and_ball =
        R"(<geom type="plane" size="1 1 .1" pos="0 0 .5"/><body name="ball" pos=")" + place +
        R"("><freejoint/><geom size=".05"/></body>)";
    Simulation simulation = MakeSimulation(folder.Write("arm.xml", Arm(motors, floor_and_ball)));
    for (int k = 0; k < 400 && simulation.Step(); ++k) {
      if (simulation.record().constrained) return true;
    }
    return false;
  };
  EXPECT_FALSE(constrained("-.5 0 .549")) << "it lies on the floor";
  EXPECT_TRUE(constrained(".5 0 1.1")) << "it falls onto the arm";
}

TEST(ErrorCauses, NameDryFrictionThatTakesMostOfTheTorque) {
  const std::string stiff = R"(<mujoco><option timestep=".001"/><worldbody><body>
      <joint name="j" axis="0 0 1" frictionloss="5" solimpfriction=".9999 .9999 .001"/>
      <geom size=".2" mass="1"/></body></worldbody></mujoco>)";
  EXPECT_THAT(
      RunFor(stiff, {"initial.q=[0.3]", "gains.Lambda=0.2", "reference.amplitude=0"}).notes,
      ElementsAre(AllOf(HasSubstr("rad off its reference at j"), HasSubstr("dry friction is "),
                        HasSubstr(" % of the largest torque there"))));
}

TEST(TurningCauses, NamesWhatTurnsSBesideTorsion) {
  const auto causes = [](const std::vector<std::string>& sets) {
    return TurningCauses(*LoadScene(ReadConfig("arm7_twist", sets)));
  };
  EXPECT_THAT(causes({}), IsEmpty());
  EXPECT_THAT(causes({"gains.G={0: {1: 5}}"}), ElementsAre("a skew gain G"));
  EXPECT_THAT(causes({"gains.G=0", "controller.gain_form=diagonal"}),
              ElementsAre("gains that are not proportional to H"));
  EXPECT_THAT(
      causes({"control.mode=held", "control.actuation_delay_s=0.002", "noise.joint_velocity=0.01"}),
      ElementsAre("a late torque", "noise of measurements"));
  EXPECT_THAT(causes({"control.mode=held", "control.velocity_filter_hz=50"}),
              ElementsAre("a filtered velocity"));
}

}  // namespace error_causes_test
}  // namespace civita
