// Derivatives of frames' velocities and accelerations and of the centroidal momentum and its rate,
// by dual numbers through the functions themselves, on random mechanisms with all joint types.

#include <Eigen/Geometry>
#include <array>

#include "civita/centroidal.h"
#include "civita/dual.h"
#include "civita/error.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/dual_dynamics.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/seeds.h"

namespace civita {
namespace motion_derivatives_laws_test {

constexpr double kExact = 1e-12;
const Eigen::Vector3d kPoint(0.3, -0.2, 0.5);
constexpr std::array kAll = {ReferenceFrame::kWorld, ReferenceFrame::kLocal,
                             ReferenceFrame::kLocalWorldAligned};

/// By q, v and v̇.
using ByState = std::array<Eigen::MatrixXd, 3>;

class MotionDerivativesLaws : public testing::TestWithParam<unsigned> {
 protected:
  MotionDerivativesLaws() : workspace_(c_.model) {
    std::mt19937 random(GetParam() + 30);
    vdot_ = RandomVector(nv(), &random);
    UpdateKinematics(c_.model, c_.q, c_.v, workspace_);
    const Pose X{Eigen::AngleAxisd(1, Eigen::Vector3d(1, 2, 3).normalized()).matrix(),
                 {0.2, 0.1, -0.4}};
    const auto& frames = c_.model.frames();
    for (const Model::NamedFrame& frame :
         {frames.front(), frames[frames.size() / 2], frames.back(), {"wall", -1, {}}}) {
      frames_.push_back({frame.name, frame.body, frame.X_BF * X});
    }
  }
  int nv() const { return c_.model.nv(); }

  static ByState Nan(int nv) {
    const Eigen::MatrixXd nan = Eigen::MatrixXd::Constant(6, nv, NAN);
    return {nan, nan, nan};
  }

  /// Derivatives of motion(workspace, v̇), six numbers, along unit vectors.
  template <typename Motion>
  ByState ByDualNumbers(const Motion& motion) const {
    ByState d = Nan(nv());
    Workspace<Dual> workspace(c_.model);
    const VectorX<Dual> q = c_.q.cast<Dual>(), v = c_.v.cast<Dual>(), vdot = vdot_.cast<Dual>();
    for (int k = 0; k < nv(); ++k) {
      const Eigen::VectorXd unit = Eigen::VectorXd::Unit(nv(), k);
      UpdateKinematics(c_.model, DualAlong(c_.model, c_.q, unit), v, workspace);
      d[0].col(k) = Derivatives(motion(workspace, vdot));
      UpdateKinematics(c_.model, q, MakeDual(c_.v, unit), workspace);
      d[1].col(k) = Derivatives(motion(workspace, vdot));
      UpdateKinematics(c_.model, q, v, workspace);
      d[2].col(k) = Derivatives(motion(workspace, MakeDual(vdot_, unit)));
    }
    return d;
  }
  static void ExpectNear(const ByState& ours, const ByState& expected, size_t count) {
    static constexpr std::array kNames = {"by q", "by v", "by vdot"};
    for (size_t i = 0; i < count; ++i) {
      EXPECT_LE(RelativeError(ours[i], expected[i]), kExact) << kNames[i];
    }
  }

  Case c_ = MakeCase(GetParam());
  Workspace<double> workspace_;
  Eigen::VectorXd vdot_;
  std::vector<Model::NamedFrame> frames_;
};

TEST_P(MotionDerivativesLaws, VelocitiesOfFrames) {
  for (const Model::NamedFrame& frame : frames_) {
    for (const ReferenceFrame reference : kAll) {
      SCOPED_TRACE(frame.name + ", reference " + std::to_string(static_cast<int>(reference)));
      ByState ours = Nan(nv());
      CalcFrameVelocityDerivatives(c_.model, {frame, kPoint}, reference, workspace_, ours[0],
                                   ours[1]);
      ExpectNear(ours, ByDualNumbers([&](Workspace<Dual>& at, const VectorX<Dual>&) {
                   return CalcFrameVelocity(c_.model, {frame, kPoint}, reference, at);
                 }),
                 2);
    }
  }
}

TEST_P(MotionDerivativesLaws, AccelerationsOfFrames) {
  for (const Model::NamedFrame& frame : frames_) {
    for (const ReferenceFrame reference : kAll) {
      SCOPED_TRACE(frame.name + ", reference " + std::to_string(static_cast<int>(reference)));
      ByState spatial = Nan(nv()), classical = Nan(nv());
      CalcFrameAccelerationDerivatives(c_.model, {frame, kPoint}, reference, vdot_, workspace_,
                                       spatial[0], spatial[1], spatial[2]);
      CalcFrameClassicalAccelerationDerivatives(c_.model, {frame, kPoint}, reference, vdot_,
                                                workspace_, classical[0], classical[1],
                                                classical[2]);
      ExpectNear(spatial, ByDualNumbers([&](Workspace<Dual>& at, const VectorX<Dual>& vdot) {
                   return CalcFrameAcceleration(c_.model, {frame, kPoint}, reference, vdot, at);
                 }),
                 3);
      ExpectNear(
          classical, ByDualNumbers([&](Workspace<Dual>& at, const VectorX<Dual>& vdot) {
            return CalcFrameClassicalAcceleration(c_.model, {frame, kPoint}, reference, vdot, at);
          }),
          3);
    }
  }
}

TEST_P(MotionDerivativesLaws, CentroidalMomentumAndItsRate) {
  ByState momentum = Nan(nv()), rate = Nan(nv());
  CalcCentroidalMomentumDerivatives(c_.model, workspace_, momentum[0], momentum[1]);
  ExpectNear(momentum, ByDualNumbers([&](Workspace<Dual>& at, const VectorX<Dual>&) {
               return CalcCentroidalMomentum(c_.model, at);
             }),
             2);
  CalcCentroidalMomentumRateDerivatives(c_.model, vdot_, workspace_, rate[0], rate[1], rate[2]);
  ExpectNear(rate, ByDualNumbers([&](Workspace<Dual>& at, const VectorX<Dual>& vdot) {
               MatrixX<Dual> A(6, nv()), Adot(6, nv());
               CalcCentroidalMomentumMatrix(c_.model, at, A);
               CalcCentroidalMomentumMatrixDerivative(c_.model, at, Adot);
               return Vector6<Dual>(A * vdot + Adot * at.v());
             }),
             3);
}

/// ḣ = ∂h/∂q v + ∂h/∂v v̇: the momentum along the motion.
TEST_P(MotionDerivativesLaws, RateOfTheMomentumIsItsDerivativeAlongTheMotion) {
  ByState d = Nan(nv());
  CalcCentroidalMomentumDerivatives(c_.model, workspace_, d[0], d[1]);
  Eigen::MatrixXd A(6, nv()), Adot(6, nv());
  CalcCentroidalMomentumMatrix(c_.model, workspace_, A);
  CalcCentroidalMomentumMatrixDerivative(c_.model, workspace_, Adot);
  EXPECT_LE(RelativeError(d[0] * c_.v + d[1] * vdot_, A * vdot_ + Adot * c_.v), kExact);
}

INSTANTIATE_TEST_SUITE_P(Seeds, MotionDerivativesLaws, testing::Range(0u, Seeds(30)));

TEST(MotionDerivatives, CheckTheirArguments) {
  const Case c = MakeCase(1);
  const int nv = c.model.nv();
  Workspace<double> workspace(c.model);
  Eigen::MatrixXd A(6, nv), B(6, nv), D(6, nv), small(6, nv + 1);
  const Model::NamedFrame& frame = c.model.frames().front();
  constexpr ReferenceFrame kLocal = ReferenceFrame::kLocal;
  const auto velocity = [&](Eigen::Ref<Eigen::MatrixXd> dq, Eigen::Ref<Eigen::MatrixXd> dv) {
    CalcFrameVelocityDerivatives<double>(c.model, {frame, kPoint}, kLocal, workspace, dq, dv);
  };
  UpdateKinematics(c.model, c.q, workspace);
  EXPECT_THROW(velocity(A, B), ContractError);
  UpdateKinematics(c.model, c.q, c.v, workspace);
  EXPECT_NO_THROW(velocity(A, B));
  EXPECT_THROW(velocity(A, A), ContractError);
  EXPECT_THROW(velocity(small, B), ContractError);
  EXPECT_THROW(CalcFrameAccelerationDerivatives(c.model, {frame, kPoint}, kLocal,
                                                Eigen::VectorXd(1), workspace, A, B, D),
               ContractError);
  EXPECT_THROW(CalcFrameAccelerationDerivatives(c.model, {frame, kPoint}, kLocal, c.v, workspace, A,
                                                B, small),
               ContractError);
  EXPECT_THROW(CalcFrameClassicalAccelerationDerivatives(c.model, {frame, kPoint}, kLocal, c.v,
                                                         workspace, A, B, A),
               ContractError);
  EXPECT_THROW(CalcCentroidalMomentumDerivatives(c.model, workspace, A, A), ContractError);
  EXPECT_THROW(CalcCentroidalMomentumDerivatives(c.model, workspace, small, B), ContractError);
  EXPECT_THROW(CalcCentroidalMomentumRateDerivatives(c.model, c.v, workspace, A, small, B),
               ContractError);
  EXPECT_THROW(
      CalcCentroidalMomentumRateDerivatives(c.model, Eigen::VectorXd(1), workspace, A, B, D),
      ContractError);
}

}  // namespace motion_derivatives_laws_test
}  // namespace civita
