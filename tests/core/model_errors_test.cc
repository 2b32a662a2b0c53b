// What a ModelBuilder refuses, by name.

#include <Eigen/Geometry>
#include <limits>

#include "civita/error.h"
#include "civita/model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/error_of.h"

namespace civita {
namespace model_errors_test {

using testing::AllOf;
using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

const MassProperties kMass{1, Eigen::Vector3d(0.1, 0, 0.2), Eigen::Matrix3d::Identity()};

TEST(ModelErrors, BadJointsAreNamed) {
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
    EXPECT_THAT(add(JointType::kHinge, {.name = "wrist", .frictionloss = bad}),
                HasSubstr("'wrist': dry friction"));
  }
  for (const double bad : {kInfinity, kNan}) {
    EXPECT_THAT(add(JointType::kHinge, {.name = "wrist", .damping = bad}),
                HasSubstr("'wrist': damping"));
    EXPECT_THAT(add(JointType::kHinge, {.name = "wrist", .damping_poly = {0, bad}}),
                HasSubstr("'wrist': damping"));
    EXPECT_THAT(add(JointType::kBall, {.name = "wrist", .stiffness = bad}),
                HasSubstr("'wrist': stiffness"));
    EXPECT_THAT(add(JointType::kHinge, {.name = "wrist", .stiffness_poly = {bad, 0}}),
                HasSubstr("'wrist': stiffness"));
  }
  EXPECT_EQ(add(JointType::kHinge, {.name = "wrist", .damping = -1, .stiffness = -2}), "");
  const Pose no_rotation{2 * Eigen::Matrix3d::Identity(), {0, 0, 0}};
  EXPECT_THAT(add(JointType::kBall, {.name = "wrist", .spring_pose = no_rotation}),
              HasSubstr("'wrist': spring_pose"));
  for (const JointType type : {JointType::kUniversal, JointType::kPlanar}) {
    EXPECT_EQ(add(type, {.name = "wrist"}), "");
    EXPECT_THAT(add(type, {.name = "wrist", .axis2 = {0, 0, 0}}), HasSubstr("'wrist': axis2"));
    EXPECT_THAT(add(type, {.name = "wrist", .axis2 = {0, kNan, 0}}), HasSubstr("'wrist': axis2"));
    EXPECT_THAT(add(type, {.name = "wrist", .axis = {1, 1, 0}, .axis2 = {-2, -2, 0}}),
                HasSubstr("axis2 must not lie along the axis"));
  }
  EXPECT_EQ(add(JointType::kHelical, {.name = "wrist", .pitch = -0.1}), "");
  EXPECT_THAT(add(JointType::kHelical, {.name = "wrist", .pitch = kNan}), HasSubstr("pitch"));
  EXPECT_NE(add(JointType::kHinge, {.name = "wrist", .position_reference = kNan}), "");
  EXPECT_NE(add(JointType::kHinge, {.name = "wrist", .anchor = Eigen::Vector3d(kNan, 0, 0)}), "");
  EXPECT_NE(add(JointType::kHinge, {.name = "wrist", .stiffness = 1, .spring_reference = kNan}),
            "");
}

TEST(ModelErrors, FreeJointsBelongToRootsAlone) {
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

TEST(ModelErrors, BadMassesAreNamed) {
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

TEST(ModelErrors, InertiasThatNoBodyHasAreNamed) {
  const auto add = [](const Eigen::Matrix3d& inertia, bool allowed) {
    return ErrorOf([&] {
      ModelBuilder builder;
      if (allowed) builder.allow_impossible_moments();
      builder.AddBody("hand", ModelBuilder::kWorld, {}, {1, Eigen::Vector3d::Zero(), inertia});
    });
  };
  const Eigen::Matrix3d R = Eigen::AngleAxisd(1, Eigen::Vector3d(1, 2, 3).normalized()).matrix();
  const auto of = [&R](double a, double b, double c) {
    return Eigen::Matrix3d(R * Eigen::Vector3d(a, b, c).asDiagonal() * R.transpose());
  };
  // A plate and a rod are limit cases of physical inertias.
  EXPECT_EQ(add(of(1, 2, 3), false), "");
  EXPECT_EQ(add(of(1, 1, 0), false), "");
  EXPECT_THAT(add(of(1, 2, 3.1), false),
              AllOf(HasSubstr("body 'hand'"), HasSubstr("3.1"), HasSubstr("triangle inequality")));
  EXPECT_THAT(add(of(1, 1, -0.1), false), AllOf(HasSubstr("'hand'"), HasSubstr("-0.1")));
  EXPECT_EQ(add(of(1, 2, 3.1), true), "");
  EXPECT_EQ(add(of(1, 1, -0.1), true), "");
  Eigen::Matrix3d skewed = of(1, 1, 1);
  skewed(0, 2) += 1e-3;
  for (const bool allowed : {false, true}) {
    EXPECT_THAT(add(skewed, allowed),
                AllOf(HasSubstr("body 'hand'"), HasSubstr("symmetric"), HasSubstr("0.001")));
  }
}

TEST(ModelErrors, PlacementsThatAreNotRigidAreNamed) {
  const auto add = [](const Eigen::Matrix3d& R, const Eigen::Vector3d& p) {
    return ErrorOf([&] {
      ModelBuilder builder;
      builder.AddBody("hand", ModelBuilder::kWorld, {R, p}, kMass);
    });
  };
  const Eigen::Matrix3d R = Eigen::AngleAxisd(1, Eigen::Vector3d(1, 2, 3).normalized()).matrix();
  EXPECT_EQ(add(R, {1, 2, 3}), "");
  EXPECT_THAT(add(R, {1, kNan, 3}), AllOf(HasSubstr("body 'hand'"), HasSubstr("finite")));
  EXPECT_THAT(add(R * kNan, {1, 2, 3}), AllOf(HasSubstr("body 'hand'"), HasSubstr("finite")));
  EXPECT_THAT(add(-R, {1, 2, 3}), AllOf(HasSubstr("body 'hand'"), HasSubstr("determinant -1")));
  EXPECT_THAT(add(1.001 * R, {1, 2, 3}), AllOf(HasSubstr("body 'hand'"), HasSubstr("rotation")));
}

TEST(ModelErrors, NamesAreUnique) {
  ModelBuilder builder;
  const int hand = builder.AddBody("hand", ModelBuilder::kWorld, {}, kMass);
  EXPECT_THAT(ErrorOf([&] { builder.AddBody("hand", hand, {}, kMass); }),
              HasSubstr("two bodies are named 'hand'"));
  builder.AddJoint(hand, JointType::kHinge, {.name = "wrist"});
  EXPECT_THAT(ErrorOf([&] { builder.AddJoint(hand, JointType::kHinge, {.name = "wrist"}); }),
              HasSubstr("two joints are named 'wrist'"));
  builder.AddJoint(hand, JointType::kHinge, {.name = "hand"});
  for (int i = 0; i < 2; ++i)
    builder.AddJoint(builder.AddBody("", hand, {}, {}), JointType::kHinge, {});
  EXPECT_EQ(builder.Build().nv(), 4);
}

TEST(ModelErrors, GravityMustBeFinite) {
  ModelBuilder builder;
  builder.AddJoint(builder.AddBody("hand", ModelBuilder::kWorld, {}, kMass), JointType::kHinge, {});
  builder.set_gravity({0, kNan, -9.81});
  EXPECT_THAT(ErrorOf([&] { builder.Build(); }), AllOf(HasSubstr("gravity"), HasSubstr("nan")));
}

}  // namespace model_errors_test
}  // namespace civita
