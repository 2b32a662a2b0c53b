// Grippers whose fingers one actuator moves by a fixed tendon.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace tendon_gripper_test {

using testing::Contains;
using testing::HasSubstr;

/// An arm with one motor and a gripper of two fingers, coupled or not, with an actuator on a fixed
/// tendon.
std::string Gripper(const std::string& equality, const std::string& actuator) {
  return R"(<mujoco><option timestep="0.002"/><worldbody>
    <body name="arm" pos="0 0 1"><joint name="shoulder" axis="0 1 0"/>
      <geom type="capsule" size=".03" fromto="0 0 0 .3 0 0"/>
      <body name="left" pos=".32 .03 0"><joint name="l" type="slide" axis="0 1 0" range="0 .05"/>
        <geom type="box" size=".01 .005 .03"/></body>
      <body name="right" pos=".32 -.03 0"><joint name="r" type="slide" axis="0 -1 0" range="0 .05"/>
        <geom type="box" size=".01 .005 .02"/></body></body></worldbody>
    <tendon><fixed name="split"><joint joint="l" coef=".7"/><joint joint="r" coef=".4"/></fixed>
    </tendon>)" +
         equality + "<actuator><motor joint='shoulder'/>" + actuator + "</actuator></mujoco>";
}

constexpr const char* kCoupled = "<equality><joint joint1='r' joint2='l'/></equality>";

TEST(TendonGripper, ATendonDrivesACoupledGripper) {
  const TemporaryFolder folder;
  for (const std::string actuator :
       {"<motor tendon='split' gear='2'/>", "<position tendon='split' kp='50'/>"}) {
    for (const std::string law : {"slotine_li", "pd_gravity", "computed_torque", "adaptive"}) {
      SCOPED_TRACE(law + ", " + actuator);
      Simulation simulation =
          MakeSimulation(folder.Write("gripper.xml", Gripper(kCoupled, actuator)),
                         {"controller.type=" + law, "reference.fade_s=0.2"});
      EXPECT_EQ(simulation.scene().controller->undriven().number, 0);
      double moved = 0;
      while (simulation.time() < 2) {
        ASSERT_TRUE(simulation.Step()) << simulation.failure().reason;
        const StepRecord& r = simulation.record();
        moved = std::max(moved, std::abs(r.q[1] - simulation.scene().q_start[1]));
        EXPECT_NEAR(r.q[1], r.q[2], 1e-5) << r.t;
        EXPECT_NEAR(r.tau[1] * 0.4, r.tau[2] * 0.7, 1e-12);
        if (r.t > 1.5) {
          EXPECT_NEAR(r.e[1], 0, 1e-3) << r.t;
        }
        if (testing::Test::HasFailure()) return;
      }
      EXPECT_GT(moved, 1e-3);
    }
  }
}

TEST(TendonGripper, TellsUndrivenDirections) {
  const TemporaryFolder folder;
  const auto notices = [&](const std::string& xml, const std::string& law) {
    return LoadScene(ReadConfig(folder.Write("m.xml", xml), {"controller.type=" + law}))->notices;
  };
  for (const std::string law : {"slotine_li", "pd_gravity"}) {
    EXPECT_THAT(notices(Gripper("", "<motor tendon='split'/>"), law),
                Contains(HasSubstr("1 undriven direction: motors do not move these joints on their "
                                   "own: l, r; ")));
    EXPECT_THAT(notices(Gripper(kCoupled, "<motor tendon='split'/>"), law),
                testing::Not(Contains(HasSubstr("undriven"))));
  }
}

}  // namespace tendon_gripper_test
}  // namespace civita
