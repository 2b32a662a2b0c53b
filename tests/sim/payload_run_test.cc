#include <gtest/gtest.h>

#include <memory>

#include "civita/sim/simulation.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace payload_run_test {

// A mass of 1 kg on a vertical slide.
constexpr const char* kLift = R"(<mujoco><option timestep="0.001" gravity="0 0 -10"/><worldbody>
  <body name="cabin"><joint name="z" type="slide" axis="0 0 1"/>
  <inertial mass="1" pos="0 0 0" diaginertia=".1 .1 .1"/></body></worldbody></mujoco>)";

class PayloadRunTest : public testing::TestWithParam<const char*> {
 protected:
  PayloadRunTest()
      : simulation_(LoadScene(ReadConfig(
            folder_.Write("lift.xml", kLift),
            {"payload={body: cabin, mass_kg: 2, at_s: 0.5}", "reference.type=hold",
             "gains={Lambda: 10, K_D: 20}", std::string("control.mode=") + GetParam()}))) {}

  // The mass that follows from the forces.
  double Mass() const { return simulation_.record().tau[0] / (10 + simulation_.data()->qacc[0]); }

  TemporaryFolder folder_;
  Simulation simulation_;
};

TEST_P(PayloadRunTest, TheMassChangesAtItsTimeAndStays) {
  simulation_.RunFor(500);
  EXPECT_NEAR(Mass(), 1, 1e-12);
  EXPECT_NEAR(simulation_.record().V, 0, 1e-20);
  simulation_.Step();  // the step that starts at 0.5 s
  EXPECT_NEAR(simulation_.record().t, 0.5, 1e-12);
  if (simulation_.scene().config.mode == ControlMode::kHeld) {
    EXPECT_NEAR(Mass(), 3, 1e-12);
  }
  simulation_.RunFor(5000);
  EXPECT_NEAR(simulation_.record().tau[0], 30, 1e-6);  // sags until the gains carry its weight
  EXPECT_NEAR(simulation_.record().e[0], -20.0 / (10 * 20 * 1), 1e-6);
}

TEST_P(PayloadRunTest, GoingBackPutsItDown) {
  Simulation::Saved saved;
  simulation_.RunFor(100);
  simulation_.Save(&saved);
  simulation_.RunFor(900);
  EXPECT_LT(simulation_.record().e[0], -0.01);
  simulation_.Restore(saved);
  simulation_.RunFor(300);
  EXPECT_NEAR(Mass(), 1, 1e-12);
  simulation_.Reset();
  simulation_.RunFor(300);
  EXPECT_NEAR(Mass(), 1, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Modes, PayloadRunTest, testing::Values("held", "every_stage"));

}  // namespace payload_run_test
}  // namespace civita
