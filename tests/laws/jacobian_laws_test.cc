// Poses, Jacobians and their rates, against poses computed body by body and their differences.

#include "civita/centroidal.h"
#include "civita/error.h"
#include "civita/frame_motion.h"
#include "civita/rnea.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/seeds.h"
#include "tests/oracles/slow_dynamics.h"

namespace civita {
namespace jacobian_laws_test {

constexpr double kExact = 1e-13;
constexpr double kDifferences = 1e-9;

using Vector6d = Vector6<double>;
using Matrix6Xd = Eigen::Matrix<double, 6, Eigen::Dynamic>;

const Eigen::Vector3d kPoint(0.3, -0.2, 0.5);

struct Jacobians {
  Eigen::MatrixXd J, Jdot;
};

Jacobians CalcJacobians(const Case& c, const Model::NamedFrame& frame,
                        Workspace<double>& workspace) {
  const Eigen::MatrixXd unset = Eigen::MatrixXd::Constant(6, c.spec.nv, NAN);
  Jacobians out{unset, unset};
  CalcFrameJacobian(c.model, {frame, kPoint}, workspace, out.J);
  CalcFrameJacobianDerivative(c.model, {frame, kPoint}, workspace, out.Jdot);
  return out;
}

/// [J_ω; J_p] of the point, from the oracle's poses and Jacobians about the world's origin.
Eigen::MatrixXd SlowJacobian(const TreeSpec& spec, const Eigen::VectorXd& q, size_t b) {
  const SlowBody body = SlowBodies(spec, q)[b];
  const Eigen::Vector3d p = body.X_WB.R * kPoint + body.X_WB.p;
  Eigen::MatrixXd J = body.J;
  J.bottomRows<3>() -= Skew<double>(p) * body.J.topRows<3>();
  return J;
}

class JacobianLaws : public testing::TestWithParam<unsigned> {
 protected:
  JacobianLaws() : c_(MakeCase(GetParam())), workspace_(c_.model) {
    UpdateKinematics(c_.model, c_.q, c_.v, workspace_);
  }
  Case c_;
  Workspace<double> workspace_;
};

TEST_P(JacobianLaws, PosesAndJacobiansAreTheOracles) {
  const std::vector<SlowBody> bodies = SlowBodies(c_.spec, c_.q);
  for (size_t b = 0; b < bodies.size(); ++b) {
    const Model::NamedFrame& frame = c_.model.frames()[b];
    SCOPED_TRACE(frame.name);
    const Pose X = CalcFramePose(c_.model, frame, workspace_);
    EXPECT_LE(RelativeError(X.R, bodies[b].X_WB.R), kExact);
    EXPECT_LE(RelativeError(X.p, bodies[b].X_WB.p), kExact);
    EXPECT_LE(RelativeError(CalcJacobians(c_, frame, workspace_).J, SlowJacobian(c_.spec, c_.q, b)),
              kExact);
  }
}

TEST_P(JacobianLaws, RatesAreTheDifferencesAlongTheMotion) {
  for (size_t b = 0; b < c_.spec.bodies.size(); ++b) {
    const Model::NamedFrame& frame = c_.model.frames()[b];
    SCOPED_TRACE(frame.name);
    const Eigen::MatrixXd expected = SlowRate(
        c_.spec, c_.q, c_.v,
        [&](const Eigen::VectorXd& q) -> Eigen::MatrixXd { return SlowJacobian(c_.spec, q, b); });
    EXPECT_LE(RelativeError(CalcJacobians(c_, frame, workspace_).Jdot, expected), kDifferences);
  }
}

TEST_P(JacobianLaws, ProductsAreThoseOfTheMatrices) {
  for (const Model::NamedFrame& frame : c_.model.frames()) {
    SCOPED_TRACE(frame.name);
    const Jacobians matrices = CalcJacobians(c_, frame, workspace_);
    EXPECT_LE(RelativeError(CalcFrameVelocity(c_.model, {frame, kPoint}, workspace_),
                            Vector6d(matrices.J * c_.v)),
              kExact);
    EXPECT_LE(RelativeError(CalcFrameBiasAcceleration(c_.model, {frame, kPoint}, workspace_),
                            Vector6d(matrices.Jdot * c_.v)),
              kExact);
  }
}

TEST_P(JacobianLaws, FloatKeepsItsDigits) {
  Workspace<float> workspace(c_.model);
  UpdateKinematics(c_.model, c_.q.cast<float>(), c_.v.cast<float>(), workspace);
  for (const Model::NamedFrame& frame : c_.model.frames()) {
    const Jacobians expected = CalcJacobians(c_, frame, workspace_);
    Eigen::MatrixXf J(6, c_.spec.nv);
    CalcFrameJacobian(c_.model, {frame, kPoint}, workspace, J);
    EXPECT_LE(RelativeError(J.cast<double>(), expected.J), 1e-5);
    CalcFrameJacobianDerivative(c_.model, {frame, kPoint}, workspace, J);
    EXPECT_LE(RelativeError(J.cast<double>(), expected.Jdot), 1e-5);
  }
}

/// After UpdateKinematics a frame's functions compute the bodies on its path alone: in whatever
/// order they are called, and with functions of all bodies between them, they give the same bits.
TEST_P(JacobianLaws, PathsAloneGiveTheSame) {
  const Eigen::VectorXd other_q = c_.model.DefaultPosition(), other_v = -c_.v;
  Workspace<double> bare(c_.model);
  const auto& frames = c_.model.frames();
  for (const bool is_second : {false, true}) {
    const Eigen::VectorXd &q = is_second ? other_q : c_.q, &v = is_second ? other_v : c_.v;
    Workspace<double> whole(c_.model);
    UpdateKinematics(c_.model, q, v, whole);
    UpdateKinematics(c_.model, q, v, bare);
    (void)whole.kinematics(c_.model);
    for (size_t f = frames.size(); f-- > 0;) {
      SCOPED_TRACE(frames[f].name);
      // Poses alone come before the rest, of a path, and half way through of all bodies.
      if (f % 2 == 0) (void)CalcFramePose(c_.model, frames[f], bare);
      if (!is_second && f == frames.size() / 2) {
        EXPECT_EQ(CalcCenterOfMass(c_.model, bare), CalcCenterOfMass(c_.model, whole));
        EXPECT_EQ(CalcPotentialEnergy(c_.model, bare), CalcPotentialEnergy(c_.model, whole));
      }
      const Jacobians expected = CalcJacobians(c_, frames[f], whole);
      const Jacobians found = CalcJacobians(c_, frames[f], bare);
      EXPECT_EQ(found.J, expected.J);
      EXPECT_EQ(found.Jdot, expected.Jdot);
      EXPECT_EQ(CalcFramePose(c_.model, frames[f], bare).p,
                CalcFramePose(c_.model, frames[f], whole).p);
      EXPECT_EQ(CalcFrameVelocity(c_.model, {frames[f], kPoint}, bare),
                CalcFrameVelocity(c_.model, {frames[f], kPoint}, whole));
      Eigen::MatrixXd relative[2] = {Eigen::MatrixXd(6, c_.spec.nv),
                                     Eigen::MatrixXd(6, c_.spec.nv)};
      Eigen::MatrixXd rates[2][3];
      for (const bool is_bare : {false, true}) {
        Workspace<double>& w = is_bare ? bare : whole;
        CalcRelativeJacobianDerivative<double>(c_.model, frames[f / 2], {frames[f], kPoint},
                                               ReferenceFrame::kLocal, w, relative[is_bare]);
        for (Eigen::MatrixXd& each : rates[is_bare]) each.resize(6, c_.spec.nv);
        auto& [by_q, by_v, by_vdot] = rates[is_bare];
        CalcFrameAccelerationDerivatives<double>(
            c_.model, {frames[f], kPoint}, ReferenceFrame::kWorld, c_.v, w, by_q, by_v, by_vdot);
      }
      EXPECT_EQ(relative[1], relative[0]);
      for (int i = 0; i < 3; ++i) EXPECT_EQ(rates[1][i], rates[0][i]);
      // All bodies at once, half way through.
      if (is_second && f == frames.size() / 2) {
        EXPECT_EQ(CalcKineticEnergy(c_.model, bare), CalcKineticEnergy(c_.model, whole));
        (void)bare.kinematics(c_.model);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, JacobianLaws, testing::Range(0u, Seeds(30)));

// For a point fixed in the world, Φ̇_k alone, the rate differs.
TEST(JacobianRates, TheMotionOfThePointIsSeen) {
  int seen = 0;
  for (unsigned seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = MakeCase(seed);
    const size_t b = c.spec.bodies.size() - 1;
    const Model::NamedFrame& frame = c.model.frames()[b];
    Workspace<double> workspace(c.model);
    UpdateKinematics(c.model, c.q, c.v, workspace);
    const Jacobians ours = CalcJacobians(c, frame, workspace);
    const Vector6d velocity = CalcFrameVelocity(c.model, {frame, kPoint}, workspace);
    Eigen::MatrixXd wrong = ours.Jdot;
    wrong.bottomRows<3>() += Skew<double>(velocity.tail<3>()) * ours.J.topRows<3>();
    const Eigen::MatrixXd expected = SlowRate(
        c.spec, c.q, c.v,
        [&](const Eigen::VectorXd& q) -> Eigen::MatrixXd { return SlowJacobian(c.spec, q, b); });
    seen += RelativeError(wrong, expected) > 1e-2 ? 1 : 0;
  }
  EXPECT_GE(seen, 7);
}

TEST(JacobianContracts, StageSizeAndFrame) {
  const Case c = MakeCase(1);
  const Model::NamedFrame& frame = c.model.frames().front();
  Workspace<double> workspace(c.model);
  Eigen::MatrixXd J(6, c.spec.nv), narrow(6, c.spec.nv - 1);
  EXPECT_THROW(CalcFrameJacobian(c.model, {frame, kPoint}, workspace, J), ContractError);
  UpdateKinematics(c.model, c.q, workspace);
  EXPECT_NO_THROW(CalcFrameJacobian(c.model, {frame, kPoint}, workspace, J));
  EXPECT_THROW(CalcFrameJacobianDerivative(c.model, {frame, kPoint}, workspace, J), ContractError);
  EXPECT_THROW(CalcFrameJacobian(c.model, {frame, kPoint}, workspace, narrow), ContractError);
  EXPECT_THROW(CalcFramePose(c.model, {"elsewhere", c.model.num_bodies(), {}}, workspace),
               ContractError);
}

}  // namespace jacobian_laws_test
}  // namespace civita
