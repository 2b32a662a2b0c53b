// Random mechanisms with all joint types against MuJoCo's own numbers.

#include <set>

#include "civita/error.h"
#include "civita/manifold.h"
#include "civita/mujoco/convert.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/core_dynamics.h"
#include "tests/oracles/mujoco/mujoco_tree.h"
#include "tests/oracles/random_model.h"
#include "tests/oracles/seeds.h"

namespace civita {
namespace mujoco_test {

using testing::HasSubstr;

const unsigned kSeeds = Seeds(150);
constexpr double kTolerance = 1e-10;

TEST(MujocoTest, MassMatrixAndBiasOfRandomTreesAgree) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const TreeSpec spec =
        RandomTree(seed, {.bodies = 4 + static_cast<int>(seed % 9), .helical = false});
    const MujocoTree tree = LoadInMujoco(spec);
    const Model converted = BuildModel(*tree.model);
    const Model built = BuildTree(spec);
    std::mt19937 random(seed + 1000);
    for (int trial = 0; trial < 3; ++trial) {
      const Eigen::VectorXd q = RandomPosition(spec, &random);
      const Eigen::VectorXd v = 3 * RandomVector(spec.nv, &random);
      const MujocoDynamics mujoco = CalcMujocoDynamics(tree, q, v);
      const CoreDynamics a = CalcCoreDynamics(converted, tree.ToQpos(q), tree.ToQvel(v));
      const CoreDynamics b = CalcCoreDynamics(built, q, v);
      ASSERT_LE(RelativeError(tree.FromQvel(a.H), mujoco.H), kTolerance);
      ASSERT_LE(RelativeError(tree.FromQvel(a.bias), mujoco.bias), kTolerance);
      ASSERT_LE(RelativeError(tree.FromQvel(a.C), b.C), kTolerance);
      ASSERT_LE(RelativeError(b.H, mujoco.H), kTolerance);
      ASSERT_LE(RelativeError(b.bias, mujoco.bias), kTolerance);
    }
  }
}

TEST(MujocoTest, AnActuatorsArmatureAndDampingAreItsJoints) {
  const char* xml = R"(<mujoco><worldbody><body>
    <joint name="a" axis="0 1 0" armature=".1" damping=".5"/><geom size=".1" pos=".3 0 0"/>
    </body></worldbody><actuator><motor joint="a" gear="3" armature=".2" damping=".4"/></actuator>
    </mujoco>)";
  char error[500] = "";
  const std::unique_ptr<mjSpec, MujocoDeleter> spec(
      mj_parseXMLString(xml, nullptr, error, sizeof error));
  ASSERT_NE(spec, nullptr) << error;
  const std::unique_ptr<mjModel, MujocoDeleter> m(mj_compile(spec.get(), nullptr));
  const std::unique_ptr<mjData, MujocoDeleter> d(mj_makeData(m.get()));
  mj_forward(m.get(), d.get());
  double H = 0;
  mj_fullM(m.get(), d.get(), &H);
  const Model model = BuildModel(*m);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(1);
  EXPECT_NEAR(CalcCoreDynamics(model, zero, zero).H(0, 0), H, 1e-14);
  EXPECT_DOUBLE_EQ(model.damping()[0], 0.5 + 9 * 0.4);
}

TEST(MujocoTest, WhatHasNoNameGetsOneOfItsOwn) {
  const char* xml = R"(<mujoco><worldbody><body name="body2"><joint name="joint1"/><geom size=".1"/>
    <body><joint/><geom size=".1"/></body></body></worldbody></mujoco>)";
  char error[500] = "";
  const std::unique_ptr<mjSpec, MujocoDeleter> spec(
      mj_parseXMLString(xml, nullptr, error, sizeof error));
  ASSERT_NE(spec, nullptr) << error;
  const std::unique_ptr<mjModel, MujocoDeleter> m(mj_compile(spec.get(), nullptr));
  const Model model = BuildModel(*m);
  EXPECT_EQ(model.frames()[1].name, "body2_");
  EXPECT_EQ(model.joints()[1].name, "joint1_");
}

TEST(MujocoTest, SitesAreFramesAndBodiesHaveTheirNamesFirst) {
  const char* xml = R"(<mujoco><worldbody><site name="mark" pos="0 0 3"/>
    <body name="arm" pos="1 0 0"><joint/><geom size=".1"/><site/><site name="tip" pos="0 2 0"/>
    <body name="plate" pos="0 0 1"><site name="arm" pos="0 0 .5"/></body></body></worldbody></mujoco>)";
  char error[500] = "";
  const std::unique_ptr<mjSpec, MujocoDeleter> spec(
      mj_parseXMLString(xml, nullptr, error, sizeof error));
  ASSERT_NE(spec, nullptr) << error;
  const std::unique_ptr<mjModel, MujocoDeleter> m(mj_compile(spec.get(), nullptr));
  const Model model = BuildModel(*m);
  EXPECT_EQ(model.added_frames().size(), 3u);
  EXPECT_EQ(model.FindFrame("mark").body, -1);
  EXPECT_EQ(model.FindFrame("tip").body, 0);
  EXPECT_LT((model.FindFrame("tip").X_BF.p - Eigen::Vector3d(0, 2, 0)).norm(), 1e-15);
  EXPECT_EQ(model.FindFrame("arm").X_BF.p, Eigen::Vector3d::Zero());
  EXPECT_LT((model.FindFrame("site:arm").X_BF.p - Eigen::Vector3d(0, 0, 1.5)).norm(), 1e-15);
}

TEST(MujocoTest, PositionsIntegrateAndDifferAsInMujoco) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const TreeSpec spec = RandomTree(seed, {.helical = false});
    const MujocoTree tree = LoadInMujoco(spec);
    const Model model = BuildModel(*tree.model);
    std::mt19937 random(seed);
    const Eigen::VectorXd q = tree.ToQpos(RandomPosition(spec, &random));
    const Eigen::VectorXd q_other = tree.ToQpos(RandomPosition(spec, &random));
    const Eigen::VectorXd v = 2 * RandomVector(spec.nv, &random);

    Eigen::VectorXd expected = q, next(spec.nq);
    mj_integratePos(tree.model.get(), expected.data(), v.data(), 0.3);
    IntegratePosition(model, q, v, 0.3, next);
    ASSERT_LE(RelativeError(next, expected), 1e-13);

    Eigen::VectorXd difference(spec.nv), e(spec.nv);
    mj_differentiatePos(tree.model.get(), difference.data(), 1, q_other.data(), q.data());
    DifferencePosition(model, q, q_other, e);
    ASSERT_LE(RelativeError(e, difference), 1e-12);
  }
}

TEST(MujocoTest, RandomTreesHaveEveryKindOfJoint) {
  std::set<JointType> types;
  bool several_joints = false, fixed = false, several_roots = false;
  for (unsigned seed = 0; seed < 150; ++seed) {
    int roots = 0;
    for (const TreeSpec::Body& body : RandomTree(seed).bodies) {
      for (const TreeSpec::Joint& joint : body.joints) types.insert(joint.type);
      several_joints |= body.joints.size() > 1;
      fixed |= body.joints.empty() && body.parent >= 0;
      roots += body.parent < 0 ? 1 : 0;
    }
    several_roots |= roots > 1;
  }
  EXPECT_EQ(types.size(), 7u);
  EXPECT_TRUE(several_joints && fixed && several_roots);
}

TEST(MujocoTest, PropertiesOfJointsArrive) {
  const TreeSpec spec = RandomTree(3, {.passive = true, .helical = false});
  const MujocoTree tree = LoadInMujoco(spec);
  const Model converted = BuildModel(*tree.model);
  const Model built = BuildTree(spec);
  EXPECT_LE(RelativeError(tree.FromQvel(converted.damping()), built.damping()), 1e-15);
  EXPECT_LE(RelativeError(tree.FromQvel(converted.frictionloss()), built.frictionloss()), 1e-15);
  EXPECT_LE(RelativeError(tree.FromQvel(converted.armature()), built.armature()), 1e-15);
  EXPECT_EQ(converted.gravity(), built.gravity());
  ASSERT_EQ(converted.springs().size(), built.springs().size());
  EXPECT_GT(built.springs().size(), 0u);
  EXPECT_GT(built.damping().minCoeff(), 0);
  for (const Model::Spring& spring : built.springs()) {
    bool found = false;
    for (const Model::Spring& other : converted.springs()) {
      if (other.iv != tree.v_of[static_cast<size_t>(spring.iv)]) continue;
      found = true;
      EXPECT_EQ(other.iq, tree.q_of[static_cast<size_t>(spring.iq)]);
      EXPECT_NEAR(other.stiffness, spring.stiffness, 1e-15);
      EXPECT_NEAR(other.reference, spring.reference, 1e-15);
    }
    EXPECT_TRUE(found);
  }
}

TEST(MujocoTest, DefaultPositionIsQpos0) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const MujocoTree tree = LoadInMujoco(RandomTree(seed, {.helical = false}));
    const Model model = BuildModel(*tree.model);
    const Eigen::Map<const Eigen::VectorXd> qpos0(tree.model->qpos0, model.nq());
    Eigen::VectorXd e(model.nv());
    DifferencePosition(model, model.DefaultPosition(), qpos0, e);
    EXPECT_LE(e.cwiseAbs().maxCoeff(), 1e-14);
  }
}

std::string MessageOfBuildModel(void (*change)(mjModel*)) {
  const MujocoTree tree = LoadInMujoco(RandomTree(1, {.helical = false}));
  change(tree.model.get());
  try {
    BuildModel(*tree.model);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(MujocoTest, WhatTheEquationsCannotHoldIsNamed) {
  EXPECT_THAT(MessageOfBuildModel([](mjModel* m) { m->body_gravcomp[1] = 1; }),
              HasSubstr("'b0' has gravcomp"));
  EXPECT_THAT(MessageOfBuildModel([](mjModel* m) { m->opt.density = 1; }), HasSubstr("fluid"));
  EXPECT_THAT(MessageOfBuildModel([](mjModel* m) { m->opt.viscosity = 1; }), HasSubstr("fluid"));
}

TEST(MujocoTest, NoJointsIsAnError) {
  TreeSpec spec;
  spec.AddBody("rock", ModelBuilder::kWorld, Pose{},
               {1, Eigen::Vector3d::Zero(), Eigen::Matrix3d::Identity()});
  const MujocoTree tree = LoadInMujoco(spec);
  EXPECT_THROW(BuildModel(*tree.model), UserError);
}

}  // namespace mujoco_test
}  // namespace civita
