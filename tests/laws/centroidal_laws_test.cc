// Centre of mass and centroidal momentum: against sums over the oracle's bodies, differences along
// the motion, and the laws of Newton and Euler for floating mechanisms.

#include "civita/centroidal.h"
#include "civita/error.h"
#include "civita/forward_dynamics.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/seeds.h"
#include "tests/oracles/slow_dynamics.h"

namespace civita {
namespace centroidal_laws_test {

constexpr double kExact = 1e-13;
constexpr double kDifferences = 1e-9;

using Vector6d = Vector6<double>;

/// All results at one state.
struct Whole {
  Eigen::Vector3d com;
  Eigen::MatrixXd J, Jdot, A, Adot;
  Vector6d momentum, bias;
};

Whole CalcWhole(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, v, workspace);
  Whole out;
  out.J = out.Jdot = Eigen::MatrixXd::Constant(3, model.nv(), NAN);
  out.A = out.Adot = Eigen::MatrixXd::Constant(6, model.nv(), NAN);
  out.com = CalcCenterOfMass(model, workspace);
  CalcCenterOfMassJacobian(model, workspace, out.J);
  CalcCenterOfMassJacobianDerivative(model, workspace, out.Jdot);
  CalcCentroidalMomentumMatrix(model, workspace, out.A);
  CalcCentroidalMomentumMatrixDerivative(model, workspace, out.Adot);
  out.momentum = CalcCentroidalMomentum(model, workspace);
  out.bias = out.Adot * v;
  return out;
}

/// Centre of mass and A_G body by body, with each body's rotational inertia about its own centre
/// of mass, without spatial algebra.
struct SlowWhole {
  double mass = 0;
  Eigen::Vector3d com = Eigen::Vector3d::Zero();
  Eigen::MatrixXd A;
};

SlowWhole CalcSlowWhole(const TreeSpec& spec, const Eigen::VectorXd& q) {
  SlowWhole out;
  out.A = Eigen::MatrixXd::Zero(6, spec.nv);
  const std::vector<SlowBody> bodies = SlowBodies(spec, q);
  const auto center = [&](size_t b) -> Eigen::Vector3d {
    return bodies[b].X_WB.R * spec.bodies[b].mass.com + bodies[b].X_WB.p;
  };
  const auto moves = [&](size_t b) { return !bodies[b].J.isZero(0); };
  for (size_t b = 0; b < bodies.size(); ++b) {
    if (!moves(b)) continue;
    out.mass += spec.bodies[b].mass.mass;
    out.com += spec.bodies[b].mass.mass * center(b);
  }
  out.com /= out.mass;
  for (size_t b = 0; b < bodies.size(); ++b) {
    if (!moves(b)) continue;
    const MassProperties& mass = spec.bodies[b].mass;
    const Eigen::Matrix3d& R = bodies[b].X_WB.R;
    const Eigen::MatrixXd angular = bodies[b].J.topRows<3>();
    const Eigen::MatrixXd linear = bodies[b].J.bottomRows<3>() - Skew<double>(center(b)) * angular;
    out.A.topRows<3>() += R * mass.inertia * R.transpose() * angular +
                          mass.mass * Skew<double>(center(b) - out.com) * linear;
    out.A.bottomRows<3>() += mass.mass * linear;
  }
  return out;
}

class CentroidalLaws : public testing::TestWithParam<unsigned> {
 protected:
  CentroidalLaws() : c_(MakeCase(GetParam())), whole_(CalcWhole(c_.model, c_.q, c_.v)) {}
  Case c_;
  Whole whole_;
};

TEST_P(CentroidalLaws, IsTheSumOverBodies) {
  const SlowWhole expected = CalcSlowWhole(c_.spec, c_.q);
  EXPECT_LE(RelativeError(CalcTotalMass(c_.model), expected.mass), kExact);
  EXPECT_LE(RelativeError(whole_.com, expected.com), kExact);
  EXPECT_LE(RelativeError(whole_.A, expected.A), kExact);
  EXPECT_LE(RelativeError(whole_.momentum, Vector6d(expected.A * c_.v)), kExact);
  EXPECT_LE(RelativeError(whole_.J * expected.mass, expected.A.bottomRows<3>()), kExact);
}

TEST_P(CentroidalLaws, RatesAreTheDifferencesAlongTheMotion) {
  const auto rate = [&](auto&& f) { return SlowRate(c_.spec, c_.q, c_.v, f); };
  EXPECT_LE(RelativeError(whole_.J * c_.v, rate([&](const Eigen::VectorXd& q) {
                            return CalcSlowWhole(c_.spec, q).com;
                          })),
            kDifferences);
  const Eigen::MatrixXd Adot =
      rate([&](const Eigen::VectorXd& q) { return CalcSlowWhole(c_.spec, q).A; });
  EXPECT_LE(RelativeError(whole_.Adot, Adot), kDifferences);
  EXPECT_LE(RelativeError(whole_.Jdot, Adot.bottomRows<3>() / CalcTotalMass(c_.model)),
            kDifferences);
  EXPECT_LE(RelativeError(whole_.Jdot * CalcTotalMass(c_.model), whole_.Adot.bottomRows<3>()),
            kExact);
}

TEST_P(CentroidalLaws, FloatKeepsItsDigits) {
  Workspace<float> workspace(c_.model);
  UpdateKinematics(c_.model, c_.q.cast<float>(), c_.v.cast<float>(), workspace);
  Eigen::MatrixXf A(6, c_.spec.nv), Adot(6, c_.spec.nv), Jdot(3, c_.spec.nv);
  CalcCentroidalMomentumMatrix(c_.model, workspace, A);
  CalcCentroidalMomentumMatrixDerivative(c_.model, workspace, Adot);
  CalcCenterOfMassJacobianDerivative(c_.model, workspace, Jdot);
  EXPECT_LE(RelativeError(A.cast<double>(), whole_.A), 1e-5);
  EXPECT_LE(RelativeError(Jdot.cast<double>(), whole_.Jdot), 1e-5);
  EXPECT_LE(RelativeError(Adot.cast<double>(), whole_.Adot), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Seeds, CentroidalLaws, testing::Range(0u, Seeds(40)));

/// A tree with free bodies at all roots and any joints between the others, where armature acts
/// like a motor's torque between two bodies.
TreeSpec FloatingTree(unsigned seed) {
  TreeSpec random = RandomTree(seed, {.bodies = 6});
  TreeSpec spec;
  spec.gravity = random.gravity;
  for (size_t b = 0; b < random.bodies.size(); ++b) {
    const TreeSpec::Body& body = random.bodies[b];
    spec.AddBody(body.name, body.parent, body.X_PB, body.mass);
    if (body.parent < 0) {
      spec.AddJoint(static_cast<int>(b), JointType::kFree, {.name = "free" + body.name});
      continue;
    }
    for (const TreeSpec::Joint& joint : body.joints) {
      spec.AddJoint(static_cast<int>(b), joint.type, joint.properties);
    }
  }
  return spec;
}

/// ḣ_G of a floating mechanism, whatever forces act in its joints.
Vector6d FloatingRate(const TreeSpec& spec, unsigned seed) {
  const Model model = BuildTree(spec);
  std::mt19937 random(seed);
  const Eigen::VectorXd q = RandomPosition(spec, &random);
  const Eigen::VectorXd v = RandomVector(spec.nv, &random);
  Eigen::VectorXd tau = 10 * RandomVector(spec.nv, &random), vdot(spec.nv);
  for (const TreeSpec::Body& body : spec.bodies) {
    for (const TreeSpec::Joint& joint : body.joints) {
      if (joint.type == JointType::kFree) tau.segment<6>(joint.iv).setZero();
    }
  }
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, v, workspace);
  CalcForwardDynamics(model, tau, workspace, vdot);
  const Whole whole = CalcWhole(model, q, v);
  EXPECT_GT(whole.bias.cwiseAbs().maxCoeff(), 1e-2);
  return whole.A * vdot + whole.bias;
}

TEST(CentroidalMomentum, OnlyGravityChangesItWhereNothingTouchesTheWorld) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TreeSpec spec = FloatingTree(seed);
    Vector6d weight = Vector6d::Zero();
    weight.tail<3>() = CalcTotalMass(BuildTree(spec)) * spec.gravity;
    EXPECT_LE(RelativeError(FloatingRate(spec, seed), weight), 1e-10);
    spec.gravity.setZero();
    EXPECT_LE(FloatingRate(spec, seed).cwiseAbs().maxCoeff(), 1e-9);
  }
}

// Shows that the law can fail: armature between the world and a free body exerts a force from the
// world.
TEST(CentroidalMomentum, AHoldOnTheWorldIsSeen) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TreeSpec spec = FloatingTree(seed);
    spec.gravity.setZero();
    spec.bodies.front().joints.front().properties.armature = 1;
    EXPECT_GT(FloatingRate(spec, seed).cwiseAbs().maxCoeff(), 1e-3);
  }
}

TEST(CentroidalMomentum, FarFromTheOriginDigitsAreKept) {
  const TreeSpec spec = FloatingTree(1);
  const Model model = BuildTree(spec);
  std::mt19937 random(1);
  const Eigen::VectorXd q = RandomPosition(spec, &random);
  const Eigen::VectorXd v = RandomVector(spec.nv, &random);
  Eigen::VectorXd far = q;
  const Eigen::Vector3d shift(5e3, -7e3, 1e3);
  for (const TreeSpec::Body& body : spec.bodies) {
    if (body.parent < 0) far.segment<3>(body.joints.front().iq) += shift;
  }
  const Whole a = CalcWhole(model, q, v), b = CalcWhole(model, far, v);
  EXPECT_LE(RelativeError(b.com, a.com + shift), kExact);
  EXPECT_LE(RelativeError(b.A, a.A), 1e-11);
  EXPECT_LE(RelativeError(b.Adot, a.Adot), 1e-11);
  EXPECT_LE(RelativeError(b.bias, a.bias), 1e-11);
}

TEST(CentroidalMomentum, Contracts) {
  const Case c = MakeCase(1);
  Workspace<double> workspace(c.model);
  EXPECT_THROW((void)CalcCenterOfMass(c.model, workspace), ContractError);
  UpdateKinematics(c.model, c.q, workspace);
  EXPECT_THROW((void)CalcCentroidalMomentum(c.model, workspace), ContractError);
  Eigen::MatrixXd J(6, c.spec.nv);
  EXPECT_THROW(CalcCenterOfMassJacobian(c.model, workspace, J), ContractError);

  ModelBuilder builder;
  const int body = builder.AddBody("massless", ModelBuilder::kWorld, {}, {});
  builder.AddJoint(body, JointType::kHinge, {.name = "hinge", .armature = 1});
  const Model massless = builder.Build();
  Workspace<double> other(massless);
  UpdateKinematics(massless, Eigen::VectorXd::Zero(1), other);
  EXPECT_THROW((void)CalcCenterOfMass(massless, other), ContractError);
}

}  // namespace centroidal_laws_test
}  // namespace civita
