// Dry friction that the simulator makes soft is known to the law and to its observer.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace soft_friction_run_test {

TEST(SoftFriction, IsNoDisturbance) {
  const TemporaryFolder folder;
  Simulation simulation = MakeSimulation(
      folder.Write("rail.xml", R"(<mujoco><option timestep=".001" gravity="0 0 0"/><worldbody><body>
        <joint type="slide" axis="1 0 0" frictionloss="300" solimpfriction=".1 .1 .001"/>
        <geom size=".1" mass="20"/></body></worldbody></mujoco>)"),
      {"observer.gain=20", "reference.amplitude=0.2"});
  double disturbance = 0, torque = 0, error = 0;
  for (int k = 0; k < 2000; ++k) {
    ASSERT_TRUE(simulation.Step());
    disturbance = std::max(disturbance, std::abs(simulation.controller().observer()->r()[0]));
    torque = std::max(torque, std::abs(simulation.record().tau[0]));
    error = std::max(error, std::abs(simulation.record().e[0]));
  }
  EXPECT_GT(torque, 250) << "friction is most of it";
  EXPECT_LT(disturbance, 0.01 * torque);
  EXPECT_LT(error, 1e-4);
}

}  // namespace soft_friction_run_test
}  // namespace civita
