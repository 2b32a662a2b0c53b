#include "core/model.h"

#include <limits>

#include "core/error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/core_dynamics.h"
#include "tests/oracles/random_model.h"
#include "tests/oracles/slow_dynamics.h"

namespace civita {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const MassProperties kMass{1, Eigen::Vector3d(0.1, 0, 0.2), Eigen::Matrix3d::Identity()};

template <typename F>
std::string ErrorOf(F&& f) {
  try {
    f();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(ModelTest, LayoutOfPositionsAndVelocities) {
  ModelBuilder builder;
  const int base = builder.AddBody("base", ModelBuilder::kWorld, {}, kMass);
  builder.AddJoint(base, JointType::kFree, {.name = "float"});
  const int arm = builder.AddBody("arm", base, {}, kMass);
  builder.AddJoint(arm, JointType::kSlide, {.name = "rail"});
  builder.AddJoint(arm, JointType::kBall, {.name = "shoulder"});
  const Model model = builder.Build();
  EXPECT_EQ(model.nq(), 12);
  EXPECT_EQ(model.nv(), 10);
  EXPECT_EQ(model.max_depth(), 10);
  EXPECT_EQ(model.num_bodies(), 3);
  const std::vector<std::string> names = {"float.px",   "float.py",  "float.pz", "float.wx",
                                          "float.wy",   "float.wz",  "rail",     "shoulder.x",
                                          "shoulder.y", "shoulder.z"};
  for (int i = 0; i < model.nv(); ++i)
    EXPECT_EQ(model.VelocityName(i), names[static_cast<size_t>(i)]);
  EXPECT_THROW(model.VelocityName(10), ContractError);
  EXPECT_THROW(model.VelocityName(-1), ContractError);
}

TEST(ModelTest, OrderOfJointsIsTheOrderOfAdding) {
  // Breadth-first adding against depth-first storing.
  ModelBuilder builder;
  const int a = builder.AddBody("a", ModelBuilder::kWorld, {}, kMass);
  const int b = builder.AddBody("b", a, {}, kMass);
  const int c = builder.AddBody("c", a, {}, kMass);
  const int d = builder.AddBody("d", b, {}, kMass);
  for (const auto& [body, name] : {std::pair(a, "ja"), {b, "jb"}, {c, "jc"}, {d, "jd"}}) {
    builder.AddJoint(body, JointType::kHinge, {.name = name});
  }
  const Model model = builder.Build();
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(model.joints()[static_cast<size_t>(i)].iv, i);
    EXPECT_EQ(model.VelocityName(i), std::string("j") + "abcd"[i]);
  }
  for (int i = 0; i < model.num_bodies(); ++i) {
    EXPECT_LT(model.bodies()[static_cast<size_t>(i)].parent, i);
  }
}

TEST(ModelTest, FindFrameListsTheNames) {
  const Model model = BuildTree(RandomTree(1));
  EXPECT_EQ(model.FindFrame("b2").name, "b2");
  EXPECT_THAT(ErrorOf([&] { model.FindFrame("bb2"); }),
              AllOf(HasSubstr("unknown body 'bb2' (did you mean 'b2'?)"), HasSubstr("b0, b1, b2")));
}

TEST(ModelTest, ScaledInertiaScalesMassAndGravityButNotArmature) {
  const TreeSpec spec = RandomTree(4);
  const Model model = BuildTree(spec);
  std::mt19937 random(9);
  const Eigen::VectorXd q = RandomPosition(spec, &random), v = RandomVector(spec.nv, &random);
  const CoreDynamics d = CalcCoreDynamics(model, q, v);
  const CoreDynamics scaled = CalcCoreDynamics(model.WithScaledInertia(0.9), q, v);
  const Eigen::MatrixXd armature = model.armature().asDiagonal();
  EXPECT_GT(armature.norm(), 0.01);
  EXPECT_LE(RelativeError(scaled.H - armature, 0.9 * (d.H - armature)), 1e-14);
  EXPECT_LE(RelativeError(scaled.g, 0.9 * d.g), 1e-14);
  EXPECT_LE(RelativeError(scaled.Hdot, 0.9 * d.Hdot), 1e-14);
  EXPECT_THROW(model.WithScaledInertia(0), ContractError);
  EXPECT_THROW(model.WithScaledInertia(kNan), ContractError);
}

TEST(ModelTest, DefaultPositionPutsBodiesWhereTheyWerePlaced) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const TreeSpec spec = RandomTree(seed);
    const Model model = BuildTree(spec);
    const std::vector<SlowBody> bodies = SlowBodies(spec, model.DefaultPosition());
    std::vector<Pose> placed;
    for (size_t i = 0; i < bodies.size(); ++i) {
      const TreeSpec::Body& body = spec.bodies[i];
      placed.push_back(body.parent < 0 ? body.X_PB
                                       : placed[static_cast<size_t>(body.parent)] * body.X_PB);
      EXPECT_LE(RelativeError(bodies[i].X_WB.R, placed[i].R), 1e-14);
      EXPECT_LE(RelativeError(bodies[i].X_WB.p, placed[i].p), 1e-14);
    }
  }
}

TEST(ModelTest, BadJointsAreNamed) {
  const auto add = [](JointType type, const JointProperties& p) {
    return ErrorOf([&] {
      ModelBuilder builder;
      builder.AddJoint(builder.AddBody("hand", ModelBuilder::kWorld, {}, kMass), type, p);
      builder.Build();
    });
  };
  EXPECT_EQ(add(JointType::kHinge, {.name = "wrist"}), "");
  for (const Eigen::Vector3d& axis : {Eigen::Vector3d(0, 0, 0), Eigen::Vector3d(kNan, 0, 1)}) {
    EXPECT_THAT(add(JointType::kHinge, {.name = "wrist", .axis = axis}),
                AllOf(HasSubstr("'wrist'"), HasSubstr("axis")));
  }
  for (const double bad : {-1.0, kNan}) {
    EXPECT_THAT(add(JointType::kHinge, {.name = "wrist", .armature = bad}),
                HasSubstr("'wrist': armature"));
    EXPECT_THAT(add(JointType::kHinge, {.name = "wrist", .damping = bad}),
                HasSubstr("'wrist': damping"));
    EXPECT_THAT(add(JointType::kHinge, {.name = "wrist", .frictionloss = bad}),
                HasSubstr("'wrist': dry friction"));
    EXPECT_THAT(add(JointType::kHinge, {.name = "wrist", .stiffness = bad}),
                HasSubstr("'wrist': stiffness"));
  }
  EXPECT_NE(add(JointType::kHinge, {.name = "wrist", .position_reference = kNan}), "");
  EXPECT_NE(add(JointType::kHinge, {.name = "wrist", .anchor = Eigen::Vector3d(kNan, 0, 0)}), "");
  EXPECT_NE(add(JointType::kHinge, {.name = "wrist", .stiffness = 1, .spring_reference = kNan}),
            "");
}

TEST(ModelTest, FreeJointsBelongToRootsAlone) {
  const auto build = [](bool child, JointType first, JointType second) {
    return ErrorOf([&] {
      ModelBuilder builder;
      int body = builder.AddBody("base", ModelBuilder::kWorld, {}, kMass);
      if (child) body = builder.AddBody("child", body, {}, kMass);
      builder.AddJoint(body, first, {.name = "one"});
      builder.AddJoint(body, second, {.name = "two"});
    });
  };
  EXPECT_THAT(build(true, JointType::kFree, JointType::kHinge), HasSubstr("'one': a free joint"));
  EXPECT_THAT(build(false, JointType::kFree, JointType::kHinge), HasSubstr("'two': a free joint"));
  EXPECT_THAT(build(false, JointType::kHinge, JointType::kFree), HasSubstr("'two': a free joint"));
}

TEST(ModelTest, BadMassesAreNamed) {
  const auto add = [](const MassProperties& mass) {
    return ErrorOf([&] {
      ModelBuilder builder;
      builder.AddBody("hand", ModelBuilder::kWorld, {}, mass);
    });
  };
  MassProperties mass = kMass;
  mass.mass = -1;
  EXPECT_THAT(add(mass), HasSubstr("'hand'"));
  mass.mass = kNan;
  EXPECT_THAT(add(mass), HasSubstr("'hand'"));
  mass = kMass;
  mass.com[1] = kNan;
  EXPECT_THAT(add(mass), HasSubstr("'hand'"));
  mass = kMass;
  mass.inertia(0, 1) = kNan;
  EXPECT_THAT(add(mass), HasSubstr("'hand'"));
  mass = kMass;
  mass.inertia(2, 2) = -1;
  EXPECT_THAT(add(mass), HasSubstr("'hand'"));
}

TEST(ModelTest, NoJointsIsAnError) {
  ModelBuilder builder;
  builder.AddBody("rock", ModelBuilder::kWorld, {}, kMass);
  EXPECT_THAT(ErrorOf([&] { builder.Build(); }), HasSubstr("no joints"));
}

TEST(ModelTest, ContractsAreChecked) {
  const TreeSpec spec = RandomTree(1);
  const Model model = BuildTree(spec);
  Workspace<double> workspace(model);
  Eigen::MatrixXd H(model.nv(), model.nv()), C = H;
  Eigen::VectorXd g(model.nv());
  const Eigen::VectorXd q = model.DefaultPosition(), v = Eigen::VectorXd::Zero(model.nv());
  EXPECT_THROW(CalcMassMatrix(model, workspace, H), ContractError);
  EXPECT_THROW(UpdateKinematics(model, q.head(model.nq() - 1), workspace), ContractError);
  UpdateKinematics(model, q, workspace);
  EXPECT_NO_THROW(CalcMassMatrix(model, workspace, H));
  EXPECT_NO_THROW(CalcGravityForces(model, workspace, g));
  EXPECT_THROW(CalcCoriolisMatrix(model, {}, workspace, C, H), ContractError);
  EXPECT_THROW(CalcMassMatrixDerivative(model, workspace, H), ContractError);
  EXPECT_THROW(CalcBiasForces(model, workspace, g), ContractError);
  EXPECT_THROW(UpdateKinematics(model, q, v.head(model.nv() - 1), workspace), ContractError);
  UpdateKinematics(model, q, v, workspace);
  EXPECT_NO_THROW(CalcCoriolisMatrix(model, {}, workspace, C, H));
  Eigen::MatrixXd small(model.nv() - 1, model.nv());
  EXPECT_THROW(CalcMassMatrix(model, workspace, small), ContractError);
  EXPECT_THROW(CalcCoriolisMatrix(model, {}, workspace, small, H), ContractError);
  EXPECT_THROW(CalcGravityForces(model, workspace, g.head(model.nv() - 1)), ContractError);
  // A position update takes the velocity's stage away again.
  UpdateKinematics(model, q, workspace);
  EXPECT_THROW(CalcBiasForces(model, workspace, g), ContractError);
}

TEST(ModelTest, QuaternionsAreNormalizedByKinematics) {
  const TreeSpec spec = RandomTree(5);
  const Model model = BuildTree(spec);
  std::mt19937 random(2);
  const Eigen::VectorXd q = RandomPosition(spec, &random), v = RandomVector(spec.nv, &random);
  Eigen::VectorXd scaled = q;
  int rotations = 0;
  for (const Model::NamedJoint& joint : model.joints()) {
    if (joint.type == JointType::kBall) scaled.segment<4>(joint.iq) *= -2;
    if (joint.type == JointType::kFree) scaled.segment<4>(joint.iq + 3) *= 0.5;
    rotations += NumVelocities(joint.type) > 1 ? 1 : 0;
  }
  EXPECT_GT(rotations, 0);
  EXPECT_LE(RelativeError(CalcCoreDynamics(model, scaled, v).C, CalcCoreDynamics(model, q, v).C),
            1e-14);
}

}  // namespace
}  // namespace civita
