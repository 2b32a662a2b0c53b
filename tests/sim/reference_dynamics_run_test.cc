// The law of reference dynamics in complete runs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "civita/error.h"
#include "civita/scenes/schema/yaml_value.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace reference_dynamics_run_test {

constexpr const char* kCircle = "point_mass_circle";

struct CircleRun {
  Eigen::Vector3d q = Eigen::Vector3d::Zero(), v = q;
  std::vector<Eigen::Vector3d> path;
};

/// Runs the scene to its end; V = ½|s|² decreases as e^(−2t), for K_D = 1 and a mass of 1.
CircleRun RunCircle(std::vector<std::string> overrides) {
  overrides.emplace_back("physics.timestep_s=0.002");
  Simulation simulation = MakeSimulation(kCircle, overrides);
  CircleRun run;
  double first = 0, last = 0;
  for (int k = 0; k <= 6000; ++k) {
    EXPECT_TRUE(simulation.Step());
    const StepRecord& record = simulation.record();
    if (k == 0) {
      first = record.V;
    } else {
      EXPECT_LT(record.V, last);
    }
    EXPECT_NEAR(record.V / (first * std::exp(-4e-3 * k)), 1, 1e-6);
    last = record.V;
    run.q = record.q;
    run.v = record.v;
    run.path.push_back(run.q);
  }
  EXPECT_GT(first, 1);
  return run;
}

TEST(ReferenceDynamicsRun, AnyFactorizationLeadsToTheCircle) {
  const CircleRun straight = RunCircle({}),
                  twisted = RunCircle({"controller.factorization=joint:-5"});
  for (const CircleRun& run : {straight, twisted}) {
    EXPECT_NEAR(run.q.head<2>().norm(), 1, 2e-3);
    EXPECT_NEAR(run.q[2], 0, 2e-3);
    EXPECT_NEAR(run.q[0] * run.v[1] - run.q[1] * run.v[0], 1, 5e-3) << "at 1 rad/s";
  }
  double apart = 0;
  for (size_t k = 0; k < straight.path.size(); ++k) {
    apart = std::max(apart, (straight.path[k] - twisted.path[k]).norm());
  }
  EXPECT_GT(apart, 0.1) << "by other paths";
}

TEST(ReferenceDynamicsRun, StaysWhereItArrivesWithoutARate) {
  const CircleRun run = RunCircle({"controller.cycle_rate=0"});
  EXPECT_NEAR(run.q.head<2>().norm(), 1, 2e-3);
  EXPECT_LT(run.v.norm(), 2e-3);
}

/// Maximum deviation from ρ − R²/ρ ∝ e^(−λt) and φ = Ωt in 2 s, starting on the field, where s and
/// ν stay zero.
double ErrorOf(const std::string& timestep) {
  constexpr double kLambda = 1.5, kOmega = 2, kR = 1, kStart = 0.3;
  const double w = (kStart * kStart - kR * kR) / (kStart * kStart + kR * kR);
  Simulation simulation = MakeSimulation(
      kCircle, {"controller.level=acceleration", "controller.factorization=joint:-5",
                "controller.cycle_rate=" + std::to_string(kOmega),
                "gains.Lambda=" + std::to_string(kLambda), "physics.timestep_s=" + timestep,
                "initial={q: [0.3, 0, 0.6], v: [" + ToYamlText(-kLambda * w * kStart) + ", " +
                    ToYamlText(kOmega * kStart) + ", " + ToYamlText(-kLambda * 0.6) + "]}"});
  double worst = 0;
  const double dt = std::stod(timestep);
  for (long k = 0; k <= std::lround(2 / dt); ++k) {
    EXPECT_TRUE(simulation.Step());
    const StepRecord& record = simulation.record();
    const double t = static_cast<double>(k) * dt;
    const double c = (kStart - kR * kR / kStart) * std::exp(-kLambda * t);
    const double rho = 0.5 * c + std::sqrt(0.25 * c * c + kR * kR);
    const Eigen::Vector3d expected(rho * std::cos(kOmega * t), rho * std::sin(kOmega * t),
                                   0.6 * std::exp(-kLambda * t));
    worst = std::max(worst, (record.q - expected).norm());
    EXPECT_LT(record.V, 1e-20);
    EXPECT_EQ(record.signals[0], record.q.head<2>().norm());
  }
  return worst;
}

TEST(ReferenceDynamicsRun, FollowsTheFieldWithTheFourthOrder) {
  const double coarse = ErrorOf("0.02");
  EXPECT_LT(coarse, 1e-6);
  EXPECT_NEAR(coarse / ErrorOf("0.01"), 16, 2);
}

TEST(ReferenceDynamicsRun, ThrownArmNeverLeavesItsReferenceVelocity) {
  // s stays zero, and the motion, which is that of a_d, converges to the reference.
  TemporaryFolder folder;
  Simulation simulation = MakeSimulation(
      WriteBallArm(folder),
      {"controller.type=reference_dynamics", "control.mode=every_stage", kBallArmThrow});
  double largest = 0;
  for (int k = 0; k <= 4000; ++k) {
    ASSERT_TRUE(simulation.Step());
    const StepRecord& record = simulation.record();
    largest = std::max(largest, record.e.norm());
    EXPECT_LT(record.V, 1e-12);
  }
  EXPECT_GT(largest, 0.1);
  EXPECT_LT(simulation.record().e.norm(), 1e-5);
}

TEST(ReferenceDynamicsRun, TaskDrawsItsCircle) {
  Simulation simulation =
      MakeSimulation("arm7_circle", {"controller={type: reference_dynamics, goal: task}",
                                     "control.mode=every_stage", "physics.timestep_s=0.002"});
  double largest = 0;
  while (simulation.time() < 4) {
    ASSERT_TRUE(simulation.Step());
    const StepRecord& record = simulation.record();
    EXPECT_LT(record.V, 1e-12) << "v_r(0) = v(0), an exact model: s stays zero";
    if (record.t > 3) largest = std::max(largest, record.signals.head<2>().maxCoeff());
  }
  EXPECT_LT(largest, 1e-4) << "m and rad";
}

TEST(ReferenceDynamicsRun, OneCoordinateHasNoCycle) {
  TemporaryFolder folder;
  const std::string model = folder.Write(
      "m.xml", "<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>");
  try {
    MakeSimulation(model, {"controller.type=reference_dynamics", "controller.goal=limit_cycle"});
    ADD_FAILURE();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "--set controller.goal: controller.goal: a limit_cycle is in the first two "
                 "coordinates, which must be hinges or slides; the model begins with 1");
  }
}

}  // namespace reference_dynamics_run_test
}  // namespace civita
