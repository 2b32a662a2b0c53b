#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "civita/sim/signals.h"
#include "civita/sim/simulation.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace whole_body_run_test {

double Column(const Simulation& simulation, const std::string& name) {
  const SignalTable table(simulation.scene());
  std::vector<double> row(table.width());
  table.Fill(simulation.record(), std::span(row));
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (table.columns()[i] == name) return row[i];
  }
  ADD_FAILURE() << "no column " << name;
  return 0;
}

// Compares MuJoCo's contact forces and the law's commanded ones with the weight.
TEST(StaticStance, FeetCarryTheWeightAndWhatTheLawAsks) {
  for (const char* scene : {"quadruped", "biped"}) {
    SCOPED_TRACE(scene);
    Simulation simulation = MakeSimulation(scene, {"controller.type=whole_body"});
    ASSERT_EQ(simulation.RunFor(2000), 2000);
    const double weight = simulation.mj()->body_subtreemass[0] * -simulation.mj()->opt.gravity[2];
    const Eigen::VectorXd& force = simulation.record().legs.foot_force;
    EXPECT_NEAR(force.sum(), weight, 1e-3 * weight);
    for (Eigen::Index i = 0; i < force.size(); ++i) {
      const double commanded = Column(simulation, "/law/f_z/" + std::to_string(i));
      EXPECT_NEAR(force[i], commanded, 0.02 * commanded) << i;
      EXPECT_EQ(force[i], Column(simulation, "/foot_force/" + std::to_string(i)));
    }
  }
}

// All links are 30 % heavier than in the law's model; observer or adaptation compensates the
// difference.
TEST(WholeBodyRun, ObserverAndAdaptationLiftTheTrunkAgain) {
  const auto sag = [](const char* scene, const std::vector<std::string>& overrides) {
    Simulation simulation = MakeSimulation(scene, overrides);
    EXPECT_EQ(simulation.RunFor(3000), 3000);
    return -Column(simulation, "/e/2");
  };
  EXPECT_GT(sag("quadruped_payload", {"observer.compensate=false"}), 4e-3);
  EXPECT_LT(std::abs(sag("quadruped_payload", {})), 2e-5);
  EXPECT_LT(std::abs(sag("quadruped_payload_adaptive", {})), 2e-4);
}

// The legs are too heavy as well, which must not be taken for a load away from the centre of mass.
TEST(WholeBodyRun, TheObserverKeepsARobotOfHeavyLinksUpright) {
  Simulation simulation = MakeSimulation(
      "biped", {"plant.mass_scale=1.2", "observer.gain=5", "observer.compensate=true"});
  EXPECT_EQ(simulation.RunFor(4000), 4000);
  EXPECT_LT(Column(simulation, "/tilt"), 1e-3);
  EXPECT_LT(std::abs(Column(simulation, "/e/0")), 1e-4);
}

/// RMS of ΔV/Δt − V̇, V̇ with the law's v̇_r, while the biped squats on its anchors, W.
double StorageMisfit(const std::string& momentum_weight) {
  Simulation simulation =
      MakeSimulation("biped_squat", {"legs.momentum_weight=" + momentum_weight});
  EXPECT_EQ(simulation.RunFor(1500), 1500);
  constexpr int kSteps = 2500;
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double V = simulation.record().V, Vdot = simulation.record().Vdot;
    const double t = simulation.record().t;
    EXPECT_TRUE(simulation.Step());
    const double rate = (simulation.record().V - V) / (simulation.record().t - t);
    sum += std::pow(rate - 0.5 * (Vdot + simulation.record().Vdot), 2);
  }
  return std::sqrt(sum / kSteps);
}

// The rows of the momentum have exact rates like all others.
TEST(WholeBodyRun, StorageChangesAsPromisedWithMomentumRowsAndWithout) {
  const double without = StorageMisfit("0"), with = StorageMisfit("0.1");
  EXPECT_LT(with, 2 * without);
  EXPECT_LT(without, 2 * with);
  EXPECT_LT(with, 2e-5);
}

/// How the energy balance of a legged scene moves, each as a share of what the law dissipates.
struct Balance {
  double peak = 0;    ///< of its magnitude
  double median = 0;  ///< median of |change| in a control step, times the steps
};

Balance MeasureBalance(const char* scene, double seconds, int rate_hz) {
  const std::string rate = std::to_string(rate_hz);
  Simulation simulation = MakeSimulation(
      scene, {"control.rate_hz=" + rate, "physics.timestep_s=" + std::to_string(1.0 / rate_hz)});
  const int steps = static_cast<int>(seconds * rate_hz);
  std::vector<double> changes;
  double peak = 0, dissipated = 0, before = 0;
  for (int i = 0; i < steps; ++i) {
    EXPECT_TRUE(simulation.Step());
    const double balance = simulation.record().energy_balance;
    changes.push_back(std::abs(balance - before));
    peak = std::fmax(peak, std::abs(balance));
    dissipated += simulation.record().P / rate_hz;
    before = balance;
  }
  std::nth_element(changes.begin(), changes.begin() + steps / 2, changes.end());
  return {peak / dissipated, changes[static_cast<size_t>(steps / 2)] * steps / dissipated};
}

// V̇ = −P with the power of what the feet do not supply and of contact forces beside the commanded
// ones. What is left is that the torque is held, of first order in the control period; where steps
// begin and end, v_r jumps.
TEST(WholeBodyRun, EnergyIsBalancedToTheOrderOfTheControlPeriod) {
  struct Case {
    const char* scene;
    double seconds;
    bool steps;
  };
  for (const auto& [scene, seconds, steps] :
       {Case{"quadruped", 1, false}, Case{"quadruped_sine", 3, false},
        Case{"quadruped_push", 3, false}, Case{"biped", 1, false}, Case{"biped_squat", 3, false},
        Case{"biped_one_leg", 4, false}, Case{"quadruped_trot", 3, true},
        Case{"biped_walk", 3, true}}) {
    SCOPED_TRACE(scene);
    const Balance coarse = MeasureBalance(scene, seconds, 1000);
    const Balance fine = MeasureBalance(scene, seconds, 2000);
    EXPECT_LT(fine.median, 0.6 * coarse.median);
    EXPECT_LT(fine.median, 0.03);
    if (steps) continue;
    EXPECT_LT(fine.peak, 0.6 * coarse.peak);
    EXPECT_LT(fine.peak, 0.02);
  }
}

// The law's signals of feet and the observer's of coordinates have different names.
TEST(WholeBodyRun, NoTwoSignalsHaveOneName) {
  const Simulation simulation = MakeSimulation(
      "quadruped", {"controller.type=whole_body", "observer={gain: 10, threshold: 5}"});
  const SignalTable table(simulation.scene());
  const std::set<std::string> names(table.columns().begin(), table.columns().end());
  EXPECT_EQ(names.size(), table.columns().size());
  EXPECT_TRUE(names.contains("/law/contact/0"));
  EXPECT_TRUE(names.contains("/observer/contact/0"));
}

std::vector<Eigen::VectorXd> Torques(Simulation* simulation, int steps) {
  std::vector<Eigen::VectorXd> torques;
  for (int i = 0; i < steps && simulation->Step(); ++i) torques.push_back(simulation->record().tau);
  return torques;
}

TEST(WholeBodyRun, SameBitsAfterRestoreAndResetWithAllErrors) {
  Simulation simulation = MakeSimulation(
      "quadruped",
      {"controller.type=whole_body", "noise.joint_position=5e-4", "noise.joint_velocity=0.02",
       "noise.orientation_rad=0.0035", "noise.angular_velocity=0.02", "noise.position_m=0.002",
       "noise.velocity=0.02", "control.delay_s=0.002", "control.actuation_delay_s=0.002",
       "plant.mass_error=0.2", "seed=3"});
  const std::vector<Eigen::VectorXd> start = Torques(&simulation, 50);
  ASSERT_EQ(start.size(), 50u);
  Simulation::Saved saved;
  simulation.Save(&saved);
  const std::vector<Eigen::VectorXd> later = Torques(&simulation, 50);
  const Eigen::VectorXd force = simulation.record().legs.foot_force;
  simulation.Restore(saved);
  simulation.Evaluate();
  EXPECT_EQ(Torques(&simulation, 50), later);
  EXPECT_EQ(simulation.record().legs.foot_force, force);
  simulation.Reset();
  EXPECT_EQ(Torques(&simulation, 50), start);
  EXPECT_EQ(Torques(&simulation, 50), later);
}

}  // namespace whole_body_run_test
}  // namespace civita
