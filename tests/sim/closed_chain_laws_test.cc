// The laws that know of loops, on closed chains: their storage against MuJoCo's masses under exact
// constraints, and in complete runs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "civita/cluster_kinematics.h"
#include "civita/error.h"
#include "tests/oracles/core_dynamics.h"
#include "tests/oracles/mujoco/closed_chain.h"
#include "tests/oracles/random_model.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace closed_chain_laws_test {

using Eigen::VectorXd;
using testing::HasSubstr;

constexpr const char* kScenes[] = {"four_bar", "geared_arm"};

std::vector<std::string> LawsWithLoops() {
  std::vector<std::string> types;
  for (const LawInfo* law : Laws()) {
    if (law->KnowsLoops({})) types.emplace_back(law->type);
  }
  return types;
}

TEST(ClosedChainLaws, AreAllThatTrackJoints) {
  EXPECT_THAT(LawsWithLoops(), testing::ElementsAre("slotine_li", "adaptive", "reference_dynamics",
                                                    "pd_gravity", "computed_torque"));
  EXPECT_FALSE(FindLaw("reference_dynamics").KnowsLoops({{"goal", std::string("task")}}));
}

/// A law on a scene's chain, at a random state with random gains, own state and desired motion.
struct RandomStep {
  RandomStep(const std::string& scene_name, const std::string& type, const std::string& form,
             unsigned seed)
      : random(seed),
        chain(LoadClosedChain(std::string(CIVITA_SOURCE_DIR) + "/scenes/" + scene_name, "scene")),
        scene(LoadScene(ReadConfig(
            scene_name, {"controller.type=" + type, "controller.gain_form=" + form,
                         FindLaw(type).uses_factorization ? "controller.factorization=t:-3"
                                                          : "controller.factorization=plain"}))),
        law(*scene->controller),
        output(law),
        q(RandomClosedPosition(closed(), &random)),
        v(RandomMotion(q, &vdot)),
        reference{RandomClosedPosition(closed(), &random), v, v} {
    for (const ParameterInfo& parameter : law.parameters()) {
      const int size = parameter.shape == GainShape::kScalar ? 1 : closed().nv();
      law.set_gain(parameter.key, (5 * RandomVector(size, &random).array().exp()).matrix());
    }
    reference.v = RandomMotion(reference.q, &reference.vdot);
    // Without a feedforward the proof of PD control is for a reference that stands.
    if (type == "pd_gravity") reference.v.setZero(), reference.vdot.setZero();
    law.ResetState({0, q, v}, reference);
    const auto size = static_cast<int>(law.state().size());
    law.set_state(law.state() + 0.1 * RandomVector(size, &random));
  }

  const ClusterModel& closed() const { return *scene->closed; }

  /// v = A w at q for a random w, and the acceleration of a random ẇ.
  VectorXd RandomMotion(const VectorXd& at, VectorXd* rate) {
    ClusterWorkspace<double> workspace(closed());
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
    EXPECT_EQ(law.CalcControl({0, q, v}, reference, output), ControlStatus::kOk);
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
void ForEach(const std::vector<std::string>& types, F&& f) {
  for (const char* scene : kScenes) {
    for (const std::string& type : types) {
      for (const char* form : {"mass", "diagonal"}) {
        for (unsigned seed = 0; seed < 5; ++seed) {
          SCOPED_TRACE(std::string(scene) + ", " + type + ", " + form + ", seed " +
                       std::to_string(seed));
          RandomStep step(scene, type, form, seed);
          f(step);
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

TEST(ClosedChainLaws, DissipateWhatTheyPromise) {
  ForEach(LawsWithLoops(), [](RandomStep& step) {
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
  ForEach(LawsWithLoops(), [](RandomStep& step) {
    const StorageState storage = step.Run(5 * RandomVector(step.closed().nv(), &step.random));
    EXPECT_GT(std::abs(step.external_power), 1e-6);
    EXPECT_LE(std::abs(storage.Vdot + storage.P - step.external_power), 1e-6 * step.scale);
  });
}

// ẇ = ẇ_d − K_D ė − K_P e in each independent coordinate.
TEST(ClosedChainLaws, ComputedTorqueMakesErrorsLinear) {
  ForEach({"computed_torque"}, [](RandomStep& step) {
    step.Run(VectorXd::Zero(step.closed().nv()));
    for (const int iv : step.closed().independent()) {
      const double e = step.q[iv] - step.reference.q[iv], edot = step.v[iv] - step.reference.v[iv];
      const double P = step.law.gain(0)[iv] * e, D = step.law.gain(1)[iv] * edot;
      const double a = step.reference.vdot[iv] - D - P;
      EXPECT_NEAR(step.vdot[iv], a, 1e-6 * (1 + step.vdot.norm()));
    }
  });
}

// The torques do the work of −K_P e − K_D v and of gravity, from MuJoCo's rows and energy.
TEST(ClosedChainLaws, PdGravityIsASpringAndADamper) {
  ForEach({"pd_gravity"}, [](RandomStep& step) {
    if (step.law.gain_form() != GainForm::kDiagonal) return;
    step.Run(VectorXd::Zero(step.closed().nv()));
    const Eigen::MatrixXd K = CalcMujocoRows(step.chain, step.q).K;
    const Eigen::MatrixXd motions = K.fullPivLu().kernel();
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
  });
}

// V̇ = −P in a run: what remains is the error of Runge–Kutta's steps.
TEST(ClosedChainLaws, BalanceTheEnergyWithFourthOrder) {
  for (const char* scene : kScenes) {
    for (const std::string& type : LawsWithLoops()) {
      SCOPED_TRACE(std::string(scene) + ", " + type);
      const auto balance = [&](const char* timestep_s) {
        std::vector<std::string> overrides = {"controller.type=" + type, "plant.loops=exact",
                                              "control.mode=every_stage",
                                              std::string("physics.timestep_s=") + timestep_s};
        // v_r begins at v where it is a state, so that s stays 0.
        if (type == "reference_dynamics") overrides.emplace_back("controller.level=velocity");
        if (type == "pd_gravity") overrides.emplace_back("reference.amplitude=0");
        Simulation simulation = MakeSimulation(scene, overrides);
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

TEST(ClosedChainLaws, FollowTheirReferencesInSoftLoops) {
  for (const char* scene : kScenes) {
    for (const std::string& type : LawsWithLoops()) {
      SCOPED_TRACE(std::string(scene) + ", " + type);
      Simulation simulation = MakeSimulation(scene, {"controller.type=" + type});
      const ClusterModel& closed = *simulation.scene().closed;
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

TEST(ClosedChainLaws, RefuseALimitCycleInCoordinatesThatLoopsCouple) {
  for (const char* scene : kScenes) {
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
