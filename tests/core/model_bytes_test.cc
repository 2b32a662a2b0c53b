// Models as bytes: read again they compute the same bits; what is damaged is refused.

#include "core/model/internal/model_bytes.h"

#include <gtest/gtest.h>

#include "civita/coriolis.h"
#include "civita/describe.h"
#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/passive_forces.h"
#include "civita/workspace.h"
#include "tests/oracles/random_model.h"

namespace civita {
namespace model_bytes_test {

using internal::ReadClosures;
using internal::ReadModel;
using internal::WriteClosures;
using internal::WriteModel;

TreeSpec Case(unsigned seed) {
  RandomTreeOptions options = OptionsForKernels(seed);
  options.passive = true;
  return RandomTree(seed, options);
}

TEST(ModelBytes, ReadAgainComputeTheSameBits) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    const TreeSpec spec = Case(seed);
    const Model model = BuildTree(spec).WithScaledInertia(1.1);
    const std::string bytes = WriteModel(model);
    const Model read = ReadModel(bytes);
    EXPECT_EQ(WriteModel(read), bytes);
    EXPECT_EQ(Describe(read), Describe(model));
    EXPECT_EQ(read.structure(), model.structure());
    EXPECT_EQ(read.DefaultPosition(), model.DefaultPosition());
    EXPECT_EQ(read.VelocityName(model.nv() - 1), model.VelocityName(model.nv() - 1));
    EXPECT_EQ(read.tendons().size(), model.tendons().size());
    std::mt19937 random(seed);
    const Eigen::VectorXd q = RandomPosition(spec, &random), v = RandomVector(model.nv(), &random);
    const int n = model.nv();
    Eigen::MatrixXd H[2], C[2];
    Eigen::VectorXd tau[2];
    int i = 0;
    for (const Model* each : {&model, &read}) {
      Workspace<double> workspace(*each);
      UpdateKinematics<double>(*each, q, v, workspace);
      H[i].resize(n, n);
      C[i].resize(n, n);
      CalcCoriolisMatrix<double>(*each, Factorization{}, workspace, {.C = C[i], .H = H[i]});
      tau[i].setZero(n);
      AddPassiveForces(*each, q, v, {.speed = 0.01}, 1, tau[i]);
      ++i;
    }
    EXPECT_EQ(H[0], H[1]) << seed;
    EXPECT_EQ(C[0], C[1]) << seed;
    EXPECT_EQ(tau[0], tau[1]) << seed;
  }
}

TEST(ModelBytes, OfLoopsAreReadAgain) {
  LoopClosures closures;
  closures.frames.push_back({"pin", {2, {1, 2, 3}, {}}, {-1, {0, 0.5, 0}, {}}, true});
  closures.frames[0].a.axes.setIdentity();
  closures.frames[0].b.axes.setConstant(0.25);
  closures.joints.push_back({"gear", 1, 0, {0, 2, 0, 0, 1}, 0.1, 0.2});
  const std::string bytes = WriteClosures(closures);
  const LoopClosures read = ReadClosures(bytes);
  EXPECT_EQ(WriteClosures(read), bytes);
  ASSERT_EQ(read.frames.size(), 1);
  EXPECT_EQ(read.frames[0].a.point, closures.frames[0].a.point);
  EXPECT_TRUE(read.frames[0].fixes_rotation);
  EXPECT_EQ(read.joints.at(0).polynomial, closures.joints[0].polynomial);
}

TEST(ModelBytes, ThatAreDamagedAreRefused) {
  const std::string bytes = WriteModel(BuildTree(Case(1)));
  for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 64) {
    EXPECT_THROW((void)ReadModel(std::string_view(bytes).substr(0, size)), UserError) << size;
  }
  EXPECT_THROW((void)ReadModel(bytes + "x"), UserError);
  int refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    try {
      (void)ReadModel(damaged);  // another number can be one
    } catch (const UserError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 50);
  EXPECT_THROW((void)ReadClosures(bytes.substr(0, 20)), UserError);
}

}  // namespace model_bytes_test
}  // namespace civita
