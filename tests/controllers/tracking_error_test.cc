#include "civita/controllers/tracking_error.h"

#include "civita/manifold.h"
#include "gtest/gtest.h"
#include "tests/controllers/closed_loop.h"
#include "tests/oracles/compare.h"

namespace civita {
namespace tracking_error_test {

class TrackingErrorTest : public testing::TestWithParam<unsigned> {
 protected:
  TrackingErrorTest() : c_(MakeControlCase(GetParam())), error_(c_.model.nv()) {
    CalcTrackingError(c_.model, c_.q, c_.v, c_.reference, error_);
  }

  /// The error at time t along the motions of both.
  TrackingError At(double t) const {
    TrackingError error(c_.model.nv());
    const ReferenceState reference{SlowIntegrate(c_.spec, c_.reference.q, c_.reference.v, t),
                                   c_.reference.v + t * c_.reference.vdot, c_.reference.vdot};
    CalcTrackingError(c_.model, SlowIntegrate(c_.spec, c_.q, c_.v, t), c_.v, reference, error);
    return error;
  }

  template <typename F>
  Eigen::VectorXd Rate(F&& member) const {
    const double h = 1e-3;
    return (8 * (member(At(h)) - member(At(-h))) - (member(At(2 * h)) - member(At(-2 * h)))) /
           (12 * h);
  }

  ControlCase c_;
  TrackingError error_;
};

TEST_P(TrackingErrorTest, ErrorIsTheDifferenceOnTheManifold) {
  Eigen::VectorXd e(c_.model.nv());
  DifferencePosition(c_.model, c_.q, c_.reference.q, e);
  EXPECT_LE(RelativeError(error_.e, e), 1e-14);
}

TEST_P(TrackingErrorTest, EdotIsTheRateOfE) {
  // Near half a turn the logarithm is strongly nonlinear, and differences are inaccurate.
  const Eigen::VectorXd rate = Rate([](const TrackingError& error) { return error.e; });
  EXPECT_LE(RelativeError(error_.edot, rate), 1e-8);
}

TEST_P(TrackingErrorTest, VdotOfTheReferenceIsTheRateOfTheCarriedVelocity) {
  const Eigen::VectorXd rate = Rate([](const TrackingError& error) { return error.v_d; });
  EXPECT_LE(RelativeError(error_.vdot_d, rate), 1e-9);
}

TEST_P(TrackingErrorTest, TheCarriedVelocityMovesTheErrorAsTheReferenceDoes) {
  // With the reference frozen and v = −v_d carried, e changes as with v = 0 and a moving
  // reference.
  TrackingError moving(c_.model.nv()), frozen(c_.model.nv());
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(c_.model.nv());
  CalcTrackingError(c_.model, c_.q, zero, c_.reference, moving);
  CalcTrackingError(c_.model, c_.q, -error_.v_d, {c_.reference.q, zero, zero}, frozen);
  EXPECT_LE(RelativeError(moving.edot, frozen.edot), 1e-13);
}

TEST_P(TrackingErrorTest, ErrorForceHasThePowerOfItsPotential) {
  std::mt19937 random(GetParam());
  const Eigen::VectorXd p = RandomVector(c_.model.nv(), &random);
  Eigen::VectorXd force(c_.model.nv());
  CalcErrorForce(c_.model, error_.e, p, force);
  EXPECT_LE(RelativeError(force.dot(c_.v - error_.v_d), p.dot(error_.edot)), 1e-13);
}

TEST_P(TrackingErrorTest, QuaternionsNeedNoUnitLength) {
  ControlCase scaled = c_;
  for (const Model::NamedJoint& joint : c_.model.joints()) {
    const int rotation = RotationOffset(joint.type);
    if (rotation < 0) continue;
    const int iq = joint.iq + rotation;
    scaled.q.segment<4>(iq) *= -2;
    scaled.reference.q.segment<4>(iq) *= 0.3;
  }
  TrackingError error(c_.model.nv());
  CalcTrackingError(c_.model, scaled.q, scaled.v, scaled.reference, error);
  EXPECT_LE(RelativeError(error.e, error_.e), 1e-13);
  EXPECT_LE(RelativeError(error.vdot_d, error_.vdot_d), 1e-13);
}

TEST_P(TrackingErrorTest, OnTheReferenceNothingIsLeft) {
  CalcTrackingError(c_.model, c_.reference.q, c_.reference.v, c_.reference, error_);
  EXPECT_LE(error_.e.cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_LE(error_.edot.cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LE(RelativeError(error_.v_d, c_.reference.v), 1e-14);
  EXPECT_LE(RelativeError(error_.vdot_d, c_.reference.vdot), 1e-14);
}

INSTANTIATE_TEST_SUITE_P(Seeds, TrackingErrorTest, testing::Range(0u, 30u));

}  // namespace tracking_error_test
}  // namespace civita
