// The MuJoCo model of a product of exponentials beside the chain itself.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "civita/coriolis.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "civita/mujoco/convert.h"
#include "civita/product_of_exponentials.h"
#include "civita/rnea.h"
#include "civita/scenes/plant/poe_file.h"
#include "civita/scenes/scene.h"
#include "tests/scenes/motion/moving_model.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace poe_spec_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::ElementsAre;
using testing::HasSubstr;

/// Revolute, prismatic, revolute, with screws of lengths 2, 0.5 and 1, oblique axes, full inertias,
/// centres of mass beside the link frames, and gravity aslant.
constexpr const char* kOblique = R"(
M_list:
  - [[0, -1, 0, 0.1], [1, 0, 0, 0.2], [0, 0, 1, 0.3], [0, 0, 0, 1]]
  - [[1, 0, 0, 0.1], [0, 0.6, -0.8, -0.2], [0, 0.8, 0.6, 0.4], [0, 0, 0, 1]]
  - [[0, 0, 1, -0.1], [0, 1, 0, 0.3], [-1, 0, 0, 0.2], [0, 0, 0, 1]]
  - [[1, 0, 0, 0], [0, 1, 0, 0.1], [0, 0, 1, 0.5], [0, 0, 0, 1]]
G_list:
  - [[0.5, -0.02, -0.05, 0, -0.6, 0.4], [-0.02, 0.6, -0.1, 0.6, 0, -0.2],
     [-0.05, -0.1, 0.4, -0.4, 0.2, 0], [0, 0.6, -0.4, 2, 0, 0], [-0.6, 0, 0.2, 0, 2, 0],
     [0.4, -0.2, 0, 0, 0, 2]]
  - [0.3, 0.2, 0.25, 1.5, 1.5, 1.5]
  - [[0.2, 0.01, 0, 0, -0.1, 0], [0.01, 0.2, 0, 0.1, 0, 0], [0, 0, 0.1, 0, 0, 0],
     [0, 0.1, 0, 1, 0, 0], [-0.1, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]]
S_list:
  - [0, 1.2, 1.6, 0.4, 0.4, -0.3]
  - [0, 0, 0, 0.3, 0, 0.4]
  - [0.6, 0, 0.8, 0.8, 0.5, -0.6]
gravity: [1, -2, -9]
)";

double ErrorOf(const MatrixXd& a, const MatrixXd& b) { return (a - b).norm() / b.norm(); }

/// H, the Christoffel C, g and the tip's pose of both at random states, and MuJoCo's own H
/// and bias forces. With φ = D θ, the coordinates of MuJoCo, H_θ = D H_φ D and likewise for the
/// others.
void ExpectSameMechanism(const std::filesystem::path& file, const VectorXd& D) {
  std::vector<std::string> notices;
  const MjModelPtr mj = LoadModelFile(file, {}, &notices);
  const Model model = BuildModel(*mj);
  const std::optional<poe::Robot> chain = ReadPoeFile(file);
  ASSERT_TRUE(chain.has_value());
  const poe::Robot& robot = *chain;
  const int n = robot.model().nv();
  ASSERT_EQ(model.nv(), n);
  const std::unique_ptr<mjData, MjDataDeleter> data(mj_makeData(mj.get()));
  Workspace<double> of_mj(model), of_chain(robot.model());
  std::mt19937 random(7);
  for (int trial = 0; trial < 10; ++trial) {
    const VectorXd theta = RandomVector(n, 3, &random), dtheta = RandomVector(n, 2, &random);
    const VectorXd q = D.cwiseProduct(theta), v = D.cwiseProduct(dtheta);
    UpdateKinematics<double>(model, q, v, of_mj);
    UpdateKinematics<double>(robot.model(), theta, dtheta, of_chain);
    MatrixXd H(n, n), C(n, n), H_chain(n, n), C_chain(n, n);
    VectorXd g(n), g_chain(n), bias(n);
    CalcCoriolisMatrix(model, Factorization::Christoffel(), of_mj, {.C = C, .H = H});
    CalcCoriolisMatrix(robot.model(), Factorization::Christoffel(), of_chain,
                       {.C = C_chain, .H = H_chain});
    CalcGravityForces<double>(model, of_mj, g);
    CalcGravityForces<double>(robot.model(), of_chain, g_chain);
    EXPECT_LT(ErrorOf(D.asDiagonal() * H * D.asDiagonal(), H_chain), 1e-12);
    EXPECT_LT(ErrorOf(D.asDiagonal() * C * D.asDiagonal(), C_chain), 1e-12);
    EXPECT_LT(ErrorOf(D.cwiseProduct(g), g_chain), 1e-12);

    std::copy(q.begin(), q.end(), data->qpos);
    std::copy(v.begin(), v.end(), data->qvel);
    mj_forward(mj.get(), data.get());
    MatrixXd H_mujoco(n, n);
    mj_fullM(mj.get(), data.get(), H_mujoco.data());
    std::copy_n(data->qfrc_bias, n, bias.data());
    EXPECT_LT(ErrorOf(D.asDiagonal() * H_mujoco * D.asDiagonal(), H_chain), 1e-12);
    EXPECT_LT(ErrorOf(D.cwiseProduct(bias), C_chain * dtheta + g_chain), 1e-12);
    const Pose tip = CalcFramePose(robot.model(), robot.tip(), of_chain);
    const int body = mj_name2id(mj.get(), mjOBJ_BODY, "tip");
    EXPECT_LT((Eigen::Map<Eigen::Vector3d>(data->xpos + 3 * body) - tip.p).norm(), 1e-12);
  }
}

TEST(PoeSpecTest, TheUr5IsTheSameMechanism) {
  ExpectSameMechanism(DataDirectory() / "config/poe/ur5.yaml", VectorXd::Ones(6));
}

TEST(PoeSpecTest, ScrewsOfAnyLengthAreNormalized) {
  ExpectSameMechanism(DataDirectory() / "config/poe/ur5_three_links.yaml",
                      Eigen::Vector3d(std::sqrt(2), 1, 1));
}

TEST(PoeSpecTest, ObliqueSlidesAndFullInertiasAreTheSameMechanism) {
  const TemporaryFolder folder;
  ExpectSameMechanism(folder.Write("oblique.yaml", kOblique), Eigen::Vector3d(2, 0.5, 1));
}

TEST(PoeSpecTest, ANoticeNamesTheJointsWithOtherCoordinates) {
  const TemporaryFolder folder;
  std::vector<std::string> notices;
  LoadModelFile(folder.Write("oblique.yaml", kOblique), {}, &notices);
  EXPECT_THAT(notices, ElementsAre(HasSubstr("the coordinate of joint1, joint2 is")));
  notices.clear();
  LoadModelFile(DataDirectory() / "config/poe/ur5.yaml", {}, &notices);
  EXPECT_THAT(notices, ElementsAre());
}

TEST(PoeSpecTest, TheStickFigureConnectsTheJointsAndTouchesNothing) {
  std::vector<std::string> notices;
  const MjModelPtr mj = LoadModelFile(DataDirectory() / "config/poe/ur5.yaml", {}, &notices);
  const std::unique_ptr<mjData, MjDataDeleter> data(mj_makeData(mj.get()));
  mj_forward(mj.get(), data.get());
  EXPECT_EQ(data->ncon, 0);
  int capsules = 0;
  for (int i = 0; i < mj->ngeom; ++i) capsules += mj->geom_type[i] == mjGEOM_CAPSULE ? 1 : 0;
  EXPECT_EQ(capsules, 6);  // one a link
  // The upper arm, from the shoulder to the elbow, is 0.425 m long.
  const int upper_arm = mj_name2id(mj.get(), mjOBJ_BODY, "link2");
  const int geom = mj->body_geomadr[upper_arm] + 1;
  EXPECT_EQ(mj->geom_type[geom], mjGEOM_CAPSULE);
  EXPECT_NEAR(2 * mj->geom_size[3 * geom + 1], 0.425, 1e-12);
}

TEST(PoeSpecTest, ConfigsNameAChainAsTheirModel) {
  const TemporaryFolder folder;
  folder.Write("oblique.yaml", kOblique);
  const auto scene = LoadScene(ReadConfig(folder.Write("c.yaml", "model: oblique.yaml\n")));
  EXPECT_EQ(scene->plant.nv(), 3);
  EXPECT_EQ(scene->plant.gravity(), Eigen::Vector3d(1, -2, -9));
}

std::string ErrorOfLoading(const std::string& file) {
  try {
    LoadScene(ReadConfig(file));
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(PoeSpecTest, HelicalJointsAreRefusedWithTheirPlace) {
  const TemporaryFolder folder;
  std::string text = kOblique;
  const std::string screw = "[0.6, 0, 0.8, 0.8, 0.5, -0.6]";
  text.replace(text.find(screw), screw.size(), "[0.6, 0, 0.8, 0.8, 0.5, -0.5]");
  const std::string error = ErrorOfLoading(folder.Write("screw.yaml", text));
  EXPECT_THAT(folder.WithoutPath(error),
              testing::StartsWith("screw.yaml:17:5: S_list: entry 3 is helical"));
}

TEST(PoeSpecTest, OtherYamlIsNoModel) {
  const TemporaryFolder folder;
  folder.Write("other.yaml", "model: x.xml\n");
  EXPECT_THAT(ErrorOfLoading(folder.Write("c.yaml", "model: other.yaml\n")),
              HasSubstr("other.yaml: is no product of exponentials"));
}

}  // namespace poe_spec_test
}  // namespace civita
