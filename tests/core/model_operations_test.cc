// The description of a model, and copies with a change: locked joints, models put together,
// payloads, other inertias.

#include <limits>
#include <optional>

#include "civita/constraint.h"
#include "civita/coriolis.h"
#include "civita/error.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/passive_forces.h"
#include "civita/rnea.h"
#include "civita/workspace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/error_of.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/model_bytes.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/seeds.h"

namespace civita {
namespace model_operations_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::AllOf;
using testing::HasSubstr;

const MassProperties kMass{2, Eigen::Vector3d(0.1, 0, 0.2), 0.1 * Eigen::Matrix3d::Identity()};

struct Terms {
  MatrixXd H, C;
  VectorXd g, passive;
};

Terms TermsOf(const Model& model, const VectorXd& q, const VectorXd& v) {
  const int n = model.nv();
  Terms terms{MatrixXd(n, n), MatrixXd(n, n), VectorXd(n), VectorXd::Zero(n)};
  Workspace<double> workspace(model);
  UpdateKinematics<double>(model, q, v, workspace);
  CalcCoriolisMatrix<double>(model, Factorization{}, workspace, {.C = terms.C, .H = terms.H});
  CalcGravityForces<double>(model, workspace, terms.g);
  AddPassiveForces(model, q, v, {.speed = 0.01}, 1, terms.passive);
  return terms;
}

Pose WorldPose(const Model& model, const std::string& frame, const VectorXd& q) {
  Workspace<double> workspace(model);
  UpdateKinematics<double>(model, q, VectorXd::Zero(model.nv()), workspace);
  return CalcFramePose<double>(model, model.FindFrame(frame), workspace);
}

Case PassiveCase(unsigned seed) {
  RandomTreeOptions options = OptionsForKernels(seed);
  options.passive = true;
  return MakeCase(seed, options);
}

TEST(Description, BuildsTheSameBits) {
  for (unsigned seed = 0; seed < Seeds(12); ++seed) {
    const Case c = PassiveCase(seed);
    const ModelBuilder description(c.model);
    ASSERT_EQ(description.bodies().size(), c.spec.bodies.size());
    const Model again = description.Build();
    EXPECT_EQ(ModelBytes(again), ModelBytes(c.model));
    EXPECT_EQ(again.structure(), c.model.structure());
    EXPECT_NE(again.id(), c.model.id());
    const Terms one = TermsOf(c.model, c.q, c.v), two = TermsOf(again, c.q, c.v);
    EXPECT_EQ(one.H, two.H);
    EXPECT_EQ(one.C, two.C);
    EXPECT_EQ(one.g, two.g);
    EXPECT_EQ(one.passive, two.passive);
  }
}

TEST(Description, CanBeAddedTo) {
  const Case c = MakeCase(3);
  ModelBuilder b(c.model);
  const int tip = b.AddBody("tip", static_cast<int>(b.bodies().size()) - 1, {}, kMass);
  b.AddJoint(tip, JointType::kHinge, {.name = "tip"});
  EXPECT_EQ(b.Build().nv(), c.model.nv() + 1);
  EXPECT_EQ(c.model.nv(), c.spec.nv);
  EXPECT_THROW(b.SetMass(tip, {-1, {0, 0, 0}, {}}), UserError);
}

TEST(Description, HasFramesThatWereAddedLater) {
  const Case c = MakeCase(4);
  const Pose X{QuaternionToMatrix<double>({1, 0.2, -0.3, 0.4}), {0.1, 0.2, 0.3}};
  const Model::NamedFrame& last = c.model.frames().back();
  const Model with = c.model.WithFrame("tool", last, X);
  const Model twice = with.WithFrame("tip", with.FindFrame("tool"), X);
  const Model again = ModelBuilder(twice).Build();
  for (const std::string name : {"tool", "tip"}) {
    const Pose one = WorldPose(twice, name, c.q), two = WorldPose(again, name, c.q);
    EXPECT_EQ(one.R, two.R);
    EXPECT_EQ(one.p, two.p);
  }
}

/// Numbers of q, or of v, of the joints that are not locked.
std::vector<int> Kept(const Model& model, const std::vector<std::string>& locked, bool of_q) {
  std::vector<int> kept;
  for (const Model::NamedJoint& joint : model.joints()) {
    if (std::ranges::find(locked, joint.name) != locked.end()) continue;
    const int first = of_q ? joint.iq : joint.iv;
    const int count = of_q ? NumPositions(joint.type) : NumVelocities(joint.type);
    for (int k = 0; k < count; ++k) kept.push_back(first + k);
  }
  return kept;
}

TEST(LockedJoints, LeaveRowsAndColumnsOfTheWhole) {
  int models = 0;
  for (unsigned seed = 0; seed < Seeds(24); ++seed) {
    const Case c = PassiveCase(seed);
    std::mt19937 random(seed);
    std::vector<std::string> locked;
    for (const Model::NamedJoint& joint : c.model.joints()) {
      if (random() % 3 == 0) locked.push_back(joint.name);
    }
    if (locked.size() == c.model.joints().size()) locked.pop_back();
    std::string error;
    std::optional<Model> reduced;
    error = ErrorOf([&] { reduced.emplace(c.model.WithLockedJoints(locked, c.q)); });
    if (!reduced) {
      EXPECT_THAT(error, HasSubstr("follows the ball joint")) << seed;
      continue;
    }
    ++models;
    const std::vector<int> q_kept = Kept(c.model, locked, true);
    const std::vector<int> v_kept = Kept(c.model, locked, false);
    ASSERT_EQ(reduced->nv(), static_cast<int>(v_kept.size()));
    VectorXd v = VectorXd::Zero(c.model.nv());
    v(v_kept) = c.v(v_kept);
    const Terms whole = TermsOf(c.model, c.q, v);
    const Terms part = TermsOf(*reduced, c.q(q_kept), c.v(v_kept));
    EXPECT_LT(RelativeError(part.H, whole.H(v_kept, v_kept)), 1e-12) << seed;
    EXPECT_LT(RelativeError(part.C, whole.C(v_kept, v_kept)), 1e-12) << seed;
    EXPECT_LT(RelativeError(part.g, whole.g(v_kept)), 1e-12) << seed;
    EXPECT_LT(RelativeError(part.passive, whole.passive(v_kept)), 1e-12) << seed;
    EXPECT_EQ(reduced->effort_upper(), VectorXd(c.model.effort_upper()(v_kept)));
    ASSERT_EQ(reduced->frames().size(), c.model.frames().size());
    for (const Model::NamedFrame& frame : c.model.frames()) {
      const Pose one = WorldPose(c.model, frame.name, c.q);
      const Pose two = WorldPose(*reduced, frame.name, c.q(q_kept));
      EXPECT_LT((one.R - two.R).norm() + (one.p - two.p).norm(), 1e-11) << seed << frame.name;
    }
  }
  EXPECT_GT(models, 0);
}

/// Several joints on a body, of the types that a random tree may lack.
TEST(LockedJoints, OfOneBodyLeaveTheOthers) {
  ModelBuilder b;
  const Pose X{QuaternionToMatrix<double>({1, 0.2, -0.3, 0.4}), {0.1, 0.2, 0.3}};
  const int body = b.AddBody("body", ModelBuilder::kWorld, X, kMass);
  b.AddJoint(body, JointType::kPlanar,
             {.name = "plane", .axis = {1, 2, 3}, .axis2 = {1, 0, 1}, .anchor = {0.3, 0.1, 0}});
  b.AddJoint(body, JointType::kUniversal,
             {.name = "cross", .axis = {0, 1, 0.2}, .axis2 = {1, 0, 0}, .anchor = {0, 0.2, 0.1}});
  b.AddJoint(body, JointType::kHelical,
             {.name = "screw",
              .axis = {0, 0.5, 1},
              .pitch = 0.3,
              .scale = 2,
              .anchor = {0.1, 0, 0},
              .position_reference = 0.2});
  const Model model = b.Build();
  const VectorXd q = VectorXd::LinSpaced(6, -0.7, 1.1), v = VectorXd::LinSpaced(6, 1, -0.5);
  for (const std::string name : {"plane", "cross", "screw"}) {
    const Model reduced = model.WithLockedJoints({name}, q);
    const std::vector<int> kept = Kept(model, {name}, true);
    VectorXd v_0 = VectorXd::Zero(6);
    v_0(kept) = v(kept);
    const Terms whole = TermsOf(model, q, v_0), part = TermsOf(reduced, q(kept), v(kept));
    EXPECT_LT(RelativeError(part.H, whole.H(kept, kept)), 1e-13) << name;
    EXPECT_LT(RelativeError(part.C, whole.C(kept, kept)), 1e-13) << name;
    EXPECT_LT(RelativeError(part.g, whole.g(kept)), 1e-13) << name;
    EXPECT_EQ(reduced.num_bodies(), 6 - (6 - static_cast<int>(kept.size())));
  }
}

TEST(LockedJoints, RefuseWhatIsNone) {
  const Case c = MakeCase(5);
  EXPECT_THAT(ErrorOf([&] { (void)c.model.WithLockedJoints({"nowhere"}, c.q); }),
              HasSubstr("unknown joint 'nowhere'"));
  EXPECT_THROW((void)c.model.WithLockedJoints({}, VectorXd(1)), ContractError);
  std::vector<std::string> all;
  for (const Model::NamedJoint& joint : c.model.joints()) all.push_back(joint.name);
  EXPECT_THAT(ErrorOf([&] { (void)c.model.WithLockedJoints(all, c.q); }),
              HasSubstr("the model has no joints"));
  VectorXd q = c.q;
  q[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(ErrorOf([&] { (void)c.model.WithLockedJoints({all[0]}, q); }),
              HasSubstr("q of joint '" + all[0] + "' is not finite"));
}

TEST(LockedJoints, FixWhatIsCoupledToThem) {
  ModelBuilder b;
  for (const std::string name : {"a", "b", "c"}) {
    b.AddJoint(b.AddBody(name, ModelBuilder::kWorld, {}, kMass), JointType::kHinge, {.name = name});
  }
  const Model model = b.Build();
  Constraints loops;
  loops.joints = {{"gear", 2, 1, {0.5, 2, 0, 0, 0}, 0.1, 0.2}};
  const VectorXd q = (VectorXd(3) << 0.3, 0.7, 1.6).finished();
  const Constraints led = LockJoints(loops, model, {"a", "b"}, q);
  ASSERT_EQ(led.joints.size(), 1);
  EXPECT_EQ(led.joints[0].joint, 0);
  EXPECT_EQ(led.joints[0].leader, -1);
  EXPECT_NEAR(led.joints[0].polynomial[0] + led.joints[0].reference, 1.6, 1e-15);
  const Constraints back = LockJoints(loops, model, {"c"}, q);
  EXPECT_EQ(back.joints[0].joint, 1);
  EXPECT_NEAR(back.joints[0].polynomial[0] + back.joints[0].reference, 0.7, 1e-15);
  EXPECT_TRUE(LockJoints(loops, model, {"b", "c"}, q).empty());
  const VectorXd open = (VectorXd(3) << 0.3, 0.7, 1.7).finished();
  EXPECT_THAT(ErrorOf([&] {
                (void)LockJoints(loops, model, {"b", "c"}, open);
              }),
              AllOf(HasSubstr("'gear'"), HasSubstr("violate it by 0.1")));
  loops.joints[0].polynomial[2] = 1;
  EXPECT_THAT(ErrorOf([&] { (void)LockJoints(loops, model, {"c"}, q); }), HasSubstr("lock both"));
  EXPECT_EQ(LockJoints(loops, model, {"a"}, q).joints[0].leader, 0);
}

/// A small tree with a ball joint, frames and a tendon, whose names begin with no prefix.
Model Gripper() {
  ModelBuilder b;
  const int palm = b.AddBody("palm", ModelBuilder::kWorld, {.p = {0, 0, 0.1}}, kMass);
  const int finger = b.AddBody("finger", palm, {.p = {0.1, 0, 0.2}}, kMass);
  b.AddJoint(finger, JointType::kHinge, {.name = "grip", .axis = {0, 1, 0}, .armature = 0.1});
  const int ball = b.AddBody("thumb", palm, {.p = {-0.1, 0, 0.2}}, kMass);
  b.AddJoint(ball, JointType::kBall, {.name = "thumb"});
  b.AddFrame("tip", finger, {.p = {0, 0, 0.3}});
  b.AddFrame("mark", ModelBuilder::kWorld, {.p = {0, 0.5, 0}});
  b.AddTendon(
      {.name = "cord", .terms = {{0, 2}}, .stiffness = 3, .rest_lower = 0.1, .rest_upper = 0.2});
  b.set_gravity({1, 2, 3});
  return b.Build();
}

TEST(ModelsPutTogether, AreTheModelWrittenAsOne) {
  for (unsigned seed = 0; seed < Seeds(8); ++seed) {
    const Case c = PassiveCase(seed);
    const Pose X{QuaternionToMatrix<double>({1, 0.2, -0.3, 0.4}), {0.1, 0.2, 0.3}};
    const Model::NamedFrame& last = c.model.frames().back();
    const Model both = c.model.WithModel(Gripper(), last, X, "left_");
    ModelBuilder b(c.model);
    const int at = static_cast<int>(c.model.frames().size()) - 1;
    const int palm = b.AddBody("left_palm", at, X * Pose{.p = {0, 0, 0.1}}, kMass);
    const int finger = b.AddBody("left_finger", palm, {.p = {0.1, 0, 0.2}}, kMass);
    b.AddJoint(finger, JointType::kHinge,
               {.name = "left_grip", .axis = {0, 1, 0}, .armature = 0.1});
    const int ball = b.AddBody("left_thumb", palm, {.p = {-0.1, 0, 0.2}}, kMass);
    b.AddJoint(ball, JointType::kBall, {.name = "left_thumb"});
    b.AddFrame("left_tip", finger, {.p = {0, 0, 0.3}});
    b.AddFrame("left_mark", at, X * Pose{.p = {0, 0.5, 0}});
    b.AddTendon({.name = "left_cord",
                 .terms = {{c.model.nq(), 2}},
                 .stiffness = 3,
                 .rest_lower = 0.1,
                 .rest_upper = 0.2});
    EXPECT_EQ(ModelBytes(both), ModelBytes(b.Build())) << seed;
    EXPECT_EQ(both.gravity(), c.model.gravity());
    EXPECT_EQ(both.nq(), c.model.nq() + 5);
  }
}

TEST(ModelsPutTogether, LockedAgainAreAPayload) {
  const Case c = MakeCase(7);
  const Model::NamedFrame& last = c.model.frames().back();
  ASSERT_GE(last.body, 0);
  const Pose X{QuaternionToMatrix<double>({1, 0.2, -0.3, 0.4}), {0.1, 0.2, 0.3}};
  const Model with = c.model.WithFrame("flange", last, X);
  const Model both = with.WithModel(Gripper(), with.FindFrame("flange"), {}, "");
  VectorXd q(both.nq());
  q << c.q, 0.3, 1, 0.1, 0.2, -0.4;
  const Model held = both.WithLockedJoints({"grip", "thumb"}, q);
  Workspace<double> workspace(both);
  UpdateKinematics<double>(both, q, VectorXd::Zero(both.nv()), workspace);
  const Pose X_WF = CalcFramePose<double>(both, both.FindFrame("flange"), workspace);
  std::optional<Model> with_payload;
  for (const std::string name : {"palm", "finger", "thumb"}) {
    const Pose X_FB = X_WF.Inverse() * CalcFramePose<double>(both, both.FindFrame(name), workspace);
    const MassProperties payload{kMass.mass, X_FB * kMass.com,
                                 X_FB.R * kMass.inertia * X_FB.R.transpose()};
    const Model& before = with_payload ? *with_payload : with;
    Model after = before.WithPayload(before.FindFrame("flange"), payload);
    with_payload.emplace(std::move(after));
  }
  const Terms one = TermsOf(held, c.q, c.v), two = TermsOf(*with_payload, c.q, c.v);
  EXPECT_LT(RelativeError(one.H, two.H), 1e-12);
  EXPECT_LT(RelativeError(one.C, two.C), 1e-12);
  EXPECT_LT(RelativeError(one.g, two.g), 1e-12);
  EXPECT_GT(RelativeError(one.H, TermsOf(c.model, c.q, c.v).H), 1e-3);
}

TEST(ModelsPutTogether, TellNamesThatClash) {
  const Model gripper = Gripper();
  const Model::NamedFrame& tip = gripper.FindFrame("tip");
  EXPECT_THAT(ErrorOf([&] { (void)gripper.WithModel(gripper, tip, {}, ""); }),
              AllOf(HasSubstr("model added at 'tip' with prefix ''"),
                    HasSubstr("two bodies are named 'palm'")));
  const Model two = gripper.WithModel(gripper, tip, {}, "b_");
  EXPECT_EQ(two.FindFrame("b_tip").body, 1);
  ModelBuilder b;
  b.AddJoint(b.AddBody("box", ModelBuilder::kWorld, {}, kMass), JointType::kFree, {.name = "box"});
  const Model box = b.Build();
  EXPECT_THAT(ErrorOf([&] { (void)gripper.WithModel(box, tip, {}, ""); }),
              HasSubstr("a free joint must be the only joint of a body that hangs on the world"));
  EXPECT_EQ(gripper.WithModel(box, {}, {}, "").nv(), 10);
}

TEST(LockedJoints, RefuseAConfigurationOfAnotherSize) {
  const Model gripper = Gripper();
  Constraints loops;
  loops.joints = {{"gear", 0, -1, {0.5, 0, 0, 0, 0}, 0, 0}};
  const std::string joint = gripper.joints().back().name;
  for (const int size : {0, gripper.nq() - 1, gripper.nq() + 1}) {
    EXPECT_THROW((void)LockJoints(loops, gripper, {joint}, Eigen::VectorXd::Zero(size)),
                 ContractError);
  }
}

TEST(ModelsPutTogether, SpringsOfFreeJointsMoveAlong) {
  ModelBuilder b;
  b.set_gravity(Eigen::Vector3d::Zero());
  const int body = b.AddBody("buoy", ModelBuilder::kWorld, Pose{.p = {1, 0, 0}}, kMass);
  const Pose rest{Eigen::AngleAxisd(0.7, Eigen::Vector3d::UnitX()).matrix(), {0.4, -0.2, 3}};
  b.AddJoint(body, JointType::kFree, {.name = "chain", .stiffness = 8, .spring_pose = rest});
  const Model buoy = b.Build();
  const Pose X{QuaternionToMatrix<double>({0.6, 0.1, -0.7, 0.2}), {-2, 5, 0.3}};
  const Model both = Gripper().WithModel(buoy, Model::NamedFrame{}, X, "far_");
  const Eigen::VectorXd v = Eigen::VectorXd::Zero(both.nv());
  Eigen::VectorXd q = both.DefaultPosition(), tau = v;
  const Pose at = X * rest;
  const Eigen::Quaterniond turn(at.R);
  q.tail<7>() << at.p, turn.w(), turn.vec();
  AddPassiveForces(both, q, v, {.speed = 0.02}, 1, tau);
  EXPECT_LE(tau.tail<6>().norm(), 1e-13);
}

TEST(ModelsPutTogether, KeepTheirLoops) {
  const Model gripper = Gripper();
  Constraints loops;
  loops.joints = {{"gear", 0, -1, {0.5, 0, 0, 0, 0}, 0, 0}};
  loops.rigid.push_back({.name = "pin",
                         .A = gripper.frames()[1],
                         .B = {},
                         .point_A = {1, 2, 3},
                         .point_B = {0, 0.5, 0},
                         .fixes_rotation = true});
  const Pose X{QuaternionToMatrix<double>({1, 0.2, -0.3, 0.4}), {0.1, 0.2, 0.3}};
  const Model::NamedFrame& tip = gripper.FindFrame("tip");
  const Constraints both = JoinConstraints(loops, gripper, loops, gripper, tip, X, "b_");
  const Model model = gripper.WithModel(gripper, tip, X, "b_");
  ASSERT_EQ(both.joints.size(), 2);
  EXPECT_EQ(both.joints[1].joint, 2);
  EXPECT_EQ(both.joints[1].name, "b_gear");
  ASSERT_EQ(both.rigid.size(), 2);
  const RigidConstraint& pin = both.rigid[1];
  const Model::NamedFrame& of_other = model.frames()[4];
  EXPECT_EQ(pin.A.name, of_other.name);
  EXPECT_EQ(pin.A.body, of_other.body);
  EXPECT_EQ(pin.A.X_BF.R, of_other.X_BF.R);
  EXPECT_EQ(pin.A.X_BF.p, of_other.X_BF.p);
  // A point of the world of the second is one of the finger of the first.
  EXPECT_EQ(pin.B.body, model.frames()[1].body);
  const Pose X_FingerO = Pose{.p = {0, 0, 0.3}} * X;
  EXPECT_LT((pin.B.X_BF * pin.point_B - X_FingerO * Eigen::Vector3d(0, 0.5, 0)).norm(), 1e-15);
  EXPECT_LT((pin.B.X_BF.R - X.R).norm(), 1e-15);
}

TEST(Inertias, ChangeOneBodyAlone) {
  const Case c = MakeCase(6);
  const Model::NamedFrame& last = c.model.frames().back();
  const Model changed = c.model.WithInertia(last.name, kMass);
  TreeSpec spec = c.spec;
  spec.bodies.back().mass = kMass;
  EXPECT_EQ(ModelBytes(changed), ModelBytes(BuildTree(spec)));
  EXPECT_EQ(changed.structure(), c.model.structure());
  EXPECT_NE(changed.id(), c.model.id());
  EXPECT_THAT(
      ErrorOf([&] {
        (void)c.model.WithInertia(last.name, {1, {0, 0, 0}, Eigen::Vector3d(1, 1, 3).asDiagonal()});
      }),
      AllOf(HasSubstr("body '" + last.name + "'"), HasSubstr("A + B ≥ C")));
  // Also where the description has what no body can have.
  ModelBuilder any;
  any.allow_impossible_moments();
  const MassProperties impossible{1, {0, 0, 0}, Eigen::Vector3d(1, 1, 3).asDiagonal()};
  any.AddJoint(any.AddBody("odd", ModelBuilder::kWorld, {}, impossible), JointType::kHinge, {});
  const Model odd = any.Build();
  const Model heavy = odd.WithScaledInertia(2);
  EXPECT_EQ(heavy.bodies()[0].mass.inertia(2, 2), 6);
  EXPECT_THROW((void)odd.WithInertia("odd", impossible), UserError);
  EXPECT_THROW((void)odd.WithPayload(odd.frames()[0], impossible), UserError);
  EXPECT_THAT(ErrorOf([&] { (void)c.model.WithInertia("nowhere", kMass); }),
              HasSubstr("unknown body 'nowhere'"));
  const Model with = c.model.WithFrame("tool", last, {});
  EXPECT_THAT(ErrorOf([&] { (void)with.WithInertia("tool", kMass); }),
              HasSubstr("'tool' is a frame without mass"));
  EXPECT_THAT(ErrorOf([&] {
                (void)c.model.WithPayload({"", -1, {}}, kMass);
              }),
              HasSubstr("fixed to the world"));
  EXPECT_THAT(ErrorOf([&] {
                (void)c.model.WithPayload(last, {-1, {0, 0, 0}, {}});
              }),
              HasSubstr("the mass ≥ 0"));
}

}  // namespace model_operations_test
}  // namespace civita
