// Mechanisms in which nothing is left to drive: loops that leave no velocity, and loops without a
// motor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "civita/sim/metric_table.h"
#include "civita/sim/run_summary.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace passive_mechanism_test {

using testing::Contains;
using testing::HasSubstr;

struct Mechanism {
  std::string name, xml;
  int nw;
};

/// Three links, and what is added to the model.
std::string Links(const std::string& more) {
  return R"(<mujoco><worldbody><site name="hook" pos=".5 0 1.2"/>
    <body name="pin" mocap="true" pos=".7 0 1"/>
    <body name="b1" pos="0 0 1"><joint name="j1" axis="0 1 0"/>
      <geom type="capsule" size=".02" fromto="0 0 0 .3 0 0"/>
      <body name="b2" pos=".3 0 0"><joint name="j2" axis="0 1 0"/>
        <geom type="capsule" size=".02" fromto="0 0 0 .4 0 0"/><site name="tip" pos=".4 0 0"/>
      </body></body></worldbody>)" +
         more + "</mujoco>";
}

std::vector<Mechanism> Mechanisms() {
  const std::string spatial =
      "<tendon><spatial name='rope'><site site='hook'/><site site='tip'/></spatial></tendon>";
  return {
      {"welded to the world", Links("<equality><weld body1='b2'/></equality>"), 0},
      {"welded to a mocap body", Links("<equality><weld body1='pin' body2='b2'/></equality>"), 0},
      {"pinned at its tip", Links("<equality><connect site1='tip' site2='hook'/></equality>"), 0},
      {"both joints fixed",
       Links("<equality><joint joint1='j1'/><joint joint1='j2'/></equality><actuator><motor "
             "joint='j1'/><motor joint='j2'/></actuator>"),
       0},
      {"geared, pulled by a muscle",
       Links("<equality><joint joint1='j2' joint2='j1'/></equality>" + spatial +
             "<actuator><muscle tendon='rope'/></actuator>"),
       1},
      {"geared, pushed at a site",
       Links("<equality><joint joint1='j2' joint2='j1'/></equality><actuator><general "
             "site='tip' gear='0 0 1 0 0 0'/></actuator>"),
       1}};
}

std::vector<std::string> Laws() {
  std::vector<std::string> types;
  for (const LawInfo* law : civita::Laws()) {
    if (law->knows_loops && law->type != "task_space") types.emplace_back(law->type);
  }
  return types;
}

/// Runs for a while, and looks at all that a run shows.
void RunAll(const std::string& file, const std::vector<std::string>& set, int nw) {
  Simulation simulation = MakeSimulation(file, set);
  ASSERT_NE(simulation.scene().closed, nullptr);
  EXPECT_EQ(simulation.scene().closed->nw(), nw);
  RunStatistics statistics(simulation);
  while (simulation.step() < 50) {
    ASSERT_TRUE(simulation.Step()) << simulation.failure().reason;
    statistics.Add(simulation.record());
    EXPECT_TRUE(simulation.record().tau.isZero(0)) << simulation.record().tau.transpose();
    EXPECT_FALSE(simulation.record().saturated);
    const Simulation::Residuals residuals = simulation.CalcResiduals();
    EXPECT_LE(residuals.skew, 1e-10);
    EXPECT_LE(residuals.bias, 1e-10);
    if (nw == 0) {
      EXPECT_EQ(residuals.coriolis, 0);
    }
  }
  EXPECT_EQ(statistics.Summarize().value("saturated_steps"), 0);
}

TEST(PassiveMechanisms, RunWithEveryLaw) {
  const TemporaryFolder folder;
  for (const Mechanism& mechanism : Mechanisms()) {
    const std::string file = folder.Write("m.xml", mechanism.xml);
    for (const std::string& law : Laws()) {
      for (const char* more : {"plant.loops=soft", "plant.loops=exact", "control.mode=every_stage",
                               "observer.gain=10"}) {
        SCOPED_TRACE(mechanism.name + ", " + law + ", " + more);
        RunAll(file, {"controller.type=" + law, more}, mechanism.nw);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(PassiveMechanisms, NameWhatNothingDrives) {
  const TemporaryFolder folder;
  const auto scene = LoadScene(ReadConfig(folder.Write("m.xml", Mechanisms()[4].xml)));
  EXPECT_THAT(scene->notices, Contains("joints that nothing drives stay passive: j1, j2"));
}

TEST(PassiveMechanisms, SayThatNothingCanMove) {
  const TemporaryFolder folder;
  for (const Mechanism& mechanism : Mechanisms()) {
    const auto scene = LoadScene(ReadConfig(folder.Write("m.xml", mechanism.xml)));
    const auto notice = Contains(HasSubstr("the loops leave no velocity"));
    if (mechanism.nw == 0) {
      EXPECT_THAT(scene->notices, notice) << mechanism.name;
    } else {
      EXPECT_THAT(scene->notices, testing::Not(notice)) << mechanism.name;
    }
  }
}

TEST(PassiveMechanisms, MoveNoFrame) {
  const TemporaryFolder folder;
  const std::string file = folder.Write("m.xml", Mechanisms()[0].xml);
  try {
    LoadScene(ReadConfig(file, {"controller.type=task_space", "task.frame=tip"}));
    ADD_FAILURE();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("in 0 of 3 directions; choose another frame"));
  }
}

}  // namespace passive_mechanism_test
}  // namespace civita
