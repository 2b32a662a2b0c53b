#include "civita/sim/fall.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "civita/sim/recorder.h"
#include "civita/sim/run_json.h"
#include "civita/sim/trials/compare_runs.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace fall_test {

using testing::HasSubstr;
using testing::StartsWith;

/// A trunk on a free joint with two driven arms, and a ball where `ball`; `world` may have a floor.
std::string WriteFlyer(const TemporaryFolder& folder, const std::string& world = "",
                       const std::string& option = "", const std::string& height = "0.5") {
  return folder.Write("flyer.xml", R"(
<mujoco><option timestep="0.001"/>)" + option +
                                       "<worldbody>" + world + R"(
  <body name="trunk" pos="0 0 )" + height +
                                       R"("><freejoint/>
    <geom type="box" size="0.2 0.1 0.05" mass="5"/>
    <body name="a" pos="0.2 0 0"><joint name="l" axis="0 1 0" damping="0.1"/>
      <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.2" mass="0.3"/></body>
    <body name="b" pos="-0.2 0 0"><joint name="r" axis="0 1 0" damping="0.1"/>
      <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.2" mass="0.3"/></body>
  </body></worldbody>
  <actuator><motor joint="l"/><motor joint="r"/></actuator></mujoco>)");
}

RunSummary RunFor(Simulation* simulation, double seconds, bool interrupted = false) {
  Recorder recorder(*simulation, {});
  while (simulation->time() < seconds && simulation->Step()) recorder.Add(simulation->record());
  return recorder.Finish(*simulation, 1, interrupted);
}

RunSummary RunFor(const std::string& file, double seconds,
                  const std::vector<std::string>& overrides = {}) {
  Simulation simulation = MakeSimulation(file, overrides);
  return RunFor(&simulation, seconds);
}

// ½ g t² = 1 cm at t = 0.0452 s.
TEST(FreeFall, IsToldThoughTheRunIsWhole) {
  const TemporaryFolder folder;
  Simulation simulation = MakeSimulation(WriteFlyer(folder));
  const RunSummary summary = RunFor(&simulation, 0.5);
  EXPECT_TRUE(summary.passed);
  ASSERT_TRUE(summary.fell());
  EXPECT_TRUE(summary.fall->freely);
  EXPECT_NEAR(summary.fall->t, std::sqrt(2 * 0.01 / 9.81), 0.003);
  EXPECT_EQ(summary.value("fall_s"), summary.fall->t);
  EXPECT_EQ(simulation.fall().t, summary.fall->t) << "as the window sees it";
  EXPECT_THAT(summary.verdict, StartsWith("fell freely: nothing holds the base, "));
  nlohmann::ordered_json json;
  AddResult(summary, {}, &json);
  EXPECT_EQ(json["status"], "done");
  EXPECT_EQ(json["passed"], true);
  EXPECT_THAT(json["verdict"].get<std::string>(), StartsWith("fell freely"));
  EXPECT_EQ(json["summary"]["fall"]["freely"], true);
  EXPECT_EQ(json["summary"]["fall_s"], summary.fall->t);
}

TEST(FreeFall, IsToldOfAnInterruptedRun) {
  const TemporaryFolder folder;
  Simulation simulation = MakeSimulation(WriteFlyer(folder));
  EXPECT_THAT(RunFor(&simulation, 0.2, true).verdict,
              StartsWith("interrupted at t = 0.199 s; fell freely"));
}

TEST(FreeFall, AlsoUpwardAndThroughAFloorWithoutContacts) {
  const TemporaryFolder folder;
  const std::string floor = R"(<geom type="plane" size="1 1 1"/>)";
  const RunSummary upward = RunFor(WriteFlyer(folder), 0.2, {"initial.v=[0, 0, 3, 0, 0, 0, 0, 0]"});
  ASSERT_TRUE(upward.fell()) << "still above its start";
  EXPECT_NEAR(upward.fall->t, std::sqrt(2 * 0.01 / 9.81), 0.003);
  const std::string file = WriteFlyer(folder, floor);
  const RunSummary through = RunFor(file, 0.6, {"physics.contacts=false"});
  ASSERT_TRUE(through.fell());
  EXPECT_TRUE(through.fall->freely);
  EXPECT_TRUE(RunFor(file, 0.2, {"control.mode=every_stage"}).fell());
}

// Two slides and a hinge, turned about the vertical so that no axis is the world's.
TEST(FreeFall, InThePlaneToo) {
  const TemporaryFolder folder;
  const std::string file = folder.Write("hopper.xml", R"(<mujoco><worldbody>
    <body name="torso" pos="0 0 1" euler="0 0 40"><joint name="x" type="slide" axis="1 0 0"/>
      <joint name="z" type="slide" axis="0 0 1"/><joint name="pitch" axis="0 1 0"/>
      <geom size="0.1" mass="1"/>
      <body><joint name="hip" axis="0 1 0"/><geom size="0.05" pos="0.2 0 0" mass="0.02"/></body>
    </body></worldbody><actuator><motor joint="hip"/></actuator></mujoco>)");
  const RunSummary summary = RunFor(file, 0.3);
  ASSERT_TRUE(summary.fell());
  EXPECT_TRUE(summary.fall->freely);
  EXPECT_NEAR(summary.fall->t, std::sqrt(2 * 0.01 / 9.81), 0.005);
}

TEST(FreeFall, NotWithoutGravityNorWhereAWeldHolds) {
  const TemporaryFolder folder;
  const std::string weightless = WriteFlyer(folder, "", R"(<option gravity="0 0 0"/>)");
  const RunSummary floats = RunFor(weightless, 1);
  EXPECT_FALSE(floats.fall) << "nothing to be watched";
  EXPECT_EQ(floats.verdict, "done");
  const std::string held =
      folder.Write("held.xml", R"(<mujoco><worldbody><body name="trunk" pos="0 0 1"><freejoint/>
        <geom size="0.1" mass="1"/><body><joint name="j" axis="0 1 0"/>
          <geom size="0.05" pos="0.2 0 0" mass="0.2"/></body></body></worldbody>
      <equality><weld body1="trunk"/></equality><actuator><motor joint="j"/></actuator></mujoco>)");
  EXPECT_EQ(RunFor(held, 1).verdict, "done");
}

TEST(FreeFall, ARobotThatStandsOnTheFloorHasNotFallen) {
  const TemporaryFolder folder;
  const std::string floor = R"(<geom type="plane" size="1 1 1"/>)";
  // A table: its arms hang 5 mm above the floor, then carry it.
  const std::string file = folder.Write("table.xml", "<mujoco><worldbody>" + floor + R"(
    <body name="top" pos="0 0 0.305"><freejoint/><geom type="box" size="0.3 0.3 0.02" mass="4"/>
      <geom type="box" size="0.2 0.2 0.14" pos="0 0 -0.16" mass="1"/>
      <body name="flag" pos="0 0 0.02"><joint name="j" axis="0 0 1"/>
        <geom size="0.02" pos="0.05 0 0" mass="0.1"/></body></body></worldbody>
    <actuator><motor joint="j"/></actuator></mujoco>)");
  EXPECT_EQ(RunFor(file, 1).verdict, "done");
  // From 1 m it falls to less than 60 % of its height, and then stands.
  Simulation high = MakeSimulation(file, {"initial.q=[0, 0, 1, 1, 0, 0, 0, 0]"});
  const RunSummary fell = RunFor(&high, 1);
  EXPECT_TRUE(fell.passed) << "no law for legs has failed";
  ASSERT_TRUE(fell.fell());
  EXPECT_FALSE(fell.fall->freely);
  EXPECT_NEAR(fell.fall->t, std::sqrt(2 * 0.4 / 9.81), 0.01);
  EXPECT_THAT(fell.verdict, HasSubstr("below 60 % of 1 m"));
}

constexpr const char* kBall =
    R"(<body name="ball" pos="1 0 5"><freejoint/><geom size="0.05" mass="1"/></body>)";

std::string WriteArm(const TemporaryFolder& folder, const std::string& prop) {
  return folder.Write("arm.xml", R"(<mujoco><worldbody>
    <body name="arm"><joint name="j" axis="0 1 0" damping="0.5"/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.4" mass="1"/></body>)" +
                                     prop +
                                     R"(</worldbody>
    <actuator><motor joint="j"/></actuator></mujoco>)");
}

TEST(LooseObjects, AreNoPartOfTheFigures) {
  const TemporaryFolder folder;
  const RunSummary alone = RunFor(WriteArm(folder, ""), 0.8);
  Simulation simulation = MakeSimulation(WriteArm(folder, kBall));
  const RunSummary with = RunFor(&simulation, 0.8);
  EXPECT_EQ(with.verdict, "done") << "a ball is no robot that falls";
  EXPECT_LT(simulation.record().q[3], 4) << "it does fall";
  for (const char* key : {"error_rms", "error_peak", "path", "path_ratio", "ee_path_m", "twist_rad",
                          "energy_balance_peak", "torque_rms"}) {
    EXPECT_NEAR(with.value(key), alone.value(key), 1e-9 * (1 + alone.value(key))) << key;
  }
  for (int i = 1; i < 7; ++i) {
    EXPECT_EQ(with.error_rms_by_coordinate[static_cast<std::size_t>(i)], 0);
  }
}

TEST(LooseObjects, NeitherInRungeKuttasStages) {
  const TemporaryFolder folder;
  const std::vector<std::string> stages = {"control.mode=every_stage"};
  const RunSummary alone = RunFor(WriteArm(folder, ""), 0.5, stages);
  const RunSummary with = RunFor(WriteArm(folder, kBall), 0.5, stages);
  EXPECT_NEAR(with.value("error_rms"), alone.value("error_rms"), 1e-12);
  EXPECT_NEAR(with.value("energy_balance_peak"), alone.value("energy_balance_peak"), 1e-12);
}

}  // namespace fall_test
}  // namespace civita
