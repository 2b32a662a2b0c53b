#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "civita/sim/simulation.h"

namespace civita {
namespace actuation_delay_test {

constexpr LawInfo kClockworkLaw = {
    .type = "clockwork", .title = "", .law = "", .parameters = {}, .make = nullptr};

/// τ = [1 + t, −2t], whatever the motion.
class Clockwork final : public Controller {
 public:
  explicit Clockwork(const Model& model) : Controller(model, kClockworkLaw, {}) {}
  Status CalcControl(const Measurement& measured, const ReferenceState& /*reference*/,
                     ControlOutput& output) override {
    output.tau << 1 + measured.t, -2 * measured.t;
    return Status::kOk;
  }
  StorageState CalcStorage(const PlantState& /*plant*/, const ControlOutput& /*output*/) override {
    return {};
  }
};

Simulation MakeClockwork(const std::string& delay) {
  auto scene = LoadScene(
      ReadConfig("planar_2r", {"control.actuation_delay_s=" + delay, "control.rate_hz=1000"}));
  scene->controller = std::make_unique<Clockwork>(scene->control_model);
  return Simulation(std::move(scene));
}

TEST(ActuationDelay, TorquesComeExactlySoManyStepsLate) {
  for (const int steps : {0, 1, 4}) {
    Simulation simulation = MakeClockwork(std::to_string(0.001 * steps));
    for (int k = 0; k < 20; ++k) {
      ASSERT_TRUE(simulation.Step());
      const double t = 0.001 * std::max(0, k - steps);
      EXPECT_LE((simulation.record().tau - Eigen::Vector2d(1 + t, -2 * t)).norm(), 1e-14) << k;
      simulation.Evaluate();  // changes nothing
    }
  }
}

TEST(ActuationDelay, TorquesUnderWayAreSavedAndRestored) {
  Simulation simulation = MakeClockwork("0.005");
  simulation.RunFor(33);
  Simulation::Saved saved;
  simulation.Save(&saved);
  std::vector<Eigen::VectorXd> torques;
  for (int k = 0; k < 10 && simulation.Step(); ++k) torques.push_back(simulation.record().tau);
  simulation.RunFor(17);
  simulation.Restore(saved);
  for (const Eigen::VectorXd& tau : torques) {
    ASSERT_TRUE(simulation.Step());
    EXPECT_EQ(simulation.record().tau, tau);
  }
}

}  // namespace actuation_delay_test
}  // namespace civita
