#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "civita/sim/signals.h"
#include "civita/sim/simulation.h"

namespace civita {
namespace law_state_test {

constexpr LawInfo kIntegratingLaw = {
    .type = "integrating", .title = "", .law = "", .parameters = {}, .make = nullptr};

/// Gives no torque and integrates ẋ = [cos t, −x₁ + Σ τ]; one signal, x₀.
class Integrating final : public Controller {
 public:
  explicit Integrating(const Model& model) : Controller(model, kIntegratingLaw, {}) {
    DefineState(2);
    DefineSignals({{.name = "/x0"}});
  }
  Status CalcControl(const Measurement& measured, const ReferenceState& /*reference*/,
                     ControlOutput& output) override {
    t_ = measured.t;
    output.tau.setZero();
    output.signals[0] = state_[0];
    return Status::kOk;
  }
  StorageState CalcStorage(const PlantState& /*plant*/, const ControlOutput& /*output*/) override {
    return {};
  }

 private:
  void ResetLaw(const Measurement& start, const ReferenceState& /*reference*/,
                Eigen::Ref<Eigen::VectorXd> x) override {
    x << std::sin(start.t), 1;
  }
  void CalcLawRate(const Eigen::VectorXd& tau_applied, const ControlOutput& /*output*/,
                   Eigen::Ref<Eigen::VectorXd> xdot) override {
    xdot << std::cos(t_), -state_[1] + tau_applied.sum();
  }

  double t_ = 0;
};

Simulation MakeIntegrating(const std::string& mode, const std::string& timestep) {
  auto scene = LoadScene(ReadConfig(
      "planar_2r", {"control.mode=" + mode, "physics.timestep_s=" + timestep,
                    "control.rate_hz=" + std::to_string(std::lround(1 / std::stod(timestep)))}));
  scene->controller = std::make_unique<Integrating>(scene->control_model);
  return Simulation(std::move(scene));
}

/// Maximum error of the state after 0.4 s.
double ErrorOf(const std::string& mode, const std::string& timestep) {
  Simulation simulation = MakeIntegrating(mode, timestep);
  simulation.RunFor(std::lround(0.4 / std::stod(timestep)));
  const Eigen::VectorXd& x = simulation.controller().state();
  return std::max(std::abs(x[0] - std::sin(0.4)), std::abs(x[1] - std::exp(-0.4)));
}

TEST(LawState, HeldIsOfFirstOrder) {
  const double coarse = ErrorOf("held", "0.004");
  EXPECT_LT(coarse, 2e-3);
  EXPECT_NEAR(coarse / ErrorOf("held", "0.002"), 2, 0.05);
}

TEST(LawState, EveryStageIsOfFourthOrder) {
  const double coarse = ErrorOf("every_stage", "0.02");
  EXPECT_LT(coarse, 1e-8);
  EXPECT_NEAR(coarse / ErrorOf("every_stage", "0.01"), 16, 1);
}

TEST(LawState, GoesBackWithThePlant) {
  for (const char* mode : {"held", "every_stage"}) {
    Simulation simulation = MakeIntegrating(mode, "0.001");
    simulation.RunFor(20);
    Simulation::Saved saved;
    simulation.Save(&saved);
    simulation.RunFor(20);
    const Eigen::VectorXd later = simulation.controller().state();
    simulation.Restore(saved);
    EXPECT_NE(simulation.controller().state(), later);
    simulation.RunFor(20);
    EXPECT_EQ(simulation.controller().state(), later);
    simulation.Reset();
    EXPECT_EQ(simulation.controller().state(), Eigen::Vector2d(0, 1));
  }
}

TEST(LawState, SignalsAreRecorded) {
  Simulation simulation = MakeIntegrating("held", "0.001");
  simulation.RunFor(100);
  EXPECT_NEAR(simulation.record().signals[0], std::sin(0.099), 1e-4);
  const SignalTable table(simulation.scene());
  std::vector<double> row(table.width());
  table.Fill(simulation.record(), std::span(row));
  ASSERT_NE(table.Find("/law/x0"), nullptr);
  EXPECT_EQ(row[table.Find("/law/x0")->column], simulation.record().signals[0]);
}

}  // namespace law_state_test
}  // namespace civita
