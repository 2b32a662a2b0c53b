// The laws that know of loops, on closed chains: their storage against MuJoCo's masses under exact
// constraints, and in complete runs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "civita/error.h"
#include "civita/manifold.h"
#include "civita/space_dynamics.h"
#include "civita/space_kinematics.h"
#include "tests/controllers/random_gain.h"
#include "tests/oracles/core_dynamics.h"
#include "tests/oracles/linear.h"
#include "tests/oracles/mujoco/closed_chain.h"
#include "tests/oracles/random_model.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace closed_chain_laws_test {

using Eigen::VectorXd;
using testing::HasSubstr;

/// A chain, a frame if one can be moved in all directions, and settings.
struct Mechanism {
  std::string scene, directory, name, frame;
  std::vector<std::string> settings;
};

std::vector<Mechanism> Mechanisms() {
  const std::string scenes = std::string(CIVITA_SOURCE_DIR) + "/scenes/";
  const std::string closed = std::string(CIVITA_TEST_DATA_DIR) + "/closed";
  return {
      {"four_bar", scenes + "four_bar", "scene", "", {}},
      {"geared_arm", scenes + "geared_arm", "scene", "ee", {"initial.v=[0, 0.5, 0, -0.3, 0, 0.2]"}},
      {closed + "/palletizer.xml",
       closed,
       "palletizer",
       "tip",
       {"initial.v=[0.5, 0, 0, -0.5, 0, 0]"}}};
}

constexpr const char* kTaskDynamics = "reference_dynamics with the goal task";

std::vector<std::string> LawsWithLoops() {
  std::vector<std::string> types;
  for (const LawInfo* law : Laws()) {
    if (law->knows_loops) types.emplace_back(law->type);
  }
  return types;
}

std::vector<std::string> LawsFor(const Mechanism& mechanism) {
  std::vector<std::string> types = LawsWithLoops();
  if (mechanism.frame.empty()) {
    std::erase(types, "task_space");
  } else {
    types.emplace_back(kTaskDynamics);
  }
  return types;
}

std::vector<std::string> Overrides(const Mechanism& mechanism, const std::string& type) {
  const bool dynamics = type == kTaskDynamics;
  std::vector<std::string> overrides = mechanism.settings;
  overrides.push_back("controller.type=" + (dynamics ? "reference_dynamics" : type));
  if (dynamics) overrides.emplace_back("controller.goal=task");
  if (dynamics || type == "task_space") overrides.push_back("task.frame=" + mechanism.frame);
  return overrides;
}

SceneConfig Config(const Mechanism& mechanism, const std::string& type,
                   const std::vector<std::string>& more) {
  std::vector<std::string> overrides = Overrides(mechanism, type);
  overrides.insert(overrides.end(), more.begin(), more.end());
  return ReadConfig(mechanism.scene, overrides);
}

TEST(ClosedChainLaws, AreAllWithoutLegs) {
  EXPECT_THAT(LawsWithLoops(), testing::ElementsAre("slotine_li", "adaptive", "reference_dynamics",
                                                    "task_space", "pd_gravity", "computed_torque"));
}

/// A law on a scene's chain, at a random state with random gains, own state and desired motion.
struct RandomStep {
  RandomStep(const Mechanism& mechanism, const std::string& type, const std::string& form,
             unsigned seed)
      : random(seed),
        chain(LoadClosedChain(mechanism.directory, mechanism.name)),
        scene(LoadScene(Config(mechanism, type, {"controller.gain_form=" + form}))),
        law(*scene->controller),
        output(law),
        q(RandomClosedPosition(closed(), &random)),
        v(RandomMotion(q, &vdot)),
        reference{RandomClosedPosition(closed(), &random), v, v} {
    if (law.info().uses_factorization) law.set_factorization(Factorization::Torsion(-3));
    for (const ParameterInfo& parameter : law.parameters()) {
      law.set_gain(parameter.key, RandomGain(parameter, closed().nv(), &random));
    }
    reference.v = RandomMotion(reference.q, &reference.vdot);
    // Without a feedforward the proof of PD control is for a reference that stands.
    if (type == "pd_gravity") reference.v.setZero(), reference.vdot.setZero();
    law.ResetState({0, q, v}, reference);
    const auto size = static_cast<int>(law.state().size());
    law.set_state(law.state() + 0.1 * RandomVector(size, &random));
  }

  const VelocitySpace& closed() const { return *scene->closed; }

  /// v = A w at q for a random w, and the acceleration of a random ẇ.
  VectorXd RandomMotion(const VectorXd& at, VectorXd* rate) {
    SpaceWorkspace<double> workspace(closed());
    const VectorXd w = RandomVector(closed().nw(), &random);
    const VectorXd wdot = RandomVector(closed().nw(), &random);
    EXPECT_TRUE(UpdateKinematics<double>(closed(), at, w, workspace).ok());
    VectorXd motion(closed().nv());
    rate->resize(closed().nv());
    CalcTreeVelocity<double>(closed(), w, workspace, motion);
    CalcTreeAcceleration<double>(closed(), w, wdot, workspace, *rate);
    return motion;
  }

  StorageState Run(const VectorXd& tau_ext) {
    EXPECT_EQ(law.CalcControl({0, q, v}, reference, output), Status::kOk);
    vdot = MujocoConstrainedAcceleration(chain, q, v, output.tau + tau_ext);
    const CoreDynamics plant = CalcCoreDynamics(scene->plant, q, v);
    const PlantState state{scene->plant, q, v, vdot, plant.H, plant.Hdot};
    const StorageState storage = law.CalcStorage(state, output);
    external_power = law.CalcExternalPower(state, tau_ext, output);
    scale = storage.P + output.s.norm() * (plant.H * vdot).norm();
    return storage;
  }

  std::mt19937 random;
  ClosedChain chain;
  std::unique_ptr<Scene> scene;
  Controller& law;
  ControlOutput output;
  VectorXd vdot, q, v;
  ReferenceState reference;
  double external_power = 0, scale = 1;
};

template <typename F>
void ForEach(F&& f, const std::string& only = "") {
  for (const Mechanism& mechanism : Mechanisms()) {
    for (const std::string& type : LawsFor(mechanism)) {
      if (!only.empty() && type != only) continue;
      for (const char* form : {"mass", "diagonal"}) {
        for (unsigned seed = 0; seed < 5; ++seed) {
          SCOPED_TRACE(mechanism.name + ", " + type + ", " + form + ", seed " +
                       std::to_string(seed));
          RandomStep step(mechanism, type, form, seed);
          f(step);
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

TEST(ClosedChainLaws, DissipateWhatTheyPromise) {
  ForEach([](RandomStep& step) {
    const VectorXd none = VectorXd::Zero(step.closed().nv());
    const StorageState storage = step.Run(none);
    EXPECT_GT(storage.P, 1e-6);
    EXPECT_GT(storage.V, 1e-6);
    EXPECT_LE(std::abs(storage.Vdot + storage.P), 1e-6 * step.scale);
    for (int iv = 0; iv < step.closed().nv(); ++iv) {
      if (step.scene->actuation.is_passive(iv)) {
        EXPECT_EQ(step.output.tau[iv], 0);
      }
    }
  });
}

TEST(ClosedChainLaws, TellWhatAPushAdds) {
  ForEach([](RandomStep& step) {
    const StorageState storage = step.Run(5 * RandomVector(step.closed().nv(), &step.random));
    EXPECT_GT(std::abs(step.external_power), 1e-6);
    EXPECT_LE(std::abs(storage.Vdot + storage.P - step.external_power), 1e-6 * step.scale);
  });
}

// ṙ = K_I (Aᵀτ_ext − r) with the rate of the momentum AᵀHA w by differences along MuJoCo's motion.
TEST(ClosedChainLaws, TheObserverSeesWhatIsOutsideAlone) {
  for (const Mechanism& mechanism : Mechanisms()) {
    for (const std::string& type : LawsFor(mechanism)) {
      SCOPED_TRACE(mechanism.name + ", " + type);
      Mechanism observed = mechanism;
      observed.settings.emplace_back("observer.gain=7");
      RandomStep step(observed, type, "mass", 1);
      const VelocitySpace& closed = step.closed();
      const VectorXd tau_ext = 5 * RandomVector(closed.nv(), &step.random);
      step.Run(tau_ext);
      VectorXd xdot = step.law.state();
      step.law.CalcStateRate(step.output.tau, step.output, xdot);
      SpaceWorkspace<double> workspace(closed);
      const auto momentum = [&](double t) {
        VectorXd q(step.q.size()), w(closed.nw()), p = VectorXd::Zero(closed.nv());
        IntegratePosition(step.scene->plant, step.q, step.v + t / 2 * step.vdot, t, q);
        EXPECT_TRUE(CloseLoops(closed, workspace, q).ok());
        for (int a = 0; a < closed.nw(); ++a) {
          const int iv = closed.independent()[static_cast<size_t>(a)];
          w[a] = step.v[iv] + t * step.vdot[iv];
        }
        EXPECT_TRUE(UpdateKinematics<double>(closed, q, w, workspace).ok());
        Eigen::MatrixXd H(closed.nw(), closed.nw());
        CalcMassMatrix<double>(closed, workspace, H);
        const VectorXd p_w = H * w;
        for (int a = 0; a < closed.nw(); ++a) {
          p[closed.independent()[static_cast<size_t>(a)]] = p_w[a];
        }
        return p;
      };
      const double h = 1e-4;
      const VectorXd pdot = (momentum(h) - momentum(-h)) / (2 * h);
      ASSERT_TRUE(UpdateKinematics<double>(closed, step.q, workspace).ok());
      VectorXd outside(closed.nw()), expected = VectorXd::Zero(closed.nv());
      CalcReducedForces<double>(closed, tau_ext, workspace, outside);
      for (int a = 0; a < closed.nw(); ++a) {
        expected[closed.independent()[static_cast<size_t>(a)]] = outside[a];
      }
      const VectorXd& r = step.law.observer()->r();
      EXPECT_GT(r.norm(), 1e-3);
      const VectorXd rdot = pdot - xdot.tail(closed.nv());
      EXPECT_LE((rdot - (expected - r)).norm(), 1e-5 * (1 + pdot.norm()));
    }
  }
}

// ẇ = ẇ_d − K_D ė − K_P e in each independent coordinate.
TEST(ClosedChainLaws, ComputedTorqueMakesErrorsLinear) {
  ForEach(
      [](RandomStep& step) {
        step.Run(VectorXd::Zero(step.closed().nv()));
        for (const int iv : step.closed().independent()) {
          const double e = step.q[iv] - step.reference.q[iv],
                       edot = step.v[iv] - step.reference.v[iv];
          const double P = step.law.gain(0)[iv] * e, D = step.law.gain(1)[iv] * edot;
          const double a = step.reference.vdot[iv] - D - P;
          EXPECT_NEAR(step.vdot[iv], a, 1e-6 * (1 + step.vdot.norm()));
        }
      },
      "computed_torque");
}

// The torques do the work of −K_P e − K_D v and of gravity, from MuJoCo's rows and energy.
TEST(ClosedChainLaws, PdGravityIsASpringAndADamper) {
  ForEach(
      [](RandomStep& step) {
        if (step.law.gain_form() != GainForm::kDiagonal) return;
        step.Run(VectorXd::Zero(step.closed().nv()));
        const Eigen::MatrixXd K = CalcMujocoRows(step.chain, step.q).K;
        const Eigen::MatrixXd motions = linear::Kernel(K);
        ASSERT_EQ(motions.cols(), step.closed().nw());
        mjData& d = *step.chain.data;
        VectorXd::Map(d.qpos, step.q.size()) = step.q;
        VectorXd::Map(d.qvel, step.v.size()).setZero();
        mj_forward(step.chain.mj.get(), &d);
        VectorXd force = VectorXd::Map(d.qfrc_bias, step.v.size());
        for (const int iv : step.closed().independent()) {
          force[iv] -= step.law.gain(0)[iv] * (step.q[iv] - step.reference.q[iv]);
          force[iv] -= step.law.gain(1)[iv] * step.v[iv];
        }
        const VectorXd work = motions.transpose() * step.output.tau;
        EXPECT_LE((work - motions.transpose() * force).norm(), 1e-9 * (1 + work.norm()));
      },
      "pd_gravity");
}

// V̇ = −P in a run: what remains is the error of Runge–Kutta's steps.
TEST(ClosedChainLaws, BalanceTheEnergyWithFourthOrder) {
  for (const Mechanism& mechanism : Mechanisms()) {
    for (const std::string& type : LawsFor(mechanism)) {
      SCOPED_TRACE(mechanism.name + ", " + type);
      const auto balance = [&](const char* timestep_s) {
        std::vector<std::string> more = {"plant.loops=exact", "control.mode=every_stage",
                                         std::string("physics.timestep_s=") + timestep_s};
        // v_r begins at v where it is a state, so that s stays 0.
        if (type.starts_with("reference_dynamics")) more.emplace_back("controller.level=velocity");
        if (type == "pd_gravity") more.emplace_back("reference.amplitude=0");
        Simulation simulation(LoadScene(Config(mechanism, type, more)));
        double most = 0, P = 0;
        while (simulation.time() < 0.3 && simulation.Step()) {
          most = std::max(most, std::abs(simulation.record().energy_balance));
          P = std::max(P, simulation.record().P);
        }
        EXPECT_GT(P, 1e-3);
        EXPECT_GE(simulation.time(), 0.3) << simulation.failure().reason;
        return most;
      };
      EXPECT_NEAR(std::log2(balance("0.004") / balance("0.002")), 4, 0.6);
    }
  }
}

TEST(ClosedChainLaws, FollowTheirReferences) {
  for (const Mechanism& mechanism : Mechanisms()) {
    for (const std::string& type : LawsFor(mechanism)) {
      SCOPED_TRACE(mechanism.name + ", " + type);
      // A frame is moved to its target even if soft loops give way; the joints are then beside
      // theirs.
      const bool moves_frame = type == "task_space" || type == kTaskDynamics;
      Simulation simulation(LoadScene(
          Config(mechanism, type, {moves_frame ? "plant.loops=exact" : "plant.loops=soft"})));
      const VelocitySpace& closed = *simulation.scene().closed;
      double most = 0;
      while (simulation.time() < 4 && simulation.Step()) {
        if (simulation.time() < 3) continue;
        for (const int iv : closed.independent()) {
          most = std::max(most, std::abs(simulation.record().e[iv]));
        }
      }
      EXPECT_GE(simulation.time(), 4) << simulation.failure().reason;
      EXPECT_LT(most, type == "pd_gravity" ? 0.3 : 0.005);  // no feedforward
    }
  }
}

// V̇_x = −2 k_x V_x whatever the posture and the factorization do: their coupling to the task is
// cancelled. The gain is scaled by the task's inertia.
TEST(ClosedChainLaws, MoveAFrameAsIfAlone) {
  for (const Mechanism& mechanism : Mechanisms()) {
    if (mechanism.frame.empty()) continue;
    SCOPED_TRACE(mechanism.name);
    Simulation simulation(LoadScene(
        Config(mechanism, "task_space",
               {"plant.loops=exact", "control.mode=every_stage", "physics.timestep_s=0.0005",
                "controller.factorization=t:5", "gains.K_x=4"})));
    const auto at = simulation.controller().FindSignal("/law/task/V_J");
    ASSERT_GE(at, 0);
    ASSERT_TRUE(simulation.Step());
    const double t = simulation.record().t, V = simulation.record().signals[at];
    ASSERT_GT(V, 1e-6);
    while (simulation.time() < 0.4 && simulation.Step()) {
      const double expected = V * std::exp(-8 * (simulation.record().t - t));
      ASSERT_NEAR(simulation.record().signals[at], expected, 1e-6 * V);
    }
  }
}

TEST(ClosedChainLaws, RefuseALimitCycleInCoordinatesThatLoopsCouple) {
  for (const char* scene : {"four_bar", "geared_arm"}) {
    try {
      LoadScene(ReadConfig(scene, {"controller={type: reference_dynamics, goal: limit_cycle}"}));
      ADD_FAILURE() << "loaded";
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), HasSubstr("first two coordinates, which the loops of this model"));
    }
  }
}

}  // namespace closed_chain_laws_test
}  // namespace civita
