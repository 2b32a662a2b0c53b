// Equalities of fixed tendons that couple two joints, against MuJoCo's rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "civita/error.h"
#include "civita/mujoco/constraints.h"
#include "tests/oracles/mujoco/closed_chain.h"

namespace civita {
namespace tendon_coupling_test {

/// Three links with references, and tendons over one, two and three joints.
std::string Model(const std::string& equality) {
  return R"(<mujoco><compiler angle="radian"/><worldbody>
    <body><joint name="a" axis="0 1 0" ref=".3"/><geom size=".05" pos=".2 0 0"/>
      <body pos=".3 0 0"><joint name="b" type="slide" axis="1 0 0" ref="-.1"/>
        <geom size=".05" pos=".1 0 0"/>
        <body pos=".2 0 0"><joint name="c" axis="0 1 0"/><geom size=".05" pos=".1 0 0"/></body>
      </body></body></worldbody>
    <tendon><fixed name="ab"><joint joint="a" coef="3"/><joint joint="b" coef="-.5"/></fixed>
      <fixed name="a"><joint joint="a" coef="2"/></fixed>
      <fixed name="c"><joint joint="c" coef="-4"/></fixed>
      <fixed name="abc"><joint joint="a" coef="1"/><joint joint="b" coef="1"/>
        <joint joint="c" coef="1"/></fixed></tendon>
    <equality>)" +
         equality + "</equality></mujoco>";
}

TEST(TendonCoupling, AgreesWithMujocosRows) {
  for (const std::string equality :
       {"<tendon tendon1='ab' polycoef='.2 0 0 0 0'/>",
        "<tendon tendon1='a' polycoef='.1 0 0 0 0'/>",
        "<tendon tendon1='c' tendon2='a' polycoef='.1 2 -.7 .4 .3'/>",
        "<tendon tendon1='a' tendon2='c' polycoef='.1 -2 .2 .03 -.01'/>",
        "<tendon tendon1='ab'/><tendon tendon1='c' tendon2='a'/>"}) {
    SCOPED_TRACE(equality);
    const ClosedChain chain = LoadClosedChainText(Model(equality));
    const VelocitySpace& model = *chain.model;
    EXPECT_EQ(model.nw(), equality.find("><") == std::string::npos ? 2 : 1);
    std::mt19937 random(5);
    SpaceWorkspace<double> workspace(model);
    for (int i = 0; i < 5; ++i) {
      const Eigen::VectorXd q = RandomClosedPosition(model, &random);
      ASSERT_TRUE(UpdateKinematics<double>(model, q, workspace).ok());
      Eigen::MatrixXd A(model.nv(), model.nw());
      CalcVelocityMap<double>(model, workspace, A);
      const MujocoRows rows = CalcMujocoRows(chain, q);
      EXPECT_LE(rows.gap.norm(), 1e-12);
      EXPECT_LE((rows.K * A).norm(), 1e-12 * rows.K.norm() * A.norm());
    }
  }
}

TEST(TendonCoupling, TheJointThatMovesMoreFollows) {
  const ClosedChain chain = LoadClosedChainText(Model("<tendon tendon1='ab'/>"));
  EXPECT_EQ(chain.model->Names(), (std::vector<std::string>{"a", "c"}));
}

TEST(TendonCoupling, OtherTendonsAreRefusedByName) {
  for (const std::string tendons : {"tendon1='abc'", "tendon1='ab' tendon2='c'"}) {
    try {
      LoadClosedChainText(Model("<tendon name='rope' " + tendons + "/>"));
      ADD_FAILURE() << tendons;
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("equality 'rope' closes no loop of joints"));
    }
  }
}

}  // namespace tendon_coupling_test
}  // namespace civita
