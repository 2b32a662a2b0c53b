// The packed Christoffel symbols contain the complete dense tensor (which has its own laws)
// without redundancy, and contract to C.

#include "civita/christoffel.h"
#include "civita/error.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/dual_dynamics.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/seeds.h"

namespace civita {
namespace packed_christoffel_laws_test {

const unsigned kSeeds = Seeds(40);
constexpr double kExact = 1e-13;

class PackedChristoffelLaws : public testing::TestWithParam<unsigned> {
 protected:
  PackedChristoffelLaws() : packed_(layout_.size(), NAN) {
    Workspace<double> workspace(c_.model);
    UpdateKinematics(c_.model, c_.q, workspace);
    CalcPackedChristoffelSymbols(c_.model, layout_, workspace, std::span<double>(packed_));
  }
  int nv() const { return c_.model.nv(); }
  size_t DenseSize() const { return ChristoffelIndex(nv(), 0, 0, nv()); }

  Case c_ = MakeCase(GetParam());
  ChristoffelLayout layout_{c_.model};
  std::vector<double> packed_;
};

TEST_P(PackedChristoffelLaws, ExpandToTheDenseTensor) {
  std::vector<double> dense(DenseSize(), NAN), expanded(DenseSize(), 0);
  Workspace<double> workspace(c_.model);
  UpdateKinematics(c_.model, c_.q, workspace);
  CalcChristoffelSymbols(c_.model, workspace, std::span<double>(dense));
  layout_.ForEach(packed_, [&](int i, int j, int k, double symbol) {
    expanded[ChristoffelIndex(nv(), i, j, k)] = symbol;
  });
  double size = 1;
  for (const double symbol : dense) size = std::max(size, std::abs(symbol));
  for (size_t at = 0; at < dense.size(); ++at) {
    ASSERT_NEAR(expanded[at], dense[at], kExact * size) << at;
  }
}

/// Against Koszul's formula by dual numbers, which is independent of both forms.
TEST_P(PackedChristoffelLaws, EverySymbolIsWhereTheLayoutSays) {
  const std::vector<Eigen::MatrixXd> Gamma = DualKoszulSymbols(c_.model, c_.spec, c_.q);
  std::vector<bool> used(layout_.size(), false);
  double size = 1;
  for (const Eigen::MatrixXd& slice : Gamma) size = std::max(size, slice.cwiseAbs().maxCoeff());
  for (int j = 0; j < nv(); ++j) {
    for (int k = 0; k < nv(); ++k) {
      for (int i = 0; i < nv(); ++i) {
        const ChristoffelLayout::Place place = layout_.Find(i, j, k);
        if (place.sign != 0) used[place.index] = true;
        ASSERT_NEAR(place.sign == 0 ? 0 : place.sign * packed_[place.index],
                    Gamma[static_cast<size_t>(j)](i, k), kExact * size)
            << c_.model.VelocityName(i) << ", " << c_.model.VelocityName(j) << ", "
            << c_.model.VelocityName(k);
      }
    }
  }
  EXPECT_EQ(std::count(used.begin(), used.end(), false), 0) << "numbers that nothing refers to";
}

TEST_P(PackedChristoffelLaws, ContractToTheCoriolisMatrixForAnyVelocity) {
  std::mt19937 random(GetParam());
  for (int trial = 0; trial < 3; ++trial) {
    const Eigen::VectorXd v = RandomVector(nv(), &random);
    Eigen::MatrixXd C = Eigen::MatrixXd::Zero(nv(), nv());
    layout_.ForEach(packed_, [&](int i, int j, int k, double symbol) { C(i, k) += symbol * v[j]; });
    EXPECT_LE(RelativeError(C, CalcCoreDynamics(c_.model, c_.q, v).C), kExact);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, PackedChristoffelLaws, testing::Range(0u, kSeeds));

/// A chain of n hinges needs 1² + 2² + … + n² numbers, and blocks are squares by columns.
TEST(ChristoffelLayout, OfAChainIsSquares) {
  constexpr int kLinks = 6;
  ModelBuilder builder;
  int link = ModelBuilder::kWorld;
  for (int n = 0; n < kLinks; ++n) {
    link = builder.AddBody("link" + std::to_string(n), link, {},
                           {1, Eigen::Vector3d(0.1, 0, 0.2), Eigen::Matrix3d::Identity()});
    builder.AddJoint(link, JointType::kHinge, {.name = "q" + std::to_string(n)});
  }
  const ChristoffelLayout layout(builder.Build());
  EXPECT_EQ(layout.size(), 91u);
  EXPECT_EQ(layout.block(3), 14u);
  EXPECT_EQ(layout.path(3).size(), 4u);
  EXPECT_EQ(layout.Find(1, 2, 3).index, 14u + 2 * 4 + 1);
  EXPECT_EQ(layout.Find(1, 3, 2).index, layout.Find(1, 2, 3).index);
  EXPECT_EQ(layout.Find(3, 1, 2).index, layout.Find(2, 1, 3).index);
  EXPECT_EQ(layout.Find(3, 1, 2).sign, -1);
}

TEST(ChristoffelLayout, ChecksItsArguments) {
  const Case c = MakeCase(1);
  const ChristoffelLayout layout(c.model);
  EXPECT_THROW(layout.Find(0, 0, c.model.nv()), ContractError);
  EXPECT_THROW(layout.Find(-1, 0, 0), ContractError);
  Workspace<double> workspace(c.model);
  std::vector<double> packed(layout.size()), few(1);
  const std::span<double> numbers(packed), too_few(few);
  EXPECT_THROW(CalcPackedChristoffelSymbols(c.model, layout, workspace, numbers), ContractError);
  UpdateKinematics(c.model, c.q, workspace);
  EXPECT_THROW(CalcPackedChristoffelSymbols(c.model, layout, workspace, too_few), ContractError);
  ModelBuilder builder;
  const int link = builder.AddBody("link", ModelBuilder::kWorld, {},
                                   {1, Eigen::Vector3d::Zero(), Eigen::Matrix3d::Identity()});
  builder.AddJoint(link, JointType::kHinge, {.name = "q"});
  const ChristoffelLayout other(builder.Build());
  EXPECT_THROW(CalcPackedChristoffelSymbols(c.model, other, workspace, too_few), ContractError);
}

}  // namespace packed_christoffel_laws_test
}  // namespace civita
