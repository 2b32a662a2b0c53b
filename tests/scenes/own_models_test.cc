// Statements of the scenes' READMEs about their models.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <random>
#include <string>

#include "civita/centroidal.h"
#include "civita/com_decoupled.h"
#include "civita/coriolis.h"
#include "civita/factorization_text.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/product_of_exponentials.h"
#include "civita/rnea.h"
#include "civita/scenes/plant/poe_file.h"
#include "civita/scenes/scene.h"
#include "civita/workspace.h"
#include "tests/scenes/motion/moving_model.h"

namespace civita {
namespace own_models_test {

// The bodies and joints of the MJCF equal the textbook's screws.
TEST(OwnModelsTest, Ur5IsTheTextbooksChain) {
  const auto scene = LoadScene(ReadConfig("ur5"));
  const auto chain = ReadPoeFile(DataDirectory() / "config/poe/ur5.yaml");
  ASSERT_TRUE(chain.has_value());
  Workspace<double> of_scene(scene->plant), of_chain(chain->model());
  std::mt19937 random(11);
  for (int trial = 0; trial < 10; ++trial) {
    const Eigen::VectorXd q = RandomVector(6, 3, &random), v = RandomVector(6, 2, &random);
    const Eigen::VectorXd vdot = RandomVector(6, 5, &random);
    Eigen::MatrixXd H(6, 6), M(6, 6);
    Eigen::VectorXd tau(6), tau_chain(6);
    UpdateKinematics(scene->plant, q, v, of_scene);
    CalcMassMatrix(scene->plant, of_scene, H);
    CalcInverseDynamics<double>(scene->plant, vdot, of_scene, tau);
    poe::MassMatrixCrba<double>(*chain, q, of_chain, M);
    poe::InverseDynamicsRnea<double>(*chain, q, v, vdot, Vector6<double>::Zero(), of_chain,
                                     tau_chain);
    EXPECT_LT((H - M).norm(), 1e-12 * H.norm());
    EXPECT_LT((tau - tau_chain).norm(), 1e-12 * tau.norm());
  }
}

// With two coordinates there is exactly one admissible C.
TEST(OwnModelsTest, Planar2rHasOneC) {
  const auto scene = LoadScene(ReadConfig("planar_2r"));
  const auto arm = LoadScene(ReadConfig("arm7"));
  std::mt19937 random(3);
  for (const Scene* s : {scene.get(), arm.get()}) {
    const int nv = s->plant.nv();
    const std::string body = s == arm.get() ? "link4" : "link2";
    const Eigen::VectorXd q = RandomVector(nv, 1, &random), v = RandomVector(nv, 2, &random);
    Workspace<double> workspace(s->plant);
    UpdateKinematics(s->plant, q, v, workspace);
    Eigen::MatrixXd H(nv, nv), C(nv, nv), other(nv, nv);
    CalcCoriolisMatrix(s->plant, Factorization(), workspace, {.C = C, .H = H});
    double apart = 0;
    for (const std::string& form :
         {std::string("plain"), std::string("other"), std::string("t:-7.5"),
          "body:" + body + ":ang:2", "body:" + body + ":lin:3"}) {
      CalcCoriolisMatrix(s->plant, ParseFactorization(form, s->plant), workspace,
                         {.C = other, .H = H});
      apart = std::max(apart, (other - C).norm());
    }
    if (s == scene.get()) {
      EXPECT_LT(apart, 1e-13 * C.norm());
    } else {
      EXPECT_GT(apart, 0.1);  // with seven there are many
    }
  }
}

class SpaceArmTest : public testing::Test {
 protected:
  SpaceArmTest() : scene_(LoadScene(ReadConfig("space_arm"))), workspace_(scene_->plant) {
    scene_->mj->opt.integrator = mjINT_RK4;
    data_.reset(mj_makeData(scene_->mj.get()));
    std::copy(scene_->q_start.begin(), scene_->q_start.end(), data_->qpos);
    start_ = Com();
  }

  // Torques at the arm's joints, and a force on the hull, for two seconds.
  void Run(const Eigen::Vector3d& thrust) {
    for (int k = 0; k < 2000; ++k) {
      for (int i = 0; i < 3; ++i) data_->qfrc_applied[i] = thrust[i];
      for (int i = 6; i < 12; ++i) data_->qfrc_applied[i] = 0.1 * std::sin(2 * data_->time + i);
      mj_step(scene_->mj.get(), data_.get());
    }
  }
  Vector6<double> Momentum() {
    Update();
    return CalcCentroidalMomentum(scene_->plant, workspace_);
  }
  Eigen::Vector3d Com() {
    Update();
    return CalcCenterOfMass(scene_->plant, workspace_);
  }
  void Update() {
    const Eigen::Map<Eigen::VectorXd> q(data_->qpos, 13), v(data_->qvel, 12);
    UpdateKinematics<double>(scene_->plant, q, v, workspace_);
  }

  std::unique_ptr<Scene> scene_;
  Workspace<double> workspace_;
  std::unique_ptr<mjData, MjDataDeleter> data_;
  Eigen::Vector3d start_;
};

TEST_F(SpaceArmTest, MomentumIsConservedWithoutThrusters) {
  Run(Eigen::Vector3d::Zero());
  EXPECT_LT(Momentum().norm(), 1e-9);
  EXPECT_LT((Com() - start_).norm(), 1e-9);
  // Meanwhile the arm has rotated the hull.
  const Eigen::Map<Eigen::Vector4d> quaternion(data_->qpos + 3);
  const Eigen::Vector4d turn =
      QuaternionProduct(QuaternionConjugate(scene_->q_start.segment<4>(3)), quaternion);
  EXPECT_GT(QuaternionLog(turn).norm(), 0.02);
  EXPECT_GT(Eigen::Map<Eigen::VectorXd>(data_->qvel + 6, 6).norm(), 0.1);
}

TEST_F(SpaceArmTest, ThrustGivesMomentum) {
  Run({3, -2, 1});
  EXPECT_LT((Momentum().tail<3>() - 2 * Eigen::Vector3d(3, -2, 1)).norm(), 1e-9);
  EXPECT_LT((Com() - start_ - 2 * Eigen::Vector3d(3, -2, 1) / CalcTotalMass(scene_->plant)).norm(),
            1e-9);
}

// In the velocities [ċ; the others] the centre of mass and the arm are decoupled.
TEST_F(SpaceArmTest, CenterOfMassDecouples) {
  Run(Eigen::Vector3d::Zero());
  Update();
  CheckComDecoupling(scene_->plant, Factorization());
  Eigen::MatrixXd H(12, 12), C(12, 12), H_w(12, 12), C_w(12, 12);
  CalcCoriolisMatrix(scene_->plant, Factorization(), workspace_, {.C = C, .H = H});
  VelocityMap<double> map(12, 12);
  SetComVelocities<double>({.C = C, .H = H}, &map);
  CalcComDecoupled<double>(map, {.C = C, .H = H}, {.C = C_w, .H = H_w});
  EXPECT_LT((H_w.topLeftCorner<3, 3>() - 46.8 * Eigen::Matrix3d::Identity()).norm(), 1e-12);
  EXPECT_LT(H_w.topRightCorner(3, 9).norm() + C_w.topRows(3).norm(), 1e-12);
  EXPECT_GT(H.topRightCorner(3, 9).norm(), 1);
}

TEST(OwnModelsTest, ModelsComeByTheirPathAsWell) {
  for (const char* file : {"ur5", "ball_arm", "space_arm", "four_bar", "geared_arm"}) {
    const auto scene =
        LoadScene(ReadConfig((DataDirectory() / "scenes" / file / "scene.xml").string()));
    EXPECT_GE(mj_name2id(scene->mj.get(), mjOBJ_SITE, "ee"), 0) << file;
    EXPECT_GE(mj_name2id(scene->mj.get(), mjOBJ_KEY, "home"), 0) << file;
  }
}

}  // namespace own_models_test
}  // namespace civita
