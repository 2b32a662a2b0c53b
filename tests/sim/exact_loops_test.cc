// Closed chains whose loops are exact: the plant in independent velocities.

#include "civita/sim/exact_loops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/oracles/mujoco/closed_chain.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace exact_loops_test {

using Eigen::VectorXd;

constexpr const char* kScenes[] = {"four_bar", "geared_arm"};

Simulation MakeExact(const std::string& scene, std::vector<std::string> overrides) {
  overrides.emplace_back("plant.loops=exact");
  return MakeSimulation(scene, overrides);
}

VectorXd Read(const mjtNum* x, Eigen::Index n) { return VectorXd::Map(x, n); }

TEST(ExactLoops, StayClosed) {
  for (const char* scene : kScenes) {
    for (const char* mode : {"held", "every_stage"}) {
      SCOPED_TRACE(std::string(scene) + ", " + mode);
      Simulation simulation = MakeExact(scene, {std::string("control.mode=") + mode});
      const ClusterModel& closed = *simulation.scene().closed;
      ClusterWorkspace<double> workspace(closed);
      VectorXd w(closed.nw()), v(closed.nv());
      for (int k = 0; k < 1000; ++k) {
        ASSERT_TRUE(simulation.Step()) << simulation.failure().reason;
        const StepRecord& record = simulation.record();
        for (int a = 0; a < closed.nw(); ++a) {
          w[a] = record.v[closed.independent()[static_cast<std::size_t>(a)]];
        }
        const ClusterStatus status = UpdateKinematics<double>(closed, record.q, w, workspace);
        ASSERT_LE(status.gap, 1e-11);
        CalcTreeVelocity<double>(closed, w, workspace, v);
        ASSERT_LE((record.v - v).norm(), 1e-12 * (1 + v.norm()));
      }
      EXPECT_LT(simulation.record().e.norm(), 0.05);
    }
  }
}

TEST(ExactLoops, MoveAsMujocosMassesUnderExactConstraints) {
  for (const char* scene : kScenes) {
    SCOPED_TRACE(scene);
    const ClosedChain chain =
        LoadClosedChain(std::string(CIVITA_SOURCE_DIR) + "/scenes/" + scene, "scene");
    Simulation simulation = MakeExact(scene, {"control.mode=every_stage"});
    for (int k = 0; k < 5; ++k) {
      simulation.RunFor(70);
      simulation.Evaluate();
      const mjData& d = *simulation.data();
      const Eigen::Index nv = simulation.mj()->nv;
      const VectorXd vdot = Read(d.qacc, nv);
      const VectorXd expected = MujocoConstrainedAcceleration(
          chain, Read(d.qpos, simulation.mj()->nq), Read(d.qvel, nv), simulation.record().tau);
      EXPECT_LE((vdot - expected).norm(), 1e-6 * expected.norm());
    }
  }
}

TEST(ExactLoops, AreIntegratedWithFourthOrderUnderAHeldTorque) {
  for (const char* scene : kScenes) {
    SCOPED_TRACE(scene);
    const auto end = [scene](const char* timestep_s) {
      Simulation simulation =
          MakeExact(scene, {"control.rate_hz=50", std::string("physics.timestep_s=") + timestep_s,
                            "gains.K_D=5", "gains.Lambda=2"});
      EXPECT_EQ(simulation.RunFor(10), 10);
      return Read(simulation.data()->qpos, simulation.mj()->nq);
    };
    const VectorXd exact = end("0.0005");
    EXPECT_NEAR(std::log2((end("0.01") - exact).norm() / (end("0.005") - exact).norm()), 4, 0.5);
  }
}

TEST(ExactLoops, ContinueFromASavedState) {
  Simulation simulation = MakeExact("four_bar", {});
  simulation.RunFor(50);
  Simulation::Saved saved;
  simulation.Save(&saved);
  simulation.RunFor(50);
  const VectorXd q = simulation.record().q;
  simulation.Restore(saved);
  simulation.RunFor(50);
  EXPECT_EQ(simulation.record().q, q);
}

// The law's model has no payload: the error grows at once when the plant takes it.
TEST(ExactLoops, CarryThePayload) {
  Simulation simulation = MakeExact("four_bar", {"payload={body: coupler, mass_kg: 3, at_s: 0.2}"});
  simulation.RunFor(200);
  const double before = simulation.record().e.norm();
  simulation.RunFor(300);
  EXPECT_GT(simulation.record().e.norm(), 10 * before);
}

}  // namespace exact_loops_test
}  // namespace civita
