#include "app/verbs/reproduce/reproduce_verification.h"

#include <numbers>
#include <random>

#include "app/program.h"
#include "app/verbs/reproduce/reproduction.h"
#include "app/verbs/reproduce/tube_tree.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "gtest/gtest.h"

namespace civita {
namespace reproduce_verification_test {

constexpr double kTwist = std::numbers::pi / 3;

TEST(TubeTree, IsWhatThePaperDescribes) {
  const Model model = TubeTree(ChainParents(3), kTwist);
  ASSERT_EQ(model.nv(), 3);
  Workspace<double> workspace(model);
  UpdateKinematics(model, Eigen::Vector3d::Zero(), workspace);
  const Kinematics<double> kinematics = workspace.kinematics(model);
  const auto vector = [](const V3<double>& x) { return Eigen::Vector3d(x.x, x.y, x.z); };
  for (int b = 0; b < 3; ++b) {
    SCOPED_TRACE(b);
    const auto n = static_cast<double>(b);
    EXPECT_EQ(model.bodies()[static_cast<std::size_t>(b)].mass.mass, 1);
    EXPECT_TRUE(vector(kinematics.bodies[b].r).isApprox(Eigen::Vector3d(n, 0, 0), 1e-15));
    const Eigen::Vector3d axis(0, -std::sin(n * kTwist), std::cos(n * kTwist));
    EXPECT_TRUE(vector(kinematics.Phi[b].w).isApprox(axis, 1e-15));
  }
}

/// Two tubes in a line, axes parallel: a rod of 2 m and 2 kg about its end, and one of 1 m.
TEST(TubeTree, HasTheInertiaOfTubes) {
  const Model model = TubeTree(ChainParents(2), 0);
  Workspace<double> workspace(model);
  Eigen::Matrix2d H;
  UpdateKinematics(model, Eigen::Vector2d::Zero(), workspace);
  CalcMassMatrix(model, workspace, H);
  const double wall = 0.02 * 0.02 / 2;  // contribution of each tube's radius
  EXPECT_NEAR(H(0, 0), 8.0 / 3 + 2 * wall, 1e-14);
  EXPECT_NEAR(H(1, 1), 1.0 / 3 + wall, 1e-14);
}

TEST(TubeTree, ParentsComeFirstAndSeedsRepeat) {
  EXPECT_EQ(ChainParents(4), (std::vector<int>{-1, 0, 1, 2}));
  EXPECT_EQ(BinaryTreeParents(6), (std::vector<int>{-1, 0, 0, 1, 1, 2}));
  std::mt19937_64 random(7), again(7);
  const std::vector<int> parents = RandomTreeParents(30, &random);
  EXPECT_EQ(parents, RandomTreeParents(30, &again));
  EXPECT_EQ(parents[0], -1);
  bool branches = false;
  for (std::size_t b = 1; b < parents.size(); ++b) {
    EXPECT_GE(parents[b], 0);
    EXPECT_LT(parents[b], static_cast<int>(b));
    branches = branches || parents[b] != static_cast<int>(b) - 1;
  }
  EXPECT_TRUE(branches);
  const Eigen::VectorXd x = UniformVector(1000, 10, &random);
  EXPECT_GE(x.minCoeff(), 0);
  EXPECT_LT(x.maxCoeff(), 10);
  EXPECT_NEAR(x.mean(), 5, 0.5);
}

TEST(ReproduceVerification, Passes) {
  Reproduction reproduction("verification", "");
  VerifyLaws(&reproduction, 3, Factorization());
  EXPECT_EQ(reproduction.Finish(), kExitDone);
}

/// The plain factorization is admissible and valid, but the Christoffel symbols belong to another
/// one.
TEST(ReproduceVerification, FailsForAnotherFactorization) {
  const Factorization plain = Factorization::Torsion(1);
  Reproduction reproduction("verification", "");
  VerifyLaws(&reproduction, 1, plain);
  EXPECT_EQ(reproduction.Finish(), kExitFailed);
  const Model model = TubeTree(ChainParents(6), kTwist);
  std::mt19937_64 random(1);
  const Eigen::VectorXd q = UniformVector(6, 6, &random), v = UniformVector(6, 10, &random);
  const LawResiduals residuals = CalcLawResiduals(model, plain, q, v);
  EXPECT_LE(residuals.bias.relative(), 1e-13);
  EXPECT_LE(residuals.skew.relative(), 1e-13);
  EXPECT_GT(residuals.christoffel.relative(), 1e-3);
}

}  // namespace reproduce_verification_test
}  // namespace civita
