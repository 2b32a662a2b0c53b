#include <array>

#include "app/program.h"
#include "app/verbs/reproduce/reproduce.h"
#include "app/verbs/reproduce/reproduction.h"
#include "gtest/gtest.h"
#include "study/symbolic/algebra.h"

namespace civita {
namespace reproduce_symbolic_test {

/// Passes for small mechanisms; is skipped in a build without algebra, and says so.
TEST(ReproduceSymbolic, Passes) {
  constexpr std::array kTrees = {5};
  constexpr std::array kChains = {4};
  constexpr std::array kExpanded = {3};
  Reproduction reproduction("symbolic", "");
  ReproduceSymbolicFor(&reproduction, kTrees, kChains, kExpanded);
  if (HasAlgebra()) {
    EXPECT_EQ(reproduction.Finish(), kExitDone);
  } else {
    EXPECT_EQ(reproduction.Finish(), kExitSkipped);
    EXPECT_NE(reproduction.result().verdict.find("libginac-dev"), std::string::npos);
  }
}

}  // namespace reproduce_symbolic_test
}  // namespace civita
