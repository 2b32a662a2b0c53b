// Motions of frames in all axes, against differences of their poses along a motion.

#include "civita/frame_motion.h"

#include <vector>

#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/seeds.h"

namespace civita {
namespace frame_motion_test {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Vector6d = Vector6<double>;

constexpr double kExact = 1e-12;
constexpr double kStep = 1e-5;
constexpr double kDifferences = 1e-7;  // (kStep)² and rounding / kStep

constexpr ReferenceFrame kAll[] = {ReferenceFrame::kWorld, ReferenceFrame::kLocal,
                                   ReferenceFrame::kLocalWorldAligned};
const Vector3d kPoint(0.3, -0.2, 0.5);

/// A random mechanism that moves with v̇ = a; frames of bodies, and one that is turned.
class FrameMotion : public testing::TestWithParam<unsigned> {
 protected:
  FrameMotion() : c_(MakeCase(GetParam())), random_(GetParam()) {
    const Pose X{Eigen::AngleAxisd(1, Vector3d(1, 2, 3).normalized()).matrix(), {0.2, 0.1, -0.4}};
    frames_ = {c_.model.frames().front(),
               c_.model.frames()[c_.model.frames().size() / 2],
               c_.model.frames().back(),
               {"wall", -1, X}};
    for (const Model::NamedFrame& frame : std::vector(frames_))
      frames_.push_back({frame.name + "_turned", frame.body, frame.X_BF * X});
    a_ = RandomVector(c_.spec.nv, &random_);
  }

  /// The workspace at time t of the motion.
  Workspace<double> At(double t) const {
    Workspace<double> workspace(c_.model);
    VectorXd q(c_.model.nq());
    IntegratePosition(c_.model, c_.q, VectorXd(t * c_.v + 0.5 * t * t * a_), 1, q);
    UpdateKinematics(c_.model, q, VectorXd(c_.v + t * a_), workspace);
    return workspace;
  }

  /// The rate of a function of the workspace along the motion, by differences.
  template <typename Function>
  auto Rate(Function f) const {
    Workspace<double> later = At(kStep), before = At(-kStep);
    return ((f(later) - f(before)) / (2 * kStep)).eval();
  }

  MatrixXd Jacobian(const Model::NamedFrame& A, const Model::NamedFrame& B,
                    ReferenceFrame reference, Workspace<double>& workspace) const {
    MatrixXd J = MatrixXd::Constant(6, c_.spec.nv, NAN);
    CalcRelativeJacobian(c_.model, A, {B, kPoint}, reference, workspace, J);
    return J;
  }

  Case c_;
  std::mt19937 random_;
  std::vector<Model::NamedFrame> frames_;
  VectorXd a_;
};

/// ω of Ṙ Rᵀ = ω×.
Vector3d Turning(const Eigen::Matrix3d& Rdot, const Eigen::Matrix3d& R) {
  const Eigen::Matrix3d W = Rdot * R.transpose();
  return 0.5 * Vector3d(W(2, 1) - W(1, 2), W(0, 2) - W(2, 0), W(1, 0) - W(0, 1));
}

TEST_P(FrameMotion, RelativeJacobiansAreTheRatesOfThePoses) {
  Workspace<double> now = At(0);
  for (const Model::NamedFrame& A : frames_) {
    for (const Model::NamedFrame& B : frames_) {
      SCOPED_TRACE(A.name + " and " + B.name);
      const auto pose = [&](Workspace<double>& w) {
        return CalcFramePose(c_.model, A, w).Inverse() * CalcFramePose(c_.model, B, w);
      };
      const Eigen::Matrix3d R = pose(now).R;
      const Vector3d p = pose(now) * kPoint;
      const Vector3d omega = Turning(Rate([&](auto& w) { return pose(w).R; }), R);
      const Vector3d pdot = Rate([&](auto& w) { return Vector3d(pose(w) * kPoint); });
      Vector6d in_A, local, world;
      in_A << omega, pdot;
      local << R.transpose() * omega, R.transpose() * pdot;
      world << omega, pdot - omega.cross(p);
      const auto v = [&](ReferenceFrame r) { return Vector6d(Jacobian(A, B, r, now) * c_.v); };
      EXPECT_LE(RelativeError(v(ReferenceFrame::kLocalWorldAligned), in_A), kDifferences);
      EXPECT_LE(RelativeError(v(ReferenceFrame::kLocal), local), kDifferences);
      EXPECT_LE(RelativeError(v(ReferenceFrame::kWorld), world), kDifferences);
    }
  }
}

TEST_P(FrameMotion, RatesOfRelativeJacobiansAreDifferences) {
  Workspace<double> now = At(0);
  for (const Model::NamedFrame& A : frames_) {
    for (const Model::NamedFrame& B : frames_) {
      for (const ReferenceFrame r : kAll) {
        SCOPED_TRACE(A.name + " and " + B.name + ", " + std::to_string(static_cast<int>(r)));
        MatrixXd Jdot = MatrixXd::Constant(6, c_.spec.nv, NAN);
        CalcRelativeJacobianDerivative(c_.model, A, {B, kPoint}, r, now, Jdot);
        EXPECT_LE(RelativeError(Jdot, Rate([&](auto& w) { return Jacobian(A, B, r, w); })),
                  kDifferences);
      }
    }
  }
}

TEST_P(FrameMotion, VelocitiesAndAccelerationsAreThoseOfTheJacobians) {
  Workspace<double> now = At(0);
  const Model::NamedFrame world;
  for (const Model::NamedFrame& B : frames_) {
    for (const ReferenceFrame r : kAll) {
      SCOPED_TRACE(B.name + ", " + std::to_string(static_cast<int>(r)));
      MatrixXd J(6, c_.spec.nv), Jdot(6, c_.spec.nv);
      CalcFrameJacobian(c_.model, {B, kPoint}, r, now, J);
      CalcFrameJacobianDerivative(c_.model, {B, kPoint}, r, now, Jdot);
      EXPECT_LE(RelativeError(J, Jacobian(world, B, r, now)), kExact);
      const auto velocity = [&](auto& w) { return CalcFrameVelocity(c_.model, {B, kPoint}, r, w); };
      const Vector6d V = velocity(now);
      EXPECT_LE(RelativeError(V, Vector6d(J * c_.v)), kExact);
      const Vector6d spatial = CalcFrameAcceleration(c_.model, {B, kPoint}, r, a_, now);
      const Vector6d classical = CalcFrameClassicalAcceleration(c_.model, {B, kPoint}, r, a_, now);
      const bool is_classical = r == ReferenceFrame::kLocalWorldAligned;
      EXPECT_LE(RelativeError(is_classical ? classical : spatial, Vector6d(J * a_ + Jdot * c_.v)),
                kExact);
      EXPECT_LE(RelativeError(is_classical ? classical : spatial, Rate(velocity)), kDifferences);
      Vector6d difference = Vector6d::Zero();
      difference.tail<3>() = Vector3d(V.head<3>()).cross(Vector3d(V.tail<3>()));
      EXPECT_LE(RelativeError(Vector6d(classical - spatial), difference), kExact);
    }
  }
}

TEST_P(FrameMotion, WorldAlignedOnesAreThoseRelativeToTheWorld) {
  Workspace<double> now = At(0);
  constexpr ReferenceFrame kAligned = ReferenceFrame::kLocalWorldAligned;
  MatrixXd J(6, c_.spec.nv), expected(6, c_.spec.nv);
  for (const Model::NamedFrame& B : frames_) {
    CalcRelativeJacobian(c_.model, {}, {B, kPoint}, kAligned, now, expected);
    CalcFrameJacobian(c_.model, {B, kPoint}, kAligned, now, J);
    EXPECT_LE(RelativeError(J, expected), kExact);
    CalcRelativeJacobianDerivative(c_.model, {}, {B, kPoint}, kAligned, now, expected);
    CalcFrameJacobianDerivative(c_.model, {B, kPoint}, kAligned, now, J);
    EXPECT_LE(RelativeError(J, expected), kExact);
    EXPECT_LE(RelativeError(CalcFrameBiasAcceleration(c_.model, {B, kPoint}, now),
                            Vector6d(expected * c_.v)),
              kExact);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, FrameMotion, testing::Range(0u, Seeds(12)));

TEST(RelativeJacobians, CoordinatesThatMoveBothFramesHaveZeroColumns) {
  ModelBuilder b;
  const MassProperties mass{1, Vector3d::Zero(), Eigen::Matrix3d::Identity()};
  const int base = b.AddBody("base", ModelBuilder::kWorld, {}, mass);
  b.AddJoint(base, JointType::kFree, {});
  for (const char* name : {"left", "right"}) {
    const int arm = b.AddBody(name, base, {Eigen::Matrix3d::Identity(), Vector3d(1, 2, 3)}, mass);
    b.AddJoint(arm, JointType::kHinge, {.name = {}, .axis = {1, 1, 0}});
  }
  const Model model = b.Build();
  VectorXd q = model.DefaultPosition();
  q.head<3>() << 1e6, -1e6, 1e6;  // no digit is lost far from the world's origin
  q[7] = 0.5;
  q[8] = -0.3;
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, VectorXd::Ones(model.nv()), workspace);
  MatrixXd J(6, model.nv()), near(6, model.nv());
  const auto calc = [&](MatrixXd& to) {
    CalcRelativeJacobian(model, model.FindFrame("left"), {model.FindFrame("right"), kPoint},
                         ReferenceFrame::kLocal, workspace, to);
  };
  calc(J);
  EXPECT_TRUE((J.leftCols<6>().array() == 0).all());
  EXPECT_GT(J.rightCols<2>().colwise().norm().minCoeff(), 0.9);
  q.head<3>().setZero();
  UpdateKinematics(model, q, VectorXd::Ones(model.nv()), workspace);
  calc(near);
  EXPECT_LE(RelativeError(J, near), 1e-14);
}

TEST(FrameMotionContracts, StageSizeAndFrame) {
  const Case c = MakeCase(1);
  const Model::NamedFrame& frame = c.model.frames().front();
  const ReferenceFrame r = ReferenceFrame::kLocal;
  Workspace<double> workspace(c.model);
  MatrixXd J(6, c.spec.nv), narrow(6, c.spec.nv - 1);
  UpdateKinematics(c.model, c.q, workspace);
  EXPECT_NO_THROW(CalcFrameJacobian(c.model, {frame, kPoint}, r, workspace, J));
  EXPECT_THROW(CalcFrameJacobianDerivative(c.model, {frame, kPoint}, r, workspace, J),
               ContractError);
  EXPECT_THROW(CalcFrameJacobian(c.model, {frame, kPoint}, r, workspace, narrow), ContractError);
  UpdateKinematics(c.model, c.q, c.v, workspace);
  const Model::NamedFrame elsewhere{"elsewhere", c.model.num_bodies(), {}};
  EXPECT_THROW(CalcRelativeJacobian(c.model, elsewhere, {frame, kPoint}, r, workspace, J),
               ContractError);
  const VectorXd longer = VectorXd::Zero(c.spec.nv + 1);
  EXPECT_THROW((void)CalcFrameAcceleration(c.model, {frame, kPoint}, r, longer, workspace),
               ContractError);
}

}  // namespace frame_motion_test
}  // namespace civita
