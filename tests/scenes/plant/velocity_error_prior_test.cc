// Random errors of the initial velocity.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "civita/controllers/tracking_error.h"
#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/scenes/plant/start.h"
#include "civita/scenes/scene.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace velocity_error_prior_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::HasSubstr;

using Sets = std::vector<std::string>;

std::unique_ptr<Scene> Load(const std::string& scene, const Sets& sets) {
  return LoadScene(ReadConfig(scene, sets));
}

TEST(VelocityErrorPrior, StartsOnTheReferenceWithAnErrorOfItsSeed) {
  for (const std::string scene : {"arm7", "ball_arm", "space_arm"}) {
    for (const std::string prior : {"joint", "energy", "impulse"}) {
      SCOPED_TRACE(scene + " " + prior);
      const auto with = [&](int seed, const std::string& size) {
        return Load(scene, {"reference.fade_s=0", "initial.v_error_prior=" + prior,
                            "initial.v_error_seed=" + std::to_string(seed),
                            "initial.v_error_size=" + size});
      };
      const auto a = with(1, "0.1"), b = with(2, "0.1"), twice = with(1, "0.2");
      const Model& model = a->control_model;
      ReferenceState at_start{a->q_start, VectorXd::Zero(model.nv()), VectorXd::Zero(model.nv())};
      a->reference->Sample(0, at_start);
      TrackingError error(model.nv());
      CalcTrackingError(model, a->q_start, a->v_start, at_start, error);
      EXPECT_LE(error.e.norm(), 1e-12);
      const VectorXd dv = a->v_start - error.v_d;
      EXPECT_GT(dv.norm(), 1e-4);
      EXPECT_GT((a->v_start - b->v_start).norm(), 1e-4);
      EXPECT_LE((twice->v_start - error.v_d - 2 * dv).norm(), 1e-12);
      EXPECT_EQ(with(1, "0.1")->v_start, a->v_start);
      const std::string yaml = ToYaml(a->config);
      EXPECT_THAT(yaml, HasSubstr("v_error_prior: " + prior));
      EXPECT_THAT(yaml, HasSubstr("v_error_seed: 1"));
      EXPECT_THAT(yaml, HasSubstr("v_error_size: 0.1"));
    }
  }
}

/// Covariance of many draws in units in which it is to be 1, and their mean square.
struct Sampled {
  MatrixXd covariance;
  double mean_square = 0;
};

Sampled Sample(VelocityErrorPrior prior, const Scene& scene, const MatrixXd& whiten) {
  constexpr int kDraws = 4000;
  const auto n = whiten.rows();
  Sampled sampled{MatrixXd::Zero(n, n), 0};
  InitialConfig initial;
  initial.v_error_prior = prior;
  initial.v_error_size = 0.3;
  const std::vector<bool> loose(static_cast<std::size_t>(n), false);
  for (int seed = 0; seed < kDraws; ++seed) {
    initial.v_error_seed = seed;
    const VectorXd dv = DrawVelocityError(initial, scene.plant, nullptr, loose, scene.q_start);
    const VectorXd x = whiten * dv;
    sampled.covariance += x * x.transpose() / kDraws;
    sampled.mean_square += dv.squaredNorm() / (kDraws * static_cast<double>(n));
  }
  sampled.covariance /= sampled.covariance.trace() / static_cast<double>(n);
  return sampled;
}

TEST(VelocityErrorPrior, HasTheCovarianceThatItSays) {
  const auto scene = Load("arm7", {});
  const Model& plant = scene->plant;
  Workspace<double> workspace(plant);
  UpdateKinematics<double>(plant, scene->q_start, workspace);
  MatrixXd H(plant.nv(), plant.nv());
  CalcMassMatrix<double>(plant, workspace, H);
  const MatrixXd one = MatrixXd::Identity(plant.nv(), plant.nv());
  const MatrixXd root = H.llt().matrixU();  // x = Lᵀ dv has covariance 1 for W = H⁻¹
  const struct {
    VelocityErrorPrior prior;
    MatrixXd whiten;
  } rows[] = {{VelocityErrorPrior::kJoint, one},
              {VelocityErrorPrior::kEnergy, root},
              {VelocityErrorPrior::kImpulse, H}};
  for (const auto& [prior, whiten] : rows) {
    const Sampled sampled = Sample(prior, *scene, whiten);
    EXPECT_LE((sampled.covariance - one).cwiseAbs().maxCoeff(), 0.1);
    EXPECT_NEAR(std::sqrt(sampled.mean_square), 0.3, 0.02);
    // In the units of another prior it is far from 1: H is not round.
    const MatrixXd& other = prior == VelocityErrorPrior::kEnergy ? H : root;
    EXPECT_GT((Sample(prior, *scene, other).covariance - one).cwiseAbs().maxCoeff(), 0.5);
  }
}

TEST(VelocityErrorPrior, OfClosedChainsIsThatOfTheIndependentVelocities) {
  const auto scene = Load("four_bar", {"initial.v_error_prior=energy"});
  ASSERT_TRUE(scene->closed);
  const auto on_reference = Load("four_bar", {});
  const VectorXd dv = scene->v_start - on_reference->v_start;
  EXPECT_GT(dv.norm(), 1e-3);
  EXPECT_GT(dv.cwiseAbs().minCoeff(), 1e-6) << "all joints of the loop move";
}

TEST(VelocityErrorPrior, MistakesGiveOneLineWithThePlace) {
  const TemporaryFolder folder;
  folder.Write("m.xml",
               "<mujoco><worldbody><body><joint name='a'/><geom size='.1'/></body></worldbody>"
               "</mujoco>");
  const auto why = [&](const std::string& initial) -> std::string {
    try {
      LoadScene(
          ReadConfig(folder.Write("c.yaml", "model: m.xml\ninitial:\n  {" + initial + "}\n")));
    } catch (const UserError& error) {
      return folder.WithoutPath(error.what());
    }
    return "";
  };
  EXPECT_EQ(why("v_error_prior: joints"),
            "c.yaml:3:19: unknown initial.v_error_prior 'joints' (did you mean 'joint'?); valid: "
            "none, joint, energy, impulse");
  EXPECT_EQ(why("q: [0], v_error_prior: joint"),
            "c.yaml:3:27: initial.v_error_prior: initial.q is given, too; a prior's run starts on "
            "its reference");
  EXPECT_EQ(why("v: [0], v_error_prior: joint"),
            "c.yaml:3:27: initial.v_error_prior: initial.v is given, too; give one of them");
  EXPECT_EQ(why("v_error: [0], v_error_prior: joint"),
            "c.yaml:3:33: initial.v_error_prior: initial.v_error is given, too; give one of them");
  EXPECT_THAT(why("v_error_prior: joint, v_error_size: 0"),
              HasSubstr("c.yaml:3:40: initial.v_error_size must be a number > 0"));
  EXPECT_THAT(why("v_error_prior: joint, v_error_seed: -1"),
              HasSubstr("c.yaml:3:40: initial.v_error_seed must be a whole number"));
}

TEST(VelocityErrorPrior, TakesThePlaceOfAFilesStart) {
  const SceneConfig config =
      ReadConfig("arm7_twist", {"initial.v_error_prior=energy", "initial.v_error_seed=2"});
  EXPECT_FALSE(config.initial.v_error);
  EXPECT_THAT(config.notices, testing::Contains("initial.v_error is not used: "
                                                "initial.v_error_prior has a start of its own"));
  EXPECT_EQ(ReadConfig("arm7_twist").initial.v_error.has_value(), true);
  EXPECT_FALSE(ReadConfig("ball_arm", {"initial.v_error_prior=joint"}).initial.q);
}

TEST(VelocityErrorPrior, IsToldWhereItsKeysAreOfNoUse) {
  EXPECT_THAT(ReadConfig("arm7", {"initial.v_error_seed=3"}).notices,
              testing::Contains(HasSubstr("initial.v_error_seed is of no use without")));
}

}  // namespace velocity_error_prior_test
}  // namespace civita
