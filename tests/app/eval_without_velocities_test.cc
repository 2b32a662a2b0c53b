// `civita eval --reduced` of mechanisms whose loops leave no velocity.
#include <gtest/gtest.h>

#include <string>

#include "tests/app/eval_shell.h"

namespace civita {
namespace eval_without_velocities_test {

TEST(EvalWithoutVelocities, EveryQuantityIsEmptyOrOfTheBodies) {
  const Shell shell;
  shell.Write("pinned.xml", R"(<mujoco><worldbody><body name="link"><joint name="j" axis="0 1 0"/>
    <geom size=".05" pos=".1 0 0" mass="2"/></body></worldbody>
    <equality><weld body1="link"/></equality></mujoco>)");
  for (const std::string form : {"christoffel", "t:2", "alpha:0.3"}) {
    const std::string call = "civita eval pinned.xml --reduced --factorization " + form;
    const auto result = shell.Run(call + " --quantities all");
    ASSERT_EQ(result.code, 0) << result.err;
    const auto json = nlohmann::ordered_json::parse(result.out);
    EXPECT_EQ(json["nw"], 0);
    const auto& state = json["states"][0];
    for (const char* empty : {"H", "C", "Gamma", "g", "bias", "torsion", "structure", "dtau_dq"}) {
      EXPECT_EQ(state[empty].size(), 0u) << empty;
    }
    EXPECT_EQ(ToVector(state["residuals"]), Eigen::Vector3d::Zero());
    EXPECT_NEAR(state["com"][0].get<double>(), 0.1, 1e-12);
    EXPECT_EQ(state["A"].size(), 1u);
    EXPECT_EQ(shell.Run(call + " --quantities all --format npz --out all.npz").code, 0);
  }
}

}  // namespace eval_without_velocities_test
}  // namespace civita
