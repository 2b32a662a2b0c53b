// The core's results for random mechanisms against MuJoCo's.

#include "civita/centroidal.h"
#include "civita/dynamics_derivatives.h"
#include "civita/forward_dynamics.h"
#include "civita/frame_motion.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/linear.h"
#include "tests/oracles/mujoco/mujoco_tree.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/seeds.h"
#include "tests/oracles/slow_dynamics.h"

namespace civita {
namespace mujoco_laws_test {

constexpr double kTolerance = 1e-12;

/// A mechanism that MuJoCo supports, with its state.
class MujocoLaws : public testing::TestWithParam<unsigned> {
 protected:
  MujocoLaws()
      : c_(MakeCase(GetParam(), {.helical = false})), workspace_(c_.model), random_(GetParam()) {
    UpdateKinematics(c_.model, c_.q, c_.v, workspace_);
  }
  int nv() const { return c_.model.nv(); }

  Case c_;
  Workspace<double> workspace_;
  std::mt19937 random_;
};

TEST_P(MujocoLaws, CentroidalMomentum) {
  // MuJoCo includes bodies that are fixed to the world.
  TreeSpec spec = c_.spec;
  const std::vector<SlowBody> bodies = SlowBodies(spec, c_.q);
  for (size_t b = 0; b < bodies.size(); ++b) {
    if (bodies[b].J.isZero(0)) spec.bodies[b].mass = {};
  }
  const MujocoTree tree = LoadInMujoco(spec);
  CalcMujocoDynamics(tree, c_.q, c_.v);
  const mjData* d = tree.data.get();
  mj_subtreeVel(tree.model.get(), tree.data.get());
  using Map3 = Eigen::Map<const Eigen::Vector3d>;
  const double mass = CalcTotalMass(c_.model);
  const Eigen::Vector3d com = CalcCenterOfMass(c_.model, workspace_);
  const Vector6<double> momentum = CalcCentroidalMomentum(c_.model, workspace_);
  EXPECT_LE(RelativeError(mass, tree.model->body_subtreemass[0]), kTolerance);
  EXPECT_LE(RelativeError(com, Map3(d->subtree_com)), kTolerance);
  EXPECT_LE(RelativeError(momentum.tail<3>(), mass * Map3(d->subtree_linvel)), kTolerance);
  EXPECT_LE(RelativeError(momentum.head<3>(), Map3(d->subtree_angmom)), kTolerance);
}

TEST_P(MujocoLaws, FrameJacobians) {
  const Eigen::Vector3d point(0.3, -0.2, 0.5);
  const MujocoTree tree = LoadInMujoco(c_.spec);
  CalcMujocoDynamics(tree, c_.q, c_.v);
  const mjModel* m = tree.model.get();
  using RowMajor = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>;
  for (const Model::NamedFrame& frame : c_.model.frames()) {
    SCOPED_TRACE(frame.name);
    const int body = mj_name2id(m, mjOBJ_BODY, frame.name.c_str());
    const Pose X = CalcFramePose(c_.model, frame, workspace_);
    const Eigen::Vector3d p = X.R * point + X.p;
    const auto stacked = [&](auto&& mujoco) {
      RowMajor linear(3, m->nv), angular(3, m->nv);
      mujoco(m, tree.data.get(), linear.data(), angular.data(), p.data(), body);
      Eigen::MatrixXd J(6, m->nv);
      J << angular, linear;
      return Eigen::MatrixXd(J(Eigen::all, tree.v_of));
    };
    Eigen::MatrixXd J = Eigen::MatrixXd::Constant(6, nv(), NAN);
    Eigen::MatrixXd Jdot = J;
    CalcFrameJacobian(c_.model, {frame, point}, workspace_, J);
    CalcFrameJacobianDerivative(c_.model, {frame, point}, workspace_, Jdot);
    EXPECT_LE(RelativeError(J, stacked(mj_jac)), kTolerance);
    EXPECT_LE(RelativeError(Jdot, stacked(mj_jacDot)), kTolerance);
  }
}

TEST_P(MujocoLaws, ForwardDynamicsWithExternalForces) {
  // Solutions lose as many digits as H's condition number has.
  const Eigen::VectorXd eigenvalues = linear::SymmetricEigenvalues(SlowMassMatrix(c_.spec, c_.q));
  const double tolerance = 2e-15 * eigenvalues.maxCoeff() / eigenvalues.minCoeff();
  const Eigen::VectorXd tau = 10 * RandomVector(nv(), &random_);
  const MujocoTree tree = LoadInMujoco(c_.spec);
  tree.model->opt.disableflags |= mjDSBL_CONSTRAINT;
  mjData* d = tree.data.get();
  Eigen::Map<Eigen::VectorXd>(d->qfrc_applied, nv()) = tree.ToQvel(tau);
  std::vector<ExternalForce<double>> forces;
  for (size_t b = 0; b < c_.spec.bodies.size(); ++b) {
    const Model::NamedFrame& frame = c_.model.frames()[b];
    forces.push_back({.body = frame.body,
                      .point = frame.X_BF.R * c_.spec.bodies[b].mass.com + frame.X_BF.p,
                      .moment = RandomVector(3, &random_),
                      .force = 5 * RandomVector(3, &random_)});
    const int body = mj_name2id(tree.model.get(), mjOBJ_BODY, c_.spec.bodies[b].name.c_str());
    Eigen::Map<Vector6<double>>(d->xfrc_applied + 6 * body) << forces.back().force,
        forces.back().moment;
  }
  CalcMujocoDynamics(tree, c_.q, c_.v);
  const Eigen::VectorXd expected =
      tree.FromQvel(Eigen::VectorXd(Eigen::Map<Eigen::VectorXd>(d->qacc, nv())));

  Eigen::VectorXd vdot = Eigen::VectorXd::Constant(nv(), NAN);
  CalcForwardDynamics(c_.model, tau, workspace_, vdot, forces);
  EXPECT_LE(RelativeError(vdot, expected), tolerance);
  MassMatrixCholesky<double> factor(c_.model);
  vdot.setConstant(NAN);
  EXPECT_TRUE(CalcForwardDynamics(c_.model, tau, workspace_, factor, vdot, forces));
  EXPECT_LE(RelativeError(vdot, expected), tolerance);
}

/// MuJoCo uses one-sided differences.
TEST_P(MujocoLaws, InverseDynamicsDerivatives) {
  const Eigen::VectorXd vdot = RandomVector(nv(), &random_);
  const MujocoTree tree = LoadInMujoco(c_.spec);
  CalcMujocoDynamics(tree, c_.q, c_.v);
  const Eigen::VectorXd qacc = tree.ToQvel(vdot);
  std::copy(qacc.begin(), qacc.end(), tree.data->qacc);
  const Eigen::MatrixXd unset = Eigen::MatrixXd::Constant(nv(), nv(), NAN);
  // By row, the effect of a coordinate: columns in Eigen's order.
  Eigen::MatrixXd mujoco_by_q = unset, mujoco_by_v = unset, mujoco_by_vdot = unset;
  mjd_inverseFD(tree.model.get(), tree.data.get(), 1e-7, false, mujoco_by_q.data(),
                mujoco_by_v.data(), mujoco_by_vdot.data(), nullptr, nullptr, nullptr, nullptr);
  Eigen::MatrixXd by_q = unset, by_v = unset, H = unset;
  CalcInverseDynamicsDerivatives(c_.model, vdot, workspace_, by_q, by_v, H);
  EXPECT_LE(RelativeError(by_q, tree.FromQvel(mujoco_by_q)), 1e-6);
  EXPECT_LE(RelativeError(by_v, tree.FromQvel(mujoco_by_v)), 1e-6);
  EXPECT_LE(RelativeError(H, tree.FromQvel(mujoco_by_vdot)), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Seeds, MujocoLaws, testing::Range(0u, Seeds(40)));

}  // namespace mujoco_laws_test
}  // namespace civita
