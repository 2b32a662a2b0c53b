// Closed chains in their independent velocities against dense matrices: A by the Jacobians of the
// loops, its rate by differences along the motion.

#include <gtest/gtest.h>

#include <string>

#include "civita/space_dynamics.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/dense_chain.h"
#include "tests/oracles/dense_chain_checks.h"
#include "tests/oracles/seeds.h"

namespace civita {
namespace closed_chain_laws_test {

const unsigned kSeeds = Seeds(40);

TEST(ClosedChainLaws, RandomChainsMoveByTheDenseEquations) {
  ChainFeatures seen;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomChain chain = MakeRandomChain(seed);
    CheckDenseEquations(chain.model, chain.loops, chain.model.closed_start(),
                        AllFactorizations(chain.tree, seed), seed, &seen);
  }
  if (kSeeds < 40) return;
  EXPECT_GT(seen.loops, 10);
  EXPECT_GT(seen.welds, 2);
  EXPECT_GT(seen.gears, 10);
  EXPECT_GT(seen.largest_rate, 1);  // Ȧ counts
}

}  // namespace closed_chain_laws_test
}  // namespace civita
