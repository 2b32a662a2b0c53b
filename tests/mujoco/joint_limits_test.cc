// Limits of joints that several actuators drive, next to actuators with other numbers of controls
// and outputs.

#include "civita/mujoco/joint_limits.h"

#include <limits>
#include <memory>
#include <string>

#include "civita/mujoco/convert.h"
#include "gtest/gtest.h"
#include "tests/oracles/mujoco/mujoco_tree.h"

namespace civita {
namespace joint_limits_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using ModelPtr = std::unique_ptr<mjModel, MujocoDeleter>;

/// A ball joint and two hinges, with these actuators.
ModelPtr WithActuators(const std::string& actuators, const std::string& option = "") {
  return CompileMjcf("<mujoco>" + option + R"(<worldbody>
    <body><joint name="ball" type="ball"/><geom size=".1"/>
    <body pos="1 0 0"><joint name="elbow" axis="0 1 0" actuatorfrcrange="-70 500"/><geom size=".1"/>
    <body pos="1 0 0"><joint name="wrist" axis="0 0 1"/><geom size=".1"/></body></body></body>
    </worldbody><actuator>)" +
                     actuators + "</actuator></mujoco>");
}

/// Lower and upper limit of a hinge's torque.
std::pair<double, double> EffortOf(const ModelPtr& m, const char* joint) {
  const Model model = BuildModel(*m);
  const int iv = model.FindJoint(joint).iv;
  return {model.effort_lower()[iv], model.effort_upper()[iv]};
}

TEST(JointLimits, AreOfTheActuatorsOwnOutputsAndControls) {
  const ModelPtr m = WithActuators(R"(
    <motor joint="wrist" gear="3" ctrllimited="true" ctrlrange="-2 5"/>
    <orientation joint="ball" kp="4"/>
    <motor joint="wrist" gear="-8" ctrllimited="true" ctrlrange="-1 4" forcelimited="true"
      forcerange="-3 2"/>
    <orientation joint="ball" kp="2"/>
    <position joint="elbow" gear="20" kp="9" forcelimited="true" forcerange="-6 11"/>)");
  ASSERT_GT(m->nu, m->nactuator);
  EXPECT_EQ(EffortOf(m, "wrist"), std::pair(3 * -2.0 - 8 * 2.0, 3 * 5.0 + 8 * 1.0));
  EXPECT_EQ(EffortOf(m, "elbow"), std::pair(-70.0, 220.0));
  // What MuJoCo's own step applies at the ends of the controls.
  const std::unique_ptr<mjData, MujocoDeleter> d(mj_makeData(m.get()));
  for (const double sign : {1.0, -1.0}) {
    for (int i = 0; i < m->nu; ++i) d->ctrl[i] = 0;
    d->ctrl[m->actuator_ctrladr[0]] = 1e6 * sign;
    d->ctrl[m->actuator_ctrladr[2]] = -1e6 * sign;
    mj_forward(m.get(), d.get());
    const auto [lower, upper] = EffortOf(m, "wrist");
    EXPECT_DOUBLE_EQ(d->qfrc_actuator[m->nv - 1], sign > 0 ? upper : lower);
  }
}

TEST(JointLimits, DisabledActuatorsAndClampsDoNotCount) {
  const char* actuators = R"(
    <motor joint="wrist" gear="2" ctrllimited="true" ctrlrange="-1 1" group="4"/>
    <motor joint="wrist" gear="5" ctrllimited="true" ctrlrange="-1 1" group="1"/>)";
  EXPECT_EQ(EffortOf(WithActuators(actuators), "wrist"), std::pair(-7.0, 7.0));
  EXPECT_EQ(EffortOf(WithActuators(actuators, R"(<option actuatorgroupdisable="4"/>)"), "wrist"),
            std::pair(-5.0, 5.0));
  EXPECT_EQ(EffortOf(WithActuators(actuators, R"(<option actuatorgroupdisable="1 4"/>)"), "wrist"),
            std::pair(-kInfinity, kInfinity));
  EXPECT_EQ(EffortOf(WithActuators(actuators, R"(<option><flag clampctrl="disable"/></option>)"),
                     "wrist"),
            std::pair(-kInfinity, kInfinity));
}

}  // namespace joint_limits_test
}  // namespace civita
