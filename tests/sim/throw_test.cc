// Throws: what they do to the motion, and what is measured across them.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "civita/sim/metric_table.h"
#include "civita/space_kinematics.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace throw_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd VelocityOf(const Simulation& simulation) {
  return VectorXd::Map(simulation.data()->qvel, simulation.mj()->nv);
}

/// The record of the step after `steps` others, thrown off or not.
StepRecord RecordAfter(const std::string& scene, long steps, const std::optional<Throw>& thrown) {
  Simulation simulation = MakeSimulation(scene);
  simulation.RunFor(steps);
  if (thrown) simulation.ThrowOff(*thrown);
  EXPECT_TRUE(simulation.Step()) << simulation.failure().reason;
  return simulation.record();
}

TEST(Throw, ChangesTheVelocityAloneByItsSize) {
  for (const char* scene : {"arm7", "space_arm", "ball_arm", "planar_2r"}) {
    SCOPED_TRACE(scene);
    const StepRecord kept = RecordAfter(scene, 100, std::nullopt);
    const StepRecord thrown = RecordAfter(scene, 100, Throw{0.4, 3});
    EXPECT_EQ(thrown.q, kept.q);
    const VectorXd change = thrown.v - kept.v;
    EXPECT_NEAR(change.norm() / std::sqrt(static_cast<double>(change.size())), 0.4, 1e-12);
    EXPECT_TRUE(thrown.thrown);
    EXPECT_FALSE(kept.thrown);
  }
}

TEST(Throw, DependsOnItsSeedAlone) {
  const StepRecord first = RecordAfter("arm7", 100, Throw{0.5, 1});
  EXPECT_EQ(RecordAfter("arm7", 100, Throw{0.5, 1}).v, first.v);
  EXPECT_NE(RecordAfter("arm7", 100, Throw{0.5, 2}).v, first.v);
  const VectorXd change = first.v - RecordAfter("arm7", 100, std::nullopt).v;
  const VectorXd later =
      RecordAfter("arm7", 200, Throw{0.5, 1}).v - RecordAfter("arm7", 200, std::nullopt).v;
  EXPECT_LT((later - change).norm(), 1e-12);
}

TEST(Throw, KeepsLoopsAndQuaternions) {
  for (const char* form : {"exact", "soft"}) {
    SCOPED_TRACE(form);
    Simulation simulation = MakeSimulation("four_bar", {std::string("plant.loops=") + form});
    simulation.RunFor(100);
    const VectorXd before = VelocityOf(simulation);
    simulation.ThrowOff({0.5, 1});
    ASSERT_TRUE(simulation.Step());
    const StepRecord& record = simulation.record();
    const VelocitySpace closed(*simulation.scene().closed, simulation.scene().plant);
    SpaceWorkspace<double> workspace(closed);
    ASSERT_TRUE(UpdateKinematics<double>(closed, record.q, workspace).ok());
    MatrixXd A(closed.nv(), closed.nw());
    CalcVelocityMap<double>(closed, workspace, A);
    const VectorXd change = record.v - before;
    const double w = change[closed.independent()[0]];
    EXPECT_NEAR(std::abs(w), 0.5, 1e-12);
    EXPECT_LT((change - A * VectorXd::Constant(1, w)).norm(), 1e-12);
  }
  Simulation ball = MakeSimulation("ball_arm");
  ball.RunFor(10);
  ball.ThrowOff({1, 1});
  ASSERT_EQ(ball.RunFor(200), 200);
  for (const Model::NamedJoint& joint : ball.scene().plant.joints()) {
    const int rotation = RotationOffset(joint.type);
    if (rotation < 0) continue;
    EXPECT_NEAR(
        VectorXd::Map(ball.data()->qpos, ball.mj()->nq).segment<4>(joint.iq + rotation).norm(), 1,
        1e-9);
  }
}

TEST(Throw, TheConfigPlansOne) {
  Simulation simulation = MakeSimulation("arm7", {"throw={at_s: 0.05, size: 0.3, seed: 4}"});
  for (int k = 0; k < 100; ++k) {
    ASSERT_TRUE(simulation.Step());
    EXPECT_EQ(simulation.record().thrown, k == 50) << k;
  }
  Simulation by_hand = MakeSimulation("arm7");
  by_hand.RunFor(50);
  by_hand.ThrowOff({0.3, 4});
  by_hand.RunFor(50);
  EXPECT_EQ(VelocityOf(simulation), VelocityOf(by_hand));
}

TEST(Throw, SizesSuitTheRobot) {
  EXPECT_EQ(MakeSimulation("arm7").scene().config.thrown.size, 0.5);
  EXPECT_EQ(MakeSimulation("quadruped").scene().config.thrown.size, 0.1);
  EXPECT_EQ(MakeSimulation("arm7", {"throw.size=2"}).scene().config.thrown.size, 2);
}

TEST(Throw, RestoreDropsALaterOne) {
  Simulation simulation = MakeSimulation("arm7"), kept = MakeSimulation("arm7");
  simulation.RunFor(50);
  Simulation::Saved saved;
  simulation.Save(&saved);
  simulation.RunFor(10);
  simulation.ThrowOff({0.5, 1});
  simulation.Restore(saved);
  simulation.RunFor(50);
  kept.RunFor(100);
  EXPECT_EQ(VelocityOf(simulation), VelocityOf(kept));
  EXPECT_EQ(simulation.record().twist, kept.record().twist) << "the angles continue, too";
}

// V jumps, but the law goes on as promised: neither balance nor residual shows the throw.
TEST(Throw, IsNoBreachOfPassivity) {
  Simulation simulation = MakeSimulation("arm7_twist", {"throw={at_s: 0.2, size: 0.5}"});
  MetricSet metrics(simulation, {"passivity_residual", "energy_balance_peak"});
  for (int k = 0; k < 500; ++k) {
    ASSERT_TRUE(simulation.Step());
    metrics.Add(simulation.record());
  }
  EXPECT_LT(metrics.value("passivity_residual"), 1e-6);
  EXPECT_LT(metrics.value("energy_balance_peak"), 1e-7) << "V jumps by about 0.5 J";
}

// Torsion turns what a throw leaves, and nothing else does.
TEST(Throw, ShowsTorsion) {
  const auto turned = [](const std::string& factorization) {
    Simulation simulation = MakeSimulation(
        "arm7_twist",
        {"throw={at_s: 0.2, size: 0.5}", "controller.factorization=" + factorization});
    simulation.RunFor(200);
    const double before = simulation.record().twist;
    simulation.RunFor(800);
    return simulation.record().twist - before;
  };
  EXPECT_LT(turned("christoffel"), 1e-3);
  EXPECT_GT(turned("t:3"), 0.1);
}

// The recorded angle is what the metric integrates.
TEST(Throw, TheMetricIsTheGrowthOfTheSignal) {
  Simulation simulation = MakeSimulation("arm7", {"controller.factorization=t:1"});
  MetricSet metrics(simulation, {"twist_rad", "ideal_turning_rad"});
  simulation.RunFor(100);
  simulation.Step();
  const StepRecord first = simulation.record();
  metrics.Add(first);
  for (int k = 0; k < 200; ++k) {
    simulation.Step();
    metrics.Add(simulation.record());
  }
  EXPECT_GT(metrics.value("twist_rad"), 0);
  EXPECT_EQ(metrics.value("twist_rad"), simulation.record().twist - first.twist);
  EXPECT_EQ(metrics.value("ideal_turning_rad"),
            simulation.record().ideal_turning - first.ideal_turning);
}

}  // namespace throw_test
}  // namespace civita
