// Coupled joints stay together, and a run tells of those that did not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "civita/sim/coupling_watch.h"
#include "civita/sim/run_summary.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace coupled_joints_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string Link(const std::string& name, double mass, double length) {
  const std::string I = std::to_string(mass * length * length / 12 + 1e-8);
  return "<link name='" + name + "'><inertial><origin xyz='" + std::to_string(length / 2) +
         " 0 0'/><mass value='" + std::to_string(mass) + "'/><inertia ixx='" + I +
         "' ixy='0' ixz='0' iyy='" + I + "' iyz='0' izz='" + I +
         "'/></inertial><collision><origin xyz='" + std::to_string(length) +
         " 0 0'/><geometry><sphere radius='0.004'/></geometry></collision></link>";
}

std::string Joint(const std::string& name, const std::string& parent, const std::string& child,
                  double x, const std::string& range, const std::string& mimic) {
  return "<joint name='" + name + "' type='revolute'><parent link='" + parent + "'/><child link='" +
         child + "'/><origin xyz='" + std::to_string(x) + " 0 0'/><axis xyz='0 1 0'/><limit " +
         range + " effort='3' velocity='9'/>" + mimic + "</joint>";
}

/// A finger of four links, the last of 1 g: the second follows the first, the third the second, the
/// fourth the first the other way round.
std::string Finger(const std::string& range_of_third) {
  return "<robot name='finger'><link name='palm'/>" + Link("p1", 0.06, 0.04) +
         Link("p2", 0.02, 0.03) + Link("p3", 0.004, 0.02) + Link("p4", 0.001, 0.015) +
         Joint("j1", "palm", "p1", 0, "lower='-1' upper='1.2'", "") +
         Joint("j2", "p1", "p2", 0.04, "lower='-2' upper='2'",
               "<mimic joint='j1' multiplier='0.9' offset='0.1'/>") +
         Joint("j3", "p2", "p3", 0.03, range_of_third, "<mimic joint='j2' multiplier='1.2'/>") +
         Joint("j4", "p3", "p4", 0.02, "lower='-2' upper='2'",
               "<mimic joint='j1' multiplier='-0.5'/>") +
         "</robot>";
}

struct Seen {
  double violation = 0, error = 0;
  std::vector<std::string> notes, notices;
  bool limited = false;
};

Seen Watch(const std::string& file, std::vector<std::string> set, double seconds = 2) {
  Simulation simulation = MakeSimulation(file, set);
  Seen seen;
  RunStatistics statistics(simulation);
  CouplingWatch watch(simulation.scene());
  while (simulation.time() < seconds) {
    EXPECT_TRUE(simulation.Step()) << simulation.failure().reason;
    if (simulation.failure().failed) break;
    const StepRecord& r = simulation.record();
    statistics.Add(r);
    watch.Add(r.t, r.q);
    seen.limited |= r.constrained;
    if (r.t > 0.75 * seconds) seen.error = std::max(seen.error, std::abs(r.e[0]));
  }
  seen.violation = watch.largest();
  seen.notes = statistics.Summarize().notes;
  seen.notices = simulation.scene().notices;
  return seen;
}

TEST(CoupledJoints, OfAUrdfStayTogether) {
  const TemporaryFolder folder;
  const std::string file = folder.Write("finger.urdf", Finger("lower='-2' upper='2'"));
  for (const char* step : {"0.0005", "0.001", "0.002"}) {
    for (const char* law : {"slotine_li", "adaptive", "pd_gravity", "computed_torque"}) {
      SCOPED_TRACE(std::string(law) + ", " + step);
      const Seen seen = Watch(
          file, {"physics.timestep_s=" + std::string(step), "controller.type=" + std::string(law)});
      EXPECT_LT(seen.violation, 1e-3);
      EXPECT_LT(seen.error, 5e-3);
      EXPECT_THAT(seen.notes, IsEmpty());
      EXPECT_THAT(seen.notices,
                  Contains("the model has no actuators: all joints are taken to have motors but "
                           "those that follow others: j2, j3, j4"));
      EXPECT_THAT(seen.notices, Contains("couplings are simulated harder than the model says, to "
                                         "hold at its timestep: j2, j3, j4"));
      EXPECT_THAT(seen.notices, testing::Not(Contains(HasSubstr("stay passive"))));
    }
  }
}

TEST(CoupledJoints, StayTogetherAtLimitsAndContacts) {
  const TemporaryFolder folder;
  // The third joint's limit stops all of them.
  const std::string file = folder.Write("finger.urdf", Finger("lower='-0.1' upper='0.5'"));
  const Seen limited =
      Watch(file, {"reference={type: sinusoid, amplitude: 0.8, frequency_hz: 0.5}"});
  EXPECT_TRUE(limited.limited);
  EXPECT_LT(limited.violation, 1e-3);
  const std::string wall = folder.Write("wall.xml", R"(<mujoco><compiler angle="radian"/>
    <option timestep="0.002"/><worldbody><geom type="box" size=".05 .05 .01" pos=".06 0 -.05"/>
    <body><joint name="a" axis="0 1 0"/><geom type="capsule" size=".005" fromto="0 0 0 .04 0 0"/>
      <body pos=".04 0 0"><joint name="b" axis="0 1 0"/>
        <geom type="capsule" size=".004" fromto="0 0 0 .03 0 0"/></body></body></worldbody>
    <equality><joint joint1="b" joint2="a" polycoef="0 1.1 0 0 0"/></equality></mujoco>)");
  const Seen touching =
      Watch(wall, {"reference={type: sinusoid, amplitude: [1.2, 0], frequency_hz: 0.5}"});
  EXPECT_TRUE(touching.limited);
  EXPECT_LT(touching.violation, 1e-3);
}

TEST(CoupledJoints, ARunTellsOfThoseThatComeApart) {
  const TemporaryFolder folder;
  // A coupling of a given stiffness is left as it is: here it is a weak spring.
  const std::string file = folder.Write("weak.xml", R"(<mujoco><compiler angle="radian"/><worldbody>
    <body><joint name="a" axis="0 0 1"/><geom size=".05" pos=".2 0 0"/></body>
    <body pos="0 1 0"><joint name="b" axis="0 1 0" range="-1 3"/><geom size=".05" pos=".2 0 0"/>
    </body></worldbody><equality><joint joint1="b" joint2="a" solref="-20 -5"/></equality>
    <actuator><motor joint="a"/></actuator></mujoco>)");
  const Seen seen = Watch(file, {});
  EXPECT_THAT(seen.notices, testing::Not(Contains(HasSubstr("simulated harder"))));
  EXPECT_GT(seen.violation, 0.04);
  EXPECT_THAT(seen.notes,
              ElementsAre(testing::AllOf(HasSubstr("the coupling of b to a was violated by up to "),
                                         HasSubstr(" % of its range"))));
}

TEST(CoupledJoints, ARunTellsOfLoopsThatOpen) {
  const TemporaryFolder folder;
  const std::string loop = R"(<mujoco><worldbody><site name="w" pos=".3 0 0"/>
    <body><joint name="a" axis="0 1 0"/><geom size=".05" pos=".2 0 0"/>
      <body pos=".3 0 0"><joint name="b" axis="0 1 0"/><geom size=".05" pos="0 0 .2"/>
        <body pos="0 0 .3"><joint name="c" axis="0 1 0"/><geom size=".05" pos="-.1 0 0"/>
          <site name="s" pos="0 0 -.3"/></body></body></body></worldbody>
    <equality><connect name="pin" site1="s" site2="w" SOLREF/></equality>
    <actuator><motor joint="a"/></actuator></mujoco>)";
  std::string weak = loop, hard = loop;
  weak.replace(weak.find("SOLREF"), 6, "solref='-50 -10'");
  hard.replace(hard.find("SOLREF"), 6, "solref='.004 1'");
  EXPECT_THAT(Watch(folder.Write("m.xml", weak), {}).notes,
              Contains(HasSubstr("the loops 'pin' were open by up to ")));
  EXPECT_THAT(Watch(folder.Write("m.xml", hard), {}).notes, Not(Contains(HasSubstr("the loops"))));
}

/// A carriage of 60 kg on three slides, carried by an arm whose hand is welded to a mocap body.
std::string Carried(const std::string& solref) {
  std::string text =
      R"(<mujoco><option timestep="0.002"/><default><geom contype="0" conaffinity="0"/></default>
    <worldbody><body name="grip" mocap="true" pos="0.5 0 1"/><body name="carriage" pos="0 0 0.7">
      <joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>
      <joint name="z" type="slide" axis="0 0 1"/><geom type="box" size=".2 .2 .1" mass="60"/>)";
  const char* axes[] = {"0 0 1", "0 1 0", "1 0 0", "0 1 0", "1 0 0", "0 1 0", "1 0 0"};
  for (int i = 0; i < 7; ++i) {
    text += "<body name=\"p" + std::to_string(i) + "\" pos=\".15 0 0\" euler=\"0 " +
            std::to_string(i % 2 == 0 ? 35 : -50) + " 0\"><joint name=\"h" + std::to_string(i) +
            "\" axis=\"" + axes[i] +
            "\"/><geom type=\"capsule\" size=\".03\" fromto=\"0 0 0 .15 0 0\" mass=\"2\"/>";
  }
  for (int i = 0; i < 7; ++i) text += "</body>";
  return text +
         "</body></worldbody><equality><weld name=\"hold\" body1=\"grip\" body2=\"p6\" solref=\"" +
         solref + "\"/></equality></mujoco>";
}

TEST(CoupledJoints, WeldsToMocapBodiesHold) {
  const TemporaryFolder folder;
  const std::string file = folder.Write("carried.xml", Carried("0.02 1"));
  for (const std::string loops : {"soft", "exact"}) {
    SCOPED_TRACE(loops);
    Simulation simulation = MakeSimulation(file, {"plant.loops=" + loops});
    const auto hardened =
        Contains(HasSubstr("simulated harder than the model says; plant.loops=exact "
                           "holds exactly: hold"));
    if (loops == "soft") {
      EXPECT_THAT(simulation.scene().notices, hardened);
    } else {
      EXPECT_THAT(simulation.scene().notices, Not(hardened));
    }
    CouplingWatch watch(simulation.scene());
    double worst = 0;
    while (simulation.time() < 1.999) {
      ASSERT_TRUE(simulation.Step()) << simulation.failure().reason;
      watch.Add(simulation.record().t, simulation.record().q);
      worst = std::max(worst, simulation.record().e.cwiseAbs().maxCoeff());
    }
    EXPECT_THAT(watch.Notes(), IsEmpty());
    EXPECT_LT(worst, 0.02);
  }
}

}  // namespace coupled_joints_test
}  // namespace civita
