#include "app/verbs/reproduce/reproduce_symbolic.h"

#include <array>

#include "app/program.h"
#include "app/verbs/reproduce/reproduction.h"
#include "gtest/gtest.h"

namespace civita {
namespace reproduce_symbolic_test {

/// Passes for small mechanisms; is skipped in a build without symbols, and says so.
TEST(ReproduceSymbolic, Passes) {
  constexpr std::array kTrees = {5};
  constexpr std::array kChains = {4};
  constexpr std::array kExpanded = {3};
  Reproduction reproduction("symbolic", "");
  ReproduceSymbolicFor(&reproduction, kTrees, kChains, kExpanded);
#ifdef CIVITA_WITH_GINAC
  EXPECT_EQ(reproduction.Finish(), kExitDone);
#else
  EXPECT_EQ(reproduction.Finish(), kExitSkipped);
  EXPECT_NE(reproduction.result().verdict.find("install Debian's libginac-dev"), std::string::npos);
#endif
}

}  // namespace reproduce_symbolic_test
}  // namespace civita
