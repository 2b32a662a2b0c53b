// V̇ = −P on runs of the scenes: a residual that can fail, of fourth order in dt where the law is
// evaluated at every stage, of first order where its torque is held.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "civita/sim/metrics.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace passivity_test {

constexpr const char* kScenes[] = {
    "arm7", "arm7_twist", "planar_2r",   "point_mass", "chain20",          "tree20",
    "ur5",  "ball_arm",   "arm7_circle", "space_arm",  "point_mass_circle"};

/// An exact model with an initial error.
Simulation MakeThrown(const std::string& scene, const std::string& factorization, const char* mode,
                      double dt, const std::string& loops = "soft") {
  const SceneConfig plain = ReadConfig(scene);
  const int nv = LoadScene(plain)->plant.nv();
  const std::string step = std::to_string(dt);
  SceneConfig config = ReadConfig(
      scene, {"controller.model_scale=1", "controller.factorization=" + factorization,
              std::string("control.mode=") + mode, "physics.timestep_s=" + step,
              "plant.loops=" + loops, "control.rate_hz=" + std::to_string(std::lround(1 / dt))});
  config.initial.v.reset();
  config.initial.v_error.emplace();
  for (int i = 0; i < nv; ++i) config.initial.v_error->push_back(i % 2 == 0 ? 1 : -1);
  config.pushes.clear();
  return Simulation(LoadScene(config));
}

struct Outcome {
  double residual = 0;  ///< relative
  double balance = 0;   ///< largest |energy balance| over the V of the start
  long marked = 0;
  std::vector<double> V;
};

Outcome RunFor(Simulation simulation, double seconds) {
  Outcome run;
  PassivityResidual passivity(simulation.control_dt());
  const long steps = std::lround(seconds / simulation.control_dt());
  for (long k = 0; k <= steps; ++k) {
    EXPECT_TRUE(simulation.Step()) << simulation.failure().reason;
    const StepRecord& record = simulation.record();
    passivity.Add(record.V, record.P, record.saturated || record.constrained);
    run.V.push_back(record.V);
    run.balance = std::max(run.balance, std::abs(record.energy_balance) / run.V.front());
  }
  run.residual = passivity.relative();
  run.marked = passivity.marked();
  return run;
}

TEST(Passivity, ResidualIsOfFourthOrderAtEveryStageAndOfFirstWhenHeld) {
  for (const char* scene : kScenes) {
    const auto residual = [&](const char* factorization, const char* mode, double dt) {
      return RunFor(MakeThrown(scene, factorization, mode, dt), 0.1).residual;
    };
    for (const char* factorization : {"christoffel", "t:1"}) {
      SCOPED_TRACE(std::string(scene) + " " + factorization);
      const double coarse = residual(factorization, "every_stage", 0.004);
      const double fine = residual(factorization, "every_stage", 0.002);
      EXPECT_LT(fine, 1e-6);
      EXPECT_GT(coarse / fine, 12);
      EXPECT_LT(coarse / fine, 20);
    }
    SCOPED_TRACE(scene);
    const double coarse = residual("christoffel", "held", 0.002);
    const double fine = residual("christoffel", "held", 0.001);
    EXPECT_GT(fine, 1e-4);
    EXPECT_NEAR(coarse / fine, 2, 0.3);
  }
}

// MuJoCo's loops are compliant: their energy is not the mechanism's, for any time step.
TEST(Passivity, ClosedChainsAreAsExactAsTheirLoops) {
  for (const char* scene : {"four_bar", "geared_arm"}) {
    SCOPED_TRACE(scene);
    const double coarse = RunFor(MakeThrown(scene, "t:1", "every_stage", 0.002), 0.1).residual;
    const double fine = RunFor(MakeThrown(scene, "t:1", "every_stage", 0.001), 0.1).residual;
    EXPECT_LT(coarse, 0.01);
    EXPECT_GT(fine, coarse / 2) << "no step is fine enough";
  }
}

TEST(Passivity, ExactLoopsKeepTheFourthOrder) {
  for (const char* scene : {"four_bar", "geared_arm"}) {
    for (const char* factorization : {"christoffel", "t:1"}) {
      SCOPED_TRACE(std::string(scene) + " " + factorization);
      std::vector<Outcome> runs;
      for (const double dt : {0.004, 0.002, 0.001, 0.0005}) {
        runs.push_back(RunFor(MakeThrown(scene, factorization, "every_stage", dt, "exact"), 0.1));
      }
      EXPECT_LT(runs.back().residual, 1e-7);
      EXPECT_LT(runs.back().balance, 1e-7);
      for (std::size_t i = 1; i < runs.size(); ++i) {
        SCOPED_TRACE(i);
        EXPECT_NEAR(std::log2(runs[i - 1].residual / runs[i].residual), 4, 0.4);
        EXPECT_NEAR(std::log2(runs[i - 1].balance / runs[i].balance), 4, 0.4);
      }
    }
  }
}

TEST(Passivity, VFallsInEveryStep) {
  for (const auto& [scene, seconds] :
       {std::pair("arm7_twist", 1.5), std::pair("planar_2r", 1.5), std::pair("point_mass", 8.0)}) {
    SCOPED_TRACE(scene);
    const Outcome run = RunFor(MakeThrown(scene, "t:1", "every_stage", 0.001), seconds);
    EXPECT_EQ(run.marked, 0);
    double floor = run.V.front();
    for (const double V : run.V) floor = std::min(floor, V);
    int falls = 0;
    for (std::size_t k = 0; k + 1 < run.V.size(); ++k) {
      if (run.V[k] <= 100 * floor) continue;
      EXPECT_LT(run.V[k + 1], run.V[k]) << "step " << k;
      ++falls;
    }
    EXPECT_GT(falls, 400);
  }
}

TEST(Passivity, FailsForAFactorizationThatIsNotAdmissible) {
  const auto run = [](const char* factorization, double dt) {
    return RunFor(MakeThrown("arm7_twist", factorization, "every_stage", dt), 0.2);
  };
  const Outcome coarse = run("alpha:0.5", 0.002), fine = run("alpha:0.5", 0.001);
  EXPECT_GT(fine.residual, 1e-3);
  EXPECT_NEAR(coarse.residual / fine.residual, 1, 0.1) << "no step is fine enough";
  EXPECT_LT(run("alpha:0", 0.002).residual, 1e-6);
}

TEST(Passivity, VRisesForAFactorizationThatIsNotAdmissible) {
  const auto rises = [](const char* factorization) {
    const Outcome run = RunFor(MakeThrown("arm7_twist", factorization, "every_stage", 0.001), 0.2);
    int count = 0;
    for (std::size_t k = 0; k + 1 < run.V.size(); ++k) count += run.V[k + 1] > run.V[k] ? 1 : 0;
    return count;
  };
  EXPECT_EQ(rises("christoffel"), 0);
  EXPECT_EQ(rises("t:5"), 0);
  EXPECT_GT(rises("alpha:40"), 0);
}

}  // namespace passivity_test
}  // namespace civita
