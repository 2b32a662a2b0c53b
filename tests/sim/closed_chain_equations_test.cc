// The closed chains of config/ against dense matrices: A by the Jacobians of the loops, its rate by
// differences along the motion.

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "civita/factorization_text.h"
#include "civita/mujoco/constraints.h"
#include "tests/oracles/dense_chain_checks.h"
#include "tests/oracles/mujoco/closed_chain.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace closed_chain_equations_test {

TEST(ClosedChainEquations, OfConfigsAreTheDenseOnes) {
  ChainFeatures seen;
  for (const std::string name : {"four_bar", "geared_arm"}) {
    SCOPED_TRACE(name);
    const std::unique_ptr<Scene> scene = LoadScene(ReadConfig(name));
    ASSERT_NE(scene->closed, nullptr);
    const VelocitySpace& model = *scene->closed;
    const ClosedChain chain =
        LoadClosedChain(std::string(CIVITA_SOURCE_DIR) + "/scenes/" + name, "scene");
    const Constraints loops = ReadConstraints(*chain.mj, model.tree());
    std::vector<Factorization> factorizations;
    for (const char* text : {"christoffel", "plain", "t:-0.7"}) {
      factorizations.push_back(ParseFactorization(text, model.tree()));
    }
    std::mt19937 random(1);
    for (unsigned seed = 0; seed < 4; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      CheckDenseEquations(model, loops, RandomClosedPosition(model, &random), factorizations, seed,
                          &seen);
    }
  }
  EXPECT_GT(seen.loops, 0);
  EXPECT_GT(seen.gears, 0);
}

}  // namespace closed_chain_equations_test
}  // namespace civita
