// MuJoCo's own numbers for the mechanisms of the reference models.

#include "civita/mujoco/convert.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/core_dynamics.h"
#include "tests/oracles/mujoco/mujoco_tree.h"
#include "tests/oracles/reference_model.h"

namespace civita {
namespace reference_laws_test {

class ReferenceLaws : public testing::TestWithParam<std::string> {};

TEST_P(ReferenceLaws, MujocoAgrees) {
  const ReferenceModel reference =
      LoadReferenceModel(CIVITA_TEST_DATA_DIR "/reference", GetParam());
  const MujocoTree tree = LoadInMujoco(reference.spec);
  const Model model = BuildModel(*tree.model);
  ASSERT_EQ(model.nq(), reference.spec.nq);
  ASSERT_EQ(model.nv(), reference.spec.nv);
  for (const ReferenceModel::Values& state : reference.states) {
    const Eigen::VectorXd q = state.at(reference.cluster ? "q_full" : "q");
    const Eigen::VectorXd v =
        reference.cluster ? Eigen::VectorXd::Ones(model.nv()) : Eigen::VectorXd(state.at("v"));
    const MujocoDynamics mujoco = CalcMujocoDynamics(tree, q, v);
    const CoreDynamics d = CalcCoreDynamics(model, tree.ToQpos(q), tree.ToQvel(v));
    EXPECT_LE(RelativeError(tree.FromQvel(d.H), mujoco.H), 1e-10);
    EXPECT_LE(RelativeError(tree.FromQvel(d.bias), mujoco.bias), 1e-10);
    if (reference.cluster) continue;
    EXPECT_LE(RelativeError(tree.FromQvel(d.C), state.at("C")), 1e-10);
    EXPECT_LE(RelativeError(mujoco.H, state.at("H")), 1e-10);
    EXPECT_LE(RelativeError(mujoco.bias, state.at("Cv") + state.at("g")), 1e-10);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, ReferenceLaws, testing::ValuesIn(ReferenceModelNames()),
                         [](const auto& param) { return param.param; });

}  // namespace reference_laws_test
}  // namespace civita
