#include <gtest/gtest.h>

#include <string>

#include "civita/controllers/legs/stepping_state.h"
#include "civita/sim/simulation.h"
#include "tests/scenes/plant/standing_models.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace leg_home_run_test {

// A biped whose trunk and soles have axes of their own stands as if they were the world's.
TEST(LegHomeRun, StandsWhateverTheAxesOfTheFile) {
  const TemporaryFolder folder;
  const Biped turned{.base_quat = "0.5 -0.5 0.5 0.5",
                     .base_back = "0.5 0.5 -0.5 -0.5",
                     .sole_quat = {"0.6 0.8 0 0", "0.5 0.5 -0.5 0.5"},
                     .sole_back = {"0.6 -0.8 0 0", "0.5 -0.5 0.5 -0.5"}};
  const auto run = [&folder](const Biped& biped) {
    Simulation simulation = MakeSimulation(
        folder.Write("m.xml", ToMjcf(biped)),
        {"controller.type=whole_body", "reference.type=hold", "legs.feet=[l_foot, r_foot]"});
    EXPECT_EQ(simulation.RunFor(1000), 1000);
    EXPECT_LT(simulation.record().legs.tilt, 2e-3);
    EXPECT_EQ(simulation.scene().controller->stepping()->steps, 0);
    return simulation.record().legs;
  };
  const LegReading plain = run({}), other = run(turned);
  EXPECT_NEAR(plain.tilt, other.tilt, 1e-6);
  EXPECT_LT((plain.foot_force - other.foot_force).norm(), 1e-3 * plain.foot_force.norm());
}

}  // namespace leg_home_run_test
}  // namespace civita
