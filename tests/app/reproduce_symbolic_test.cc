#include "app/verbs/reproduce/reproduce_symbolic.h"

#include <array>
#include <cmath>

#include "app/program.h"
#include "app/verbs/reproduce/reproduction.h"
#include "gtest/gtest.h"

#ifdef CIVITA_WITH_GINAC
#include "app/verbs/reproduce/tube_tree.h"
#include "civita/christoffel.h"
#include "civita/error.h"
#include "core/symbolic/christoffel.h"
#endif

namespace civita {
namespace reproduce_symbolic_test {

/// Passes for small mechanisms; is skipped in a build without symbols, and says so.
TEST(ReproduceSymbolic, Passes) {
  constexpr std::array kTrees = {5};
  constexpr std::array kChains = {4};
  Reproduction reproduction("symbolic", "");
  ReproduceSymbolicFor(&reproduction, kTrees, kChains);
#ifdef CIVITA_WITH_GINAC
  EXPECT_EQ(reproduction.Finish(), kExitDone);
#else
  EXPECT_EQ(reproduction.Finish(), kExitSkipped);
  EXPECT_NE(reproduction.result().verdict.find("install Debian's libginac-dev"), std::string::npos);
#endif
}

#ifdef CIVITA_WITH_GINAC

/// The planar arm of two tubes: Γ_112 = −½ m l² sin q₂ and the symbols equal to it up to sign, all
/// others zero.
TEST(SymbolicChristoffel, OfTwoPlanarTubesIsTheClosedForm) {
  const Model model = TubeTree(ChainParents(2), 0);
  const Eigen::Vector2d q(0.4, 1.1);
  const double h = -0.5 * std::sin(q[1]);
  for (const SymbolicChristoffel& symbolic :
       {CalcSymbolicChristoffel(model), CalcSymbolicChristoffelByPartials(model)}) {
    const std::vector<double> Gamma = symbolic.Evaluate(q);
    const auto expect = [&](int i, int j, int k, double value) {
      EXPECT_NEAR(Gamma[ChristoffelIndex(2, i, j, k)], value, 1e-15) << i << j << k;
    };
    expect(0, 0, 0, 0);
    expect(0, 0, 1, h);
    expect(0, 1, 0, h);
    expect(0, 1, 1, h);
    expect(1, 0, 0, -h);
    expect(1, 0, 1, 0);
    expect(1, 1, 0, 0);
    expect(1, 1, 1, 0);
  }
}

TEST(SymbolicChristoffel, RefusesBalls) {
  ModelBuilder builder;
  const MassProperties mass{1, Eigen::Vector3d::Zero(), Eigen::Matrix3d::Identity()};
  builder.AddJoint(builder.AddBody("body", ModelBuilder::kWorld, Pose(), mass), JointType::kBall,
                   {.name = "ball"});
  const Model model = builder.Build();
  EXPECT_THROW(CalcSymbolicChristoffel(model), ContractError);
  EXPECT_THROW(CalcSymbolicChristoffelByPartials(model), ContractError);
}

#endif

}  // namespace reproduce_symbolic_test
}  // namespace civita
