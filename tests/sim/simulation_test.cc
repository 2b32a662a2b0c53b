#include "civita/sim/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "civita/error.h"
#include "civita/factorization_text.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace simulation_test {

using testing::HasSubstr;

// Values integrated to 1e-11 by an independent program; see [WES], section IV-A2, for the example.
struct PointMassCase {
  const char* scene;
  double V1, V2, V5, rms, max_z, path;
};

class PointMass : public testing::TestWithParam<PointMassCase> {};

TEST_P(PointMass, GivesThePapersNumbers) {
  const PointMassCase& expected = GetParam();
  Simulation simulation = MakeSimulation(expected.scene);
  ASSERT_EQ(simulation.control_dt(), 0.001);
  double V[3] = {0, 0, 0}, square = 0, max_z = 0, path = 0;
  Eigen::VectorXd last_q;
  for (int k = 0; k <= 10000; ++k) {
    ASSERT_TRUE(simulation.Step());
    const StepRecord& row = simulation.record();
    if (k == 1000) V[0] = row.V;
    if (k == 2000) V[1] = row.V;
    if (k == 5000) V[2] = row.V;
    square += (k == 0 || k == 10000 ? 0.5 : 1) * row.e.squaredNorm();
    max_z = std::max(max_z, std::abs(row.q[2]));
    if (k > 0) path += (row.q - last_q).norm();
    last_q = row.q;
  }
  constexpr double kTolerance = 5e-5;
  EXPECT_NEAR(V[0], expected.V1, kTolerance * expected.V1);
  EXPECT_NEAR(V[1], expected.V2, kTolerance * expected.V2);
  EXPECT_NEAR(V[2], expected.V5, kTolerance * expected.V5);
  EXPECT_NEAR(std::sqrt(square / 10000), expected.rms, kTolerance * expected.rms);
  EXPECT_NEAR(max_z, expected.max_z, kTolerance * expected.max_z + 1e-12);
  EXPECT_NEAR(path, expected.path, kTolerance * expected.path);
}

INSTANTIATE_TEST_SUITE_P(Paper, PointMass,
                         testing::Values(PointMassCase{"point_mass", 0.348642, 0.0282247,
                                                       0.00234061, 0.350065, 0, 9.698138},
                                         PointMassCase{"point_mass_5", 0.350875, 0.0279387,
                                                       0.00241232, 0.331607, 0.135567, 9.701344},
                                         PointMassCase{"point_mass_10", 0.350871, 0.0279183,
                                                       0.00242105, 0.331066, 0.081172, 9.701155}),
                         [](const auto& test) { return std::string(test.param.scene); });

// V̇ uses the acceleration of the forward dynamics, whatever the integrator makes of it, so it
// cancels P to rounding for an exact model. With damping the implicit integrators' accelerations
// differ.
TEST(Simulation, StorageRateUsesTheForwardAcceleration) {
  const TemporaryFolder folder;
  for (const int integrator : {mjINT_EULER, mjINT_RK4, mjINT_IMPLICIT, mjINT_IMPLICITFAST}) {
    std::unique_ptr<Scene> scene = LoadScene(ReadConfig(WriteBallArm(folder), {kBallArmThrow}));
    scene->mj->opt.integrator = integrator;
    Simulation simulation(std::move(scene));
    double largest_P = 0;
    for (int k = 0; k < 200; ++k) {
      ASSERT_TRUE(simulation.Step());
      const StepRecord& row = simulation.record();
      largest_P = std::max(largest_P, row.P);
      ASSERT_NEAR(row.Vdot, -row.P, 1e-10 * largest_P) << "integrator " << integrator;
    }
    EXPECT_GT(largest_P, 1);
  }
}

/// Maximum residual of a run's passivity, relative to the maximum P.
double PassivityResidual(const std::string& model, const char* mode, double dt) {
  std::vector<std::string> overrides = {kBallArmThrow, std::string("control.mode=") + mode,
                                        "physics.timestep_s=" + std::to_string(dt),
                                        "control.rate_hz=" + std::to_string(1 / dt)};
  Simulation simulation = MakeSimulation(model, overrides);
  EXPECT_NEAR(simulation.control_dt(), dt, 1e-12);
  std::vector<double> V, P;
  while (simulation.time() < 0.3) {
    EXPECT_TRUE(simulation.Step());
    V.push_back(simulation.record().V);
    P.push_back(simulation.record().P);
  }
  double residual = 0;
  for (std::size_t k = 0; k + 2 < V.size(); ++k) {
    residual = std::max(
        residual, std::abs((V[k + 2] - V[k]) / (2 * dt) + (P[k] + 4 * P[k + 1] + P[k + 2]) / 6));
  }
  return residual / *std::max_element(P.begin(), P.end());
}

TEST(Simulation, EveryStageIsPassiveToFourthOrderOnRotationsToo) {
  const TemporaryFolder folder;
  const std::string model = WriteBallArm(folder);
  const double coarse = PassivityResidual(model, "every_stage", 0.002);
  const double fine = PassivityResidual(model, "every_stage", 0.001);
  EXPECT_LT(fine, 1e-6);
  EXPECT_NEAR(std::log2(coarse / fine), 4, 0.3);
}

TEST(Simulation, HeldIsPassiveToFirstOrder) {
  const TemporaryFolder folder;
  const std::string model = WriteBallArm(folder);
  const double coarse = PassivityResidual(model, "held", 0.001);
  const double fine = PassivityResidual(model, "held", 0.0005);
  EXPECT_GT(fine, 1e-4);
  EXPECT_NEAR(std::log2(coarse / fine), 1, 0.2);
}

TEST(Simulation, ModesAgreeInTheLimit) {
  const TemporaryFolder folder;
  const std::string model = WriteBallArm(folder);
  const auto run = [&](const std::vector<std::string>& overrides) {
    std::vector<std::string> all = {kBallArmThrow};
    all.insert(all.end(), overrides.begin(), overrides.end());
    Simulation simulation = MakeSimulation(model, all);
    while (simulation.time() < 0.2 - 1e-9) EXPECT_TRUE(simulation.Step());
    simulation.Evaluate();
    return simulation.record().e;
  };
  const Eigen::VectorXd exact = run({"control.mode=every_stage"});
  const Eigen::VectorXd held = run({});
  const Eigen::VectorXd held_fine = run({"physics.timestep_s=0.0001", "control.rate_hz=10000"});
  EXPECT_GT((held - exact).norm(), 1e-6);
  EXPECT_LT((held_fine - exact).norm(), 0.15 * (held - exact).norm());
}

TEST(Simulation, TimesAreRoundNumbers) {
  Simulation simulation = MakeSimulation("planar_2r");
  ASSERT_EQ(simulation.RunFor(1000), 1000);
  EXPECT_EQ(simulation.time(), 1.0);
  EXPECT_EQ(simulation.record().t, 0.999);
}

TEST(Simulation, HoldsTheTorqueOverSubsteps) {
  Simulation simulation =
      MakeSimulation("planar_2r", {"control.rate_hz=500", "physics.timestep_s=0.0005"});
  ASSERT_EQ(simulation.RunFor(500), 500);
  EXPECT_EQ(simulation.time(), 1.0);
  EXPECT_EQ(simulation.control_dt(), 0.002);
}

void ExpectSameBits(const StepRecord& a, const StepRecord& b) {
  EXPECT_EQ(a.t, b.t);
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.v, b.v);
  EXPECT_EQ(a.tau, b.tau);
  EXPECT_EQ(a.V, b.V);
  EXPECT_EQ(a.Vdot, b.Vdot);
  EXPECT_EQ(a.energy_balance, b.energy_balance);
}

TEST(Simulation, RepeatsItselfAfterResetAndRestore) {
  for (const char* mode : {"held", "every_stage"}) {
    Simulation simulation = MakeSimulation(
        "arm7", {std::string("control.mode=") + mode, "initial.v=[1, -1, 1, -1, 1, -1, 1]",
                 "pushes=[{body: hand, start_s: 0.2, duration_s: 0.1, force_N: [5, 0, 0]}]"});
    ASSERT_EQ(simulation.RunFor(250), 250);
    Simulation::Saved saved;
    simulation.Save(&saved);
    ASSERT_EQ(simulation.RunFor(150), 150);
    const StepRecord first = simulation.record();
    simulation.Restore(saved);
    EXPECT_EQ(simulation.step(), 250);
    ASSERT_EQ(simulation.RunFor(150), 150);
    ExpectSameBits(simulation.record(), first);
    simulation.Reset();
    ASSERT_EQ(simulation.RunFor(400), 400);
    ExpectSameBits(simulation.record(), first);
  }
}

TEST(Simulation, BooksPushesInTheEnergyBalance) {
  const TemporaryFolder folder;
  const std::string model = WriteBallArm(folder);
  const std::string push =
      "pushes=[{body: hand, start_s: 0.1, duration_s: 0.1, force_N: [0, 20, 10]}]";
  for (const char* controller : {"slotine_li", "pd_gravity", "computed_torque"}) {
    // The PD law's proof does not cover a moving reference.
    Simulation simulation = MakeSimulation(
        model, {"control.mode=every_stage", push, std::string("controller.type=") + controller,
                "reference.type=hold"});
    double peak_V = 0, peak_balance = 0;
    while (simulation.time() < 0.4) {
      ASSERT_TRUE(simulation.Step());
      peak_V = std::max(peak_V, simulation.record().V);
      peak_balance = std::max(peak_balance, std::abs(simulation.record().energy_balance));
    }
    EXPECT_GT(peak_V, 1e-3) << controller;
    EXPECT_LT(peak_balance, 1e-6 * peak_V) << controller;
  }
}

TEST(Simulation, HeldEnergyBalanceStaysSmallUnderAPush) {
  const TemporaryFolder folder;
  Simulation simulation = MakeSimulation(
      WriteBallArm(folder),
      {"pushes=[{body: hand, start_s: 0.1, duration_s: 0.1, force_N: [0, 20, 10]}]"});
  double peak_V = 0;
  while (simulation.time() < 0.4) {
    ASSERT_TRUE(simulation.Step());
    peak_V = std::max(peak_V, simulation.record().V);
  }
  EXPECT_GT(peak_V, 1e-3);
  EXPECT_LT(std::abs(simulation.record().energy_balance), 0.1 * peak_V);
}

TEST(Simulation, GainChangesAreNotBooked) {
  const TemporaryFolder folder;
  Simulation simulation =
      MakeSimulation(WriteBallArm(folder), {kBallArmThrow, "control.mode=every_stage"});
  ASSERT_EQ(simulation.RunFor(50), 50);
  const double V_before = simulation.record().V;
  simulation.SetGain("Lambda", Eigen::VectorXd::Constant(1, 20));
  ASSERT_TRUE(simulation.Step());
  EXPECT_GT(std::abs(simulation.record().V - V_before), 1e-3 * V_before);
  EXPECT_LT(std::abs(simulation.record().energy_balance), 1e-6 * V_before);
  EXPECT_THROW(simulation.SetGain("Lambda", Eigen::VectorXd::Constant(1, -1)), UserError);
}

TEST(Simulation, PushesAndTheMouseMoveTheRobot) {
  Simulation still = MakeSimulation("arm7");
  Simulation pushed = MakeSimulation("arm7");
  Simulation pulled = MakeSimulation("arm7");
  const int hand = mj_name2id(still.mj(), mjOBJ_BODY, "hand");
  ASSERT_GT(hand, 0);
  for (Simulation* simulation : {&still, &pushed, &pulled}) {
    ASSERT_EQ(simulation->RunFor(100), 100);
  }
  pushed.AddPush({.body = hand, .start_s = 0, .duration_s = 0.1, .force = {10, 0, 0}});
  pulled.SetPerturbation(hand, {10, 0, 0, 0, 0, 0});
  for (Simulation* simulation : {&still, &pushed, &pulled}) {
    ASSERT_EQ(simulation->RunFor(100), 100);
  }
  EXPECT_GT((pushed.record().v - still.record().v).norm(), 1e-3);
  ExpectSameBits(pushed.record(), pulled.record());
  pulled.SetPerturbation(0, {0, 0, 0, 0, 0, 0});
  ASSERT_EQ(pushed.RunFor(100), 100);
  ASSERT_EQ(pulled.RunFor(100), 100);
  ExpectSameBits(pushed.record(), pulled.record());
}

TEST(Simulation, ForcesOnBodiesAreThoseOfTheMouse) {
  Simulation pulled = MakeSimulation("arm7"), forced = MakeSimulation("arm7");
  const int nbody = static_cast<int>(pulled.mj()->nbody);
  std::vector<double> forces(6 * static_cast<std::size_t>(nbody));
  for (int i = 0; i < 6; ++i) forces[forces.size() - 6 + static_cast<std::size_t>(i)] = i;
  pulled.SetPerturbation(nbody - 1, {0, 1, 2, 3, 4, 5});
  forced.SetForces(forces);
  ASSERT_EQ(pulled.RunFor(50), 50);
  ASSERT_EQ(forced.RunFor(50), 50);
  ExpectSameBits(pulled.record(), forced.record());
  pulled.SetPerturbation(0, {0, 0, 0, 0, 0, 0});
  forced.SetForces({});
  ASSERT_EQ(pulled.RunFor(50), 50);
  ASSERT_EQ(forced.RunFor(50), 50);
  ExpectSameBits(pulled.record(), forced.record());
  EXPECT_THROW(forced.SetForces(std::vector<double>(5)), ContractError);
}

TEST(Simulation, ATorqueTakesThePlaceOfTheLaws) {
  Simulation law = MakeSimulation("arm7"), given = MakeSimulation("arm7");
  const Eigen::VectorXd tau = Eigen::VectorXd::LinSpaced(7, -1, 2);
  given.SetTorque(tau);
  ASSERT_TRUE(law.Step() && given.Step());
  EXPECT_EQ(given.record().tau, tau);
  EXPECT_EQ(given.record().e, law.record().e);
  EXPECT_NE(law.record().tau, tau);
  EXPECT_THROW(given.SetTorque(Eigen::VectorXd::Zero(6)), ContractError);
  given.Reset();
  given.SetTorque({});
  ASSERT_TRUE(given.Step());
  ExpectSameBits(law.record(), given.record());
}

TEST(Simulation, LentDataChangeNothing) {
  Simulation alone = MakeSimulation("arm7");
  MjModelPtr model;
  std::unique_ptr<mjData, MjDataDeleter> data;
  {
    Simulation lent = MakeSimulation("arm7");
    ASSERT_EQ(lent.RunFor(20), 20);
    data.reset(mj_makeData(lent.mj()));
    lent.Lend(data.get());
    model.reset(const_cast<mjModel*>(lent.mj()));
    ASSERT_EQ(lent.RunFor(20), 20);
    ASSERT_EQ(alone.RunFor(40), 40);
    EXPECT_EQ(lent.data(), data.get());
    ExpectSameBits(alone.record(), lent.record());
  }
  EXPECT_EQ(data->time, alone.time());
}

TEST(Simulation, BlowUpStopsWithTheReasonAndTheLastFiniteState) {
  const TemporaryFolder folder;
  Simulation simulation = MakeSimulation(WriteBallArm(folder), {kBallArmThrow, "gains.K_D=1e6"});
  const long taken = simulation.RunFor(1000);
  ASSERT_LT(taken, 1000);
  const Failure failure = simulation.failure();
  EXPECT_TRUE(failure.failed);
  EXPECT_EQ(failure.step, taken);
  EXPECT_EQ(failure.t, simulation.time());
  EXPECT_THAT(failure.reason, testing::ContainsRegex("shoulder|elbow|reach"));
  EXPECT_THAT(failure.reason, HasSubstr("step " + std::to_string(taken)));
  for (int i = 0; i < simulation.mj()->nq; ++i)
    EXPECT_TRUE(std::isfinite(simulation.data()->qpos[i]));
  for (int i = 0; i < simulation.mj()->nv; ++i)
    EXPECT_LT(std::abs(simulation.data()->qvel[i]), 1e6);
  EXPECT_FALSE(simulation.Step());
  EXPECT_EQ(simulation.step(), taken);

  simulation.Reset();
  simulation.SetGain("K_D", Eigen::VectorXd::Constant(1, 20));
  EXPECT_FALSE(simulation.failure().failed);
  EXPECT_EQ(simulation.mujoco_warnings(), 0);
  EXPECT_EQ(simulation.RunFor(1000), 1000);
}

TEST(Simulation, CountsStepsThatALimitCuts) {
  Simulation simulation = MakeSimulation("arm7", {"initial.v=[3, 3, 3, 3, 3, 3, 3]"});
  ASSERT_TRUE(simulation.Step());
  EXPECT_TRUE(simulation.record().saturated);
  EXPECT_EQ(simulation.saturated_steps(), 1);
  const Actuation& actuation = simulation.scene().actuation;
  EXPECT_TRUE((simulation.record().tau.array() <= actuation.upper().array()).all());
  EXPECT_TRUE((simulation.record().tau.array() >= actuation.lower().array()).all());
  ASSERT_EQ(simulation.RunFor(3000), 3000);
  EXPECT_FALSE(simulation.record().saturated);
  simulation.Reset();
  EXPECT_EQ(simulation.saturated_steps(), 0);
}

TEST(Simulation, ResidualsOfTheModelVanishAndTorsionShows) {
  Simulation simulation = MakeSimulation("arm7", {"initial.v=[1, -1, 1, -1, 1, -1, 1]"});
  ASSERT_EQ(simulation.RunFor(100), 100);
  const double scale = simulation.controller().H().norm();
  Simulation::Residuals residuals = simulation.CalcResiduals();
  EXPECT_LT(residuals.skew, 1e-12 * scale);
  EXPECT_LT(residuals.bias, 1e-10 * scale);
  EXPECT_EQ(residuals.contorsion, 0);
  simulation.SetFactorization(ParseFactorization("t:1", simulation.scene().plant));
  residuals = simulation.CalcResiduals();
  EXPECT_LT(residuals.skew, 1e-12 * scale);
  EXPECT_GT(residuals.contorsion, 1e-4);
}

}  // namespace simulation_test
}  // namespace civita
