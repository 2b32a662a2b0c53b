#include "civita/model.h"

#include <pthread.h>

#include <Eigen/Geometry>
#include <limits>
#include <optional>
#include <utility>

#include "civita/batch_dynamics.h"
#include "civita/coordinates.h"
#include "civita/error.h"
#include "civita/geometry/transport.h"
#include "civita/mass_matrix_cholesky.h"
#include "civita/task_space.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/error_of.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/core_dynamics.h"
#include "tests/oracles/random_model.h"
#include "tests/oracles/slow_dynamics.h"

namespace civita {
namespace model_test {

using testing::AllOf;
using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const MassProperties kMass{1, Eigen::Vector3d(0.1, 0, 0.2), Eigen::Matrix3d::Identity()};

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

TEST(ModelTest, JointsOfSeveralCoordinatesKeepOneName) {
  ModelBuilder builder;
  const int cart = builder.AddBody("cart", ModelBuilder::kWorld, {}, kMass);
  builder.AddJoint(cart, JointType::kPlanar, {.name = "floor"});
  const int screw = builder.AddBody("screw", cart, {}, kMass);
  builder.AddJoint(screw, JointType::kHelical, {.name = "spindle", .pitch = 0.1});
  const int cross = builder.AddBody("cross", screw, {}, kMass);
  builder.AddJoint(cross, JointType::kUniversal,
                   {.name = "cardan", .armature = 0.3, .damping = 2, .stiffness = 5});
  const Model model = builder.Build();
  EXPECT_EQ(model.nq(), 6);
  EXPECT_EQ(model.nv(), 6);
  EXPECT_EQ(model.max_depth(), 6);
  EXPECT_FALSE(model.has_rotation_triples());
  const std::vector<std::string> names = {"floor.x", "floor.y",  "floor.angle",
                                          "spindle", "cardan.1", "cardan.2"};
  for (int i = 0; i < model.nv(); ++i)
    EXPECT_EQ(model.VelocityName(i), names[static_cast<size_t>(i)]);
  ASSERT_EQ(model.joints().size(), 3u);
  for (size_t j = 0; j < 3; ++j) {  // the body that carries the mass given by the user
    EXPECT_EQ(model.joints()[j].body, model.frames()[j].body);
    EXPECT_GT(model.bodies()[static_cast<size_t>(model.joints()[j].body)].mass.mass, 0);
  }
  EXPECT_EQ(model.joints()[2].type, JointType::kUniversal);
  EXPECT_EQ(model.joints()[2].iv, 4);
  EXPECT_EQ(model.springs().size(), 2u);
  EXPECT_EQ(model.armature().tail<3>(), Eigen::Vector3d(0, 0.3, 0.3));
  EXPECT_EQ(model.damping().tail<3>(), Eigen::Vector3d(0, 2, 2));
}

TEST(ModelTest, JointTypesTellTheirNumbers) {
  int place = 0;
  for (const JointType type : JointTypes()) {
    EXPECT_EQ(static_cast<int>(type), place++);
    SCOPED_TRACE(ToString(type));
    const bool quaternion = RotationOffset(type) >= 0;
    EXPECT_EQ(NumPositions(type), NumVelocities(type) + (quaternion ? 1 : 0));
    if (quaternion) {
      EXPECT_EQ(NumVelocities(type), RotationOffset(type) + 3);
    }
    EXPECT_EQ(NumDistances(type), type == JointType::kSlide    ? 1
                                  : type == JointType::kPlanar ? 2
                                  : type == JointType::kFree   ? 3
                                                               : 0);
  }
  EXPECT_EQ(place, 7);
}

/// The dynamics of one body on one joint.
CoreDynamics OfOneJoint(JointType type, const JointProperties& joint, const MassProperties& mass,
                        const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  ModelBuilder builder;
  builder.AddJoint(builder.AddBody("body", ModelBuilder::kWorld, {}, mass), type, joint);
  return CalcCoreDynamics(builder.Build(), q, v);
}

// A nut on a vertical screw: it advances by h θ and turns; its centre of mass is l off the axis.
TEST(ModelTest, HelicalJointInClosedForm) {
  const double m = 2, l = 0.3, h = 0.05, J = 0.4, theta = 0.7;
  const MassProperties mass{m, {l, 0, 0}, Eigen::Vector3d(0.5, 0.5, J).asDiagonal()};
  const CoreDynamics d =
      OfOneJoint(JointType::kHelical, {.name = "screw", .pitch = h, .armature = 0.1}, mass,
                 Eigen::VectorXd::Constant(1, theta), Eigen::VectorXd::Constant(1, 3));
  EXPECT_NEAR(d.H(0, 0), J + m * l * l + m * h * h + 0.1, 1e-15);
  EXPECT_NEAR(d.g[0], m * 9.81 * h, 1e-14);
  EXPECT_NEAR(d.potential_energy, m * 9.81 * h * theta, 1e-14);
  EXPECT_NEAR(d.C(0, 0), 0, 1e-15);
}

// A disc on a table with its centre of mass l off the joint: with c, s of θ,
// H = [m 0 −mls; 0 m mlc; −mls mlc J + ml²], C's only numbers −mlc θ̇ and −mls θ̇ above the corner.
TEST(ModelTest, PlanarJointInClosedForm) {
  const double m = 2, l = 0.3, J = 0.4;
  const MassProperties mass{m, {l, 0, 0}, Eigen::Vector3d(0.2, 0.2, J).asDiagonal()};
  const Eigen::Vector3d q(0.4, -0.9, 0.7), v(1, 2, 3);
  const double c = std::cos(q[2]), s = std::sin(q[2]);
  Eigen::Matrix3d H, C = Eigen::Matrix3d::Zero();
  H << m, 0, -m * l * s, 0, m, m * l * c, -m * l * s, m * l * c, J + m * l * l;
  C.col(2) << -m * l * c * v[2], -m * l * s * v[2], 0;
  // x is along (1, 0, 0) by default, also if the given axis leans out of the plane.
  for (const Eigen::Vector3d& axis2 : {Eigen::Vector3d(1, 0, 0), Eigen::Vector3d(2, 0, -5)}) {
    const CoreDynamics d =
        OfOneJoint(JointType::kPlanar, {.name = "table", .axis2 = axis2}, mass, q, v);
    EXPECT_LE(RelativeError(d.H, H), 1e-15);
    EXPECT_LE(RelativeError(d.C, C), 1e-15);
    EXPECT_LE(d.g.cwiseAbs().maxCoeff(), 1e-14);
  }
}

// A body on its centre of mass, turned about z, then by β about x, its principal axes along x, y,
// z: H = diag(A_y sin²β + A_z cos²β, A_x).
TEST(ModelTest, UniversalJointInClosedForm) {
  const double A_x = 0.3, A_y = 0.5, A_z = 0.4, beta = 0.8;
  const MassProperties mass{1, Eigen::Vector3d::Zero(),
                            Eigen::Vector3d(A_x, A_y, A_z).asDiagonal()};
  const Eigen::Vector2d q(1.1, beta), v(2, -3);
  const CoreDynamics d = OfOneJoint(JointType::kUniversal, {.name = "cardan"}, mass, q, v);
  const double s = std::sin(beta), c = std::cos(beta), slope = (A_y - A_z) * s * c;
  Eigen::Matrix2d H, C;
  H << A_y * s * s + A_z * c * c, 0, 0, A_x;
  C << slope * v[1], slope * v[0], -slope * v[0], 0;
  EXPECT_LE(RelativeError(d.H, H), 1e-15);
  EXPECT_LE(RelativeError(d.C, C), 1e-15);
}

TEST(ModelTest, OrderOfJointsIsTheOrderOfAdding) {
  // Bodies added breadth-first are stored depth-first.
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

TEST(ModelTest, AddedFramesAreFixedToTheirBodies) {
  const Pose X_PB{Eigen::Matrix3d::Identity(), {1, 0, 0}},
      X_BF{Eigen::Matrix3d::Identity(), {0, 2, 0}};
  ModelBuilder builder;
  const int arm = builder.AddBody("arm", ModelBuilder::kWorld, X_PB, {.mass = 1});
  builder.AddJoint(arm, JointType::kHinge, {.name = "hinge", .anchor = {0, 0, 3}});
  const int plate = builder.AddBody("plate", arm, X_PB, {});
  builder.AddFrame("tip", plate, X_BF);
  builder.AddFrame("mark", ModelBuilder::kWorld, X_BF);
  const auto refuse = [&](const std::string& name) {
    return ErrorOf([&] { builder.AddFrame(name, arm, X_BF); });
  };
  EXPECT_EQ(refuse("tip"), "two bodies or frames are named 'tip'");
  EXPECT_EQ(refuse("plate"), "two bodies or frames are named 'plate'");
  EXPECT_EQ(refuse(""), "a frame needs a name");
  EXPECT_THAT(ErrorOf([&] {
                builder.AddFrame("bent", arm, {2 * X_BF.R, X_BF.p});
              }),
              HasSubstr("frame 'bent': X_BF has no rotation matrix"));
  const Model model = builder.Build();
  EXPECT_EQ(model.frames().size(), 2u);  // of bodies
  ASSERT_EQ(model.added_frames().size(), 2u);
  const Model::NamedFrame& tip = model.FindFrame("tip");
  EXPECT_EQ(tip.body, 0);
  EXPECT_EQ(tip.X_BF.p, Eigen::Vector3d(1, 2, -3));  // from the hinge's anchor
  EXPECT_EQ(model.FindFrame("mark").body, -1);
  EXPECT_EQ(model.FindFrame("mark").X_BF.p, X_BF.p);
  EXPECT_THAT(ErrorOf([&] { model.FindFrame("tpi"); }),
              HasSubstr("unknown body or frame 'tpi'; valid: arm, plate, tip, mark"));
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

TEST(ModelTest, SpringsOfRotationsInThreeAxesAreTheirOwn) {
  ModelBuilder builder;
  const int ship = builder.AddBody("ship", ModelBuilder::kWorld, {}, kMass);
  builder.AddJoint(ship, JointType::kFree, {.name = "root", .stiffness = 2});
  const int mast = builder.AddBody("mast", ship, {}, kMass);
  builder.AddJoint(mast, JointType::kBall, {.name = "foot", .stiffness_poly = {0, 1}});
  const Model model = builder.Build();
  EXPECT_TRUE(model.springs().empty());
  ASSERT_EQ(model.vector_springs().size(), 3u);
  EXPECT_FALSE(model.vector_springs()[0].rotates);
  EXPECT_TRUE(model.vector_springs()[1].rotates);
  EXPECT_EQ(model.vector_springs()[1].iv, 3);
  EXPECT_EQ(model.vector_springs()[2].iq, 7);
  EXPECT_EQ(model.vector_springs()[2].iv, 6);
}

/// A chain of `length` hinges, each with a light hand beside the next link.
ModelBuilder LongChain(int length) {
  ModelBuilder builder;
  int body = ModelBuilder::kWorld;
  for (int i = 0; i < length; ++i) {
    const std::string name = std::to_string(i);
    const int parent = body;
    body = builder.AddBody("link" + name, parent, {}, kMass);
    builder.AddJoint(body, JointType::kHinge, {.name = "j" + name});
    if (i % 100 == 50) {
      const int hand = builder.AddBody("hand" + name, parent, {}, kMass);
      builder.AddJoint(hand, JointType::kSlide, {.name = "h" + name});
    }
  }
  return builder;
}

TEST(ModelTest, DeepTreesNeedNoDeepStack) {
  // One frame a body would not fit into this stack.
  const ModelBuilder builder = LongChain(2000);
  pthread_attr_t small;
  ASSERT_EQ(pthread_attr_init(&small), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&small, 256 * 1024), 0);
  struct Task {
    const ModelBuilder& builder;
    std::optional<Model> model;
  } task{builder, {}};
  pthread_t thread;
  const auto build = [](void* argument) -> void* {
    auto* own = static_cast<Task*>(argument);
    own->model.emplace(own->builder.Build());
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &small, build, &task), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&small);
  ASSERT_EQ(task.model->num_bodies(), 2020);
  EXPECT_EQ(task.model->max_depth(), 2000);
  // Depth-first, children in the order in which they were added.
  const std::vector<Model::Body>& bodies = task.model->bodies();
  EXPECT_EQ(bodies[51].name, "link51");
  EXPECT_EQ(bodies[1999].name, "link1999");
  EXPECT_EQ(bodies[2000].name, "hand1950");
  EXPECT_EQ(bodies[2000].parent, 1949);
  EXPECT_EQ(bodies[2019].name, "hand50");
  for (size_t b = 0; b < bodies.size(); ++b) EXPECT_LT(bodies[b].parent, static_cast<int>(b));
}

TEST(ModelTest, NoJointsIsAnError) {
  ModelBuilder builder;
  builder.AddBody("rock", ModelBuilder::kWorld, {}, kMass);
  EXPECT_THAT(ErrorOf([&] { builder.Build(); }), HasSubstr("no joints"));
}

// What a model refers to is not asked of a temporary.
template <typename M>
concept HasParts = requires(M&& model) {
  std::forward<M>(model).FindFrame("name");
}
|| requires(M&& model) { std::forward<M>(model).bodies(); }
|| requires(M&& model) { std::forward<M>(model).frames(); }
|| requires(M&& model) { std::forward<M>(model).added_frames(); }
|| requires(M&& model) { std::forward<M>(model).joints(); };
static_assert(HasParts<const Model&> && !HasParts<Model> && !HasParts<const Model>);

TEST(ModelTest, CopiesShareTheData) {
  Model model = BuildTree(RandomTree(3));
  const Model copy = model, moved = std::move(model);
  EXPECT_EQ(&copy.bodies(), &model.bodies());  // NOLINT(bugprone-use-after-move): a move copies
  EXPECT_EQ(&moved.joints(), &model.joints());
  EXPECT_EQ(moved.id(), copy.id());
  model = model.WithFrame("tool", model.frames().back(), {});
  EXPECT_EQ(model.id(), copy.id());
  EXPECT_EQ(model.FindFrame("tool").body, copy.frames().back().body);
  EXPECT_TRUE(copy.added_frames().empty());
  model = model.WithScaledInertia(2);
  EXPECT_NE(model.id(), copy.id());
}

// Whatever holds a model keeps its data.
TEST(ModelTest, MadeOfTemporariesIsTheSame) {
  const TreeSpec spec = RandomTree(5);
  const Model model = BuildTree(spec);
  const Eigen::VectorXd q = model.DefaultPosition(), v = Eigen::VectorXd::Ones(model.nv());
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, v, workspace);
  Eigen::MatrixXd C(model.nv(), model.nv()), H(C), expected_C(C), expected_H(C);
  CalcCoriolisMatrix(model, Factorization{}, workspace, {.C = expected_C, .H = expected_H});
  ConnectionOf(BuildTree(spec), {})(q, v, {.C = C, .H = H});
  EXPECT_EQ(C, expected_C);
  EXPECT_EQ(H, expected_H);
  BatchDynamics(BuildTree(spec)).CalcCoriolisMatrices(q, v, {.C = C, .H = H});
  EXPECT_LE((C - expected_C).cwiseAbs().maxCoeff(), 1e-12 * expected_C.norm());
  const MassMatrixCholesky<double> factor(BuildTree(spec));
  EXPECT_EQ(factor.model().num_bodies(), model.num_bodies());
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
  EXPECT_THROW(CalcCoriolisMatrix(model, {}, workspace, {.C = C, .H = H}), ContractError);
  EXPECT_THROW(CalcMassMatrixDerivative(model, workspace, H), ContractError);
  EXPECT_THROW(CalcBiasForces(model, workspace, g), ContractError);
  EXPECT_THROW(UpdateKinematics(model, q, v.head(model.nv() - 1), workspace), ContractError);
  UpdateKinematics(model, q, v, workspace);
  EXPECT_NO_THROW(CalcCoriolisMatrix(model, {}, workspace, {.C = C, .H = H}));
  Eigen::MatrixXd small(model.nv() - 1, model.nv());
  EXPECT_THROW(CalcMassMatrix(model, workspace, small), ContractError);
  EXPECT_THROW(CalcCoriolisMatrix(model, {}, workspace, {.C = small, .H = H}), ContractError);
  EXPECT_THROW(CalcGravityForces(model, workspace, g.head(model.nv() - 1)), ContractError);
  // A position update invalidates the velocity stage.
  UpdateKinematics(model, q, workspace);
  EXPECT_THROW(CalcBiasForces(model, workspace, g), ContractError);
}

TEST(ModelTest, QuaternionsAreNormalizedByKinematics) {
  int rotations = 0;
  for (unsigned seed = 0; seed < 10; ++seed) {
    const TreeSpec spec = RandomTree(seed);
    const Model model = BuildTree(spec);
    std::mt19937 random(2);
    const Eigen::VectorXd q = RandomPosition(spec, &random), v = RandomVector(spec.nv, &random);
    Eigen::VectorXd scaled = q;
    for (const Model::NamedJoint& joint : model.joints()) {
      const int rotation = RotationOffset(joint.type);
      if (rotation < 0) continue;
      scaled.segment<4>(joint.iq + rotation) *= rotation == 0 ? -2 : 0.5;
      ++rotations;
    }
    EXPECT_LE(RelativeError(CalcCoreDynamics(model, scaled, v).C, CalcCoreDynamics(model, q, v).C),
              1e-14);
  }
  EXPECT_GT(rotations, 5);
}

}  // namespace model_test
}  // namespace civita
