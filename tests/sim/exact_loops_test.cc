// Closed chains whose loops are exact: the plant in independent velocities.

#include "civita/sim/exact_loops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
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
      const VelocitySpace& closed = *simulation.scene().closed;
      SpaceWorkspace<double> workspace(closed);
      VectorXd w(closed.nw()), v(closed.nv());
      for (int k = 0; k < 1000; ++k) {
        ASSERT_TRUE(simulation.Step()) << simulation.failure().reason;
        const StepRecord& record = simulation.record();
        for (int a = 0; a < closed.nw(); ++a) {
          w[a] = record.v[closed.independent()[static_cast<std::size_t>(a)]];
        }
        const Status status = UpdateKinematics<double>(closed, record.q, w, workspace);
        ASSERT_LE(status.residual, 1e-11);
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

/// Two light jaws whose slides are damped; one follows the other.
std::string Jaws(const std::string& damping) {
  const auto jaw = [&damping](const std::string& name, const std::string& y) {
    return "<body pos=\"0 " + y + " 0\"><joint name=\"" + name +
           "\" type=\"slide\" axis=\"0 0 1\" damping=\"" + damping +
           "\"/><geom size=\".004\" mass=\".001\"/></body>";
  };
  return "<mujoco><option timestep=\"0.001\"/><worldbody>" + jaw("near", "0") + jaw("far", ".1") +
         "</worldbody><equality><joint joint1=\"far\" joint2=\"near\" polycoef=\"0 -1 0 0 "
         "0\"/></equality>"
         "<actuator><motor joint=\"near\" ctrlrange=\"-20 20\"/></actuator></mujoco>";
}

// The damping slows the jaws by D/m = 10⁴ 1/s, ten times what explicit steps of 1 ms bear.
TEST(ExactLoops, BearDampingOfLightJoints) {
  const TemporaryFolder folder;
  const std::string file = folder.Write("jaws.xml", Jaws("10"));
  Simulation simulation = MakeExact(file, {});
  EXPECT_THAT(
      simulation.scene().notices,
      testing::Contains(testing::HasSubstr("those of the exact loops are implicit in damping")));
  double worst = 0;
  while (simulation.time() < 1.9999) {
    ASSERT_TRUE(simulation.Step()) << simulation.failure().reason;
    const StepRecord& record = simulation.record();
    worst = std::max(worst, record.e.cwiseAbs().maxCoeff());
    ASSERT_NEAR(record.q[1], -record.q[0], 1e-12);
  }
  EXPECT_LT(worst, 1e-3);
  // Explicit steps that follow it stay as they are.
  Simulation slow = MakeExact(folder.Write("slow.xml", Jaws("0.5")), {});
  EXPECT_THAT(slow.scene().notices,
              testing::Not(testing::Contains(testing::HasSubstr("implicit"))));
  Simulation every = MakeExact(file, {"control.mode=every_stage"});
  EXPECT_THAT(
      every.scene().notices,
      testing::Contains(testing::AllOf(testing::HasSubstr("explicit steps of 0.001 s, which grow"),
                                       testing::HasSubstr("control.mode=held"))));
}

// At a damping that both bear, both end at the same place, to first order in the step.
TEST(ExactLoops, ImplicitStepsConvergeToTheSameMotion) {
  const TemporaryFolder folder;
  const auto end = [&](const std::string& timestep) {
    Simulation simulation = MakeExact(
        folder.Write("jaws.xml", Jaws("2")),
        {"physics.timestep_s=" + timestep, "reference.amplitude=0.02", "initial.v_error=[0.3, 0]"});
    const bool is_implicit = testing::Value(
        simulation.scene().notices, testing::Contains(testing::HasSubstr("implicit in damping")));
    while (simulation.time() < 0.0299) EXPECT_TRUE(simulation.Step());
    return std::pair(simulation.data()->qpos[0], is_implicit);
  };
  const auto [coarse, coarse_implicit] = end("0.001");
  const auto [fine, fine_implicit] = end("0.00005");
  EXPECT_TRUE(coarse_implicit);
  EXPECT_FALSE(fine_implicit);
  EXPECT_NEAR(coarse, fine, 1e-4);
}

}  // namespace exact_loops_test
}  // namespace civita
