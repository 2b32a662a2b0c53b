// Slotine–Li on mechanisms whose loops MuJoCo closes by soft constraints: the law in independent
// coordinates against the simulator.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "civita/error.h"
#include "civita/sim/simulation.h"
#include "civita/space_kinematics.h"
#include "tests/oracles/core_dynamics.h"
#include "tests/oracles/linear.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace closed_chain_run_test {

std::string Data(const std::string& name) {
  return std::string(CIVITA_TEST_DATA_DIR) + "/closed/" + name;
}

Simulation Load(const std::string& model, std::vector<std::string> overrides) {
  return Simulation(LoadScene(ReadConfig(Data(model), overrides)));
}

/// Results of a run of 2 s; errors of the independent coordinates.
struct Seen {
  double e = 0, s = 0, gap = 0, dependent_e = 0, P = 0, residual = 0;
};

Seen Watch(Simulation* simulation, double seconds) {
  const VelocitySpace& closed = *simulation->scene().closed;
  SpaceWorkspace<double> workspace(closed);
  Seen seen;
  while (simulation->time() < seconds - 1e-9) {
    EXPECT_TRUE(simulation->Step()) << simulation->failure().reason;
    const StepRecord& r = simulation->record();
    for (int iv = 0; iv < closed.nv(); ++iv) {
      double& most = closed.dependent(iv) ? seen.dependent_e : seen.e;
      most = std::max(most, std::abs(r.e[iv]));
    }
    seen.s = std::max(seen.s, r.s.norm());
    seen.P = std::max(seen.P, r.P);
    seen.residual = std::max(seen.residual, std::abs(r.Vdot + r.P));
    seen.gap = std::max(seen.gap, UpdateKinematics<double>(closed, r.q, workspace).residual);
  }
  return seen;
}

/// Starts with a velocity error.
std::vector<std::string> Thrown(const std::string& model, const std::string& mode) {
  return {"control.mode=" + mode,
          model == "four_bar.xml" ? "initial.v=[1, 0, 0]" : "initial.v=[0, 0.5, 0, -0.5, 0, 0.5]"};
}

TEST(ClosedChainRun, ReferencesCloseTheLoops) {
  Simulation simulation = Load("four_bar.xml", {"reference.amplitude=0.4", "reference.fade_s=0"});
  const VelocitySpace& closed = *simulation.scene().closed;
  ASSERT_EQ(closed.Names(), std::vector<std::string>{"crank"});
  LoopCloser closer(simulation.scene().closed);
  SpaceWorkspace<double> workspace(closed);
  ReferenceState now{simulation.scene().q_start, simulation.scene().v_start,
                     simulation.scene().v_start};
  ReferenceState before = now, after = now;
  constexpr double kH = 1e-4;
  for (double t = 0; t < 3; t += 0.02) {
    SCOPED_TRACE(t);
    for (auto [state, at] : {std::pair{&before, t - kH}, {&now, t}, {&after, t + kH}}) {
      simulation.scene().reference->Sample(at, *state);
      ASSERT_TRUE(closer.Close(simulation.scene().q_start, *state));
    }
    EXPECT_LE(UpdateKinematics<double>(closed, now.q, workspace).residual, 1e-12);
    EXPECT_LE((now.v - (after.q - before.q) / (2 * kH)).norm(), 1e-6);
    EXPECT_LE((now.vdot - (after.v - before.v) / (2 * kH)).norm(), 1e-5);
  }
}

TEST(ClosedChainRun, OnlyMotorsGiveTorque) {
  Simulation simulation = Load("four_bar.xml", {});
  simulation.RunFor(100);
  const Eigen::VectorXd& tau = simulation.record().tau;
  EXPECT_NE(tau[0], 0);
  EXPECT_EQ(tau[1], 0);
  EXPECT_EQ(tau[2], 0);
}

TEST(ClosedChainRun, FollowsItsReference) {
  for (const char* mode : {"held", "every_stage"}) {
    SCOPED_TRACE(mode);
    Simulation bar = Load("four_bar.xml", {std::string("control.mode=") + mode});
    const Seen bar_seen = Watch(&bar, 2);
    EXPECT_LT(bar_seen.e, 3e-4);
    EXPECT_LT(bar_seen.dependent_e, 1e-3);
    EXPECT_LT(bar_seen.gap, 5e-4);
    Simulation arm = Load("geared_arm.xml", {std::string("control.mode=") + mode});
    const Seen arm_seen = Watch(&arm, 2);
    EXPECT_LT(arm_seen.e, 5e-4);
    EXPECT_LT(arm_seen.gap, 0.01);  // rad of a rotor that rotates 60 to 100 times as fast
  }
}

TEST(ClosedChainRun, StorageFallsFromAnInitialError) {
  for (const char* model : {"four_bar.xml", "geared_arm.xml"}) {
    for (const char* mode : {"held", "every_stage"}) {
      SCOPED_TRACE(std::string(model) + ", " + mode);
      Simulation simulation = Load(model, Thrown(model, mode));
      simulation.Step();
      const double V0 = simulation.record().V;
      EXPECT_GT(V0, 1e-3);
      Watch(&simulation, 0.5);
      EXPECT_LT(simulation.record().V, 1e-3 * V0);
      EXPECT_LT(std::abs(simulation.record().energy_balance), 0.02 * V0);
    }
  }
}

// V̇ + P is the energy that the soft constraints store: stiffer ones leave less.
TEST(ClosedChainRun, StifferLoopsKeepThePromiseBetter) {
  for (const char* model : {"four_bar.xml", "geared_arm.xml"}) {
    SCOPED_TRACE(model);
    double last = 1;
    for (const double softness : {0.05, 0.0005}) {
      std::vector<std::string> overrides = Thrown(model, "every_stage");
      overrides.emplace_back("physics.timestep_s=0.0005");
      auto scene = LoadScene(ReadConfig(Data(model), overrides));
      for (int i = 0; i < scene->mj->neq; ++i) {
        std::fill_n(scene->mj->eq_solimp + mjNIMP * i, 2, 1 - softness);
      }
      Simulation simulation(std::move(scene));
      const Seen seen = Watch(&simulation, 0.2);
      EXPECT_LT(seen.residual / seen.P, last / 10);
      last = seen.residual / seen.P;
    }
    EXPECT_LT(last, 2e-4);
  }
}

// A plant with ideal loops: v = A w, ẇ = H̄⁻¹(Aᵀτ − …), v̇ = A ẇ + Ȧ w.
TEST(ClosedChainRun, DissipatesWhatItPromisesWhereLoopsAreIdeal) {
  for (const char* model : {"four_bar.xml", "geared_arm.xml"}) {
    for (const char* factorization : {"christoffel", "plain", "t:-3"}) {
      SCOPED_TRACE(std::string(model) + ", " + factorization);
      std::vector<std::string> overrides = Thrown(model, "every_stage");
      overrides.push_back(std::string("controller.factorization=") + factorization);
      auto scene = LoadScene(ReadConfig(Data(model), overrides));
      const VelocitySpace& closed = *scene->closed;
      SpaceWorkspace<double> workspace(closed);
      const Eigen::VectorXd &q = scene->q_start, &v = scene->v_start;
      Eigen::VectorXd w(closed.nw()), rate(closed.nw());
      for (int a = 0; a < closed.nw(); ++a) w[a] = v[closed.independent()[static_cast<size_t>(a)]];
      ReferenceState reference{q, v, v};
      scene->reference->Sample(0.7, reference);
      ASSERT_TRUE(LoopCloser(scene->closed).Close(q, reference));
      ControlOutput output(*scene->controller);
      ASSERT_EQ(scene->controller->CalcControl({0.7, q, v}, reference, output), Status::kOk);
      ASSERT_TRUE(UpdateKinematics<double>(closed, q, w, workspace).ok());
      Eigen::MatrixXd A(closed.nv(), closed.nw());
      CalcVelocityMap<double>(closed, workspace, A);
      const CoreDynamics plant = CalcCoreDynamics(scene->plant, q, v);
      const Eigen::VectorXd zero = Eigen::VectorXd::Zero(closed.nw());
      Eigen::VectorXd vdot(closed.nv());
      CalcTreeAcceleration<double>(closed, w, zero, workspace, vdot);  // Ȧ w
      const Eigen::VectorXd missing =
          output.tau - plant.bias - scene->plant.damping().cwiseProduct(v) - plant.H * vdot;
      rate = linear::SolvePositive(A.transpose() * plant.H * A, A.transpose() * missing);
      vdot += A * rate;
      const StorageState storage =
          scene->controller->CalcStorage({scene->plant, q, v, vdot, plant.H, plant.Hdot}, output);
      ASSERT_GT(storage.P, 1e-6);
      const double scale = storage.P + output.s.norm() * (plant.H * vdot).norm();
      EXPECT_LE(std::abs(storage.Vdot + storage.P), 1e-12 * scale);
    }
  }
}

constexpr const char* kTwoPairs = R"(<mujoco><worldbody>
  <body><joint name="a" axis="0 1 0"/><geom size=".1" pos="0 0 .2"/>
    <body pos="0 0 .3"><joint name="b" axis="0 1 0"/><geom size=".1" pos="0 0 .2"/></body></body>
  <body pos="0 1 0"><joint name="c" axis="0 1 0"/><geom size=".1" pos="0 0 .2"/>
    <body pos="0 0 .3"><joint name="d" axis="0 1 0"/><geom size=".1" pos="0 0 .2"/></body></body>
  </worldbody><equality><joint name="ab" joint1="b" joint2="a" polycoef="0 2 0 0 0"/>
  <joint name="cd" joint1="d" joint2="c" polycoef="0 -1 0 0 0"/></equality>
  <actuator><motor joint="b"/>MOTORS</actuator></mujoco>)";

std::string WriteTwoPairs(const TemporaryFolder& folder, const std::string& motors) {
  std::string text = kTwoPairs;
  text.replace(text.find("MOTORS"), 6, motors);
  return folder.Write("two_pairs.xml", text);
}

TEST(ClosedChainRun, WhatNoMotorReachesStaysPassive) {
  const TemporaryFolder folder;
  for (const std::string law : {"slotine_li", "adaptive", "pd_gravity", "computed_torque"}) {
    const auto scene = LoadScene(ReadConfig(WriteTwoPairs(folder, ""), {"controller.type=" + law}));
    EXPECT_THAT(scene->notices,
                testing::Contains("joints that nothing drives stay passive: a, c, d"));
    EXPECT_EQ(scene->controller->undriven().number, 0);
    ControlOutput output(*scene->controller);
    const Measurement measured{0, scene->q_start, Eigen::Vector4d(0.1, 0.2, 0.3, -0.3)};
    const ReferenceState reference{scene->q_start, scene->v_start, scene->v_start};
    scene->controller->ResetState(measured, reference);
    ASSERT_EQ(scene->controller->CalcControl(measured, reference, output), Status::kOk);
    EXPECT_NE(output.tau[1], 0);
    output.tau[1] = 0;
    EXPECT_TRUE(output.tau.isZero(0)) << output.tau.transpose();
  }
}

TEST(ClosedChainRun, SeveralMotorsShareTheWorkByTheLeastTorque) {
  const TemporaryFolder folder;
  auto scene = LoadScene(ReadConfig(WriteTwoPairs(folder, "<motor joint='a'/><motor joint='c'/>")));
  Simulation simulation(std::move(scene));
  simulation.RunFor(300);
  const Eigen::VectorXd& tau = simulation.record().tau;
  // Of least norm in H⁻¹: H⁻¹τ is a motion of the coupling, with q̇_b = 2 q̇_a.
  const CoreDynamics plant =
      CalcCoreDynamics(simulation.scene().plant, simulation.record().q, simulation.record().v);
  const Eigen::VectorXd rate = linear::SolvePositive(plant.H, tau);
  EXPECT_NEAR(rate[1], 2 * rate[0], 1e-10 * rate.norm());
  EXPECT_NE(tau[0], 0);
  EXPECT_NE(tau[2], 0);
  EXPECT_EQ(tau[3], 0);
}

}  // namespace closed_chain_run_test
}  // namespace civita
