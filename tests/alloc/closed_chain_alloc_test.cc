#include <gtest/gtest.h>

#include "civita/centroidal.h"
#include "civita/christoffel.h"
#include "civita/com_decoupled.h"
#include "civita/constrained_dynamics.h"
#include "civita/coriolis.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "civita/mujoco/constraints.h"
#include "civita/regressor.h"
#include "civita/space_derivatives.h"
#include "civita/space_dynamics.h"
#include "civita/space_motion.h"
#include "civita/task_space.h"
#include "tests/alloc/malloc_counter.h"
#include "tests/oracles/mujoco/closed_chain.h"
#include "tests/oracles/random_model.h"

namespace civita {
namespace closed_chain_alloc_test {

TEST(ClosedChains, AllocateNothing) {
  for (const std::string& name : ClosedChainNames()) {
    SCOPED_TRACE(name);
    const ClosedChain chain = LoadClosedChain(CIVITA_TEST_DATA_DIR "/closed", name);
    const VelocitySpace& model = *chain.model;
    const int nw = model.nw(), nv = model.nv();
    std::mt19937 random(1);
    Eigen::VectorXd q = RandomClosedPosition(model, &random);
    const Eigen::VectorXd w = RandomVector(nw, &random);
    const Eigen::VectorXd tau = RandomVector(nv, &random);
    Eigen::VectorXd tau_w(nw), v(nv);
    Eigen::MatrixXd H(nw, nw), C(nw, nw);
    std::vector<double> tree(ChristoffelIndex(nv, 0, 0, nv)), Gamma(ChristoffelIndex(nw, 0, 0, nw));
    SpaceWorkspace<double> workspace(model);

    const MallocCounter counter;
    EXPECT_TRUE(CloseLoops(model, workspace, q).ok());
    EXPECT_TRUE(UpdateKinematics(model, q, w, workspace).ok());
    CalcCoriolisMatrix(model, {}, workspace, {.C = C, .H = H});
    CalcMassMatrix(model, workspace, H);
    CalcChristoffelSymbols<double>(model, workspace, tree, Gamma);
    CalcGravityForces(model, workspace, tau_w);
    CalcBiasForces(model, workspace, tau_w);
    CalcInverseDynamics(model, w, workspace, tau_w);
    CalcPassivityInverseDynamics(model, {}, w, w, workspace, tau_w);
    CalcReducedForces(model, tau, workspace, tau_w);
    CalcTreeVelocity(model, w, workspace, v);
    CalcTreeAcceleration(model, w, w, workspace, v);
    EXPECT_EQ(counter.count(), 0);
  }
}

TEST(ClosedChains, AllocateNothingForMotionAndDerivatives) {
  for (const std::string& name : ClosedChainNames()) {
    SCOPED_TRACE(name);
    const ClosedChain chain = LoadClosedChain(CIVITA_TEST_DATA_DIR "/closed", name);
    const VelocitySpace& model = *chain.model;
    const int nw = model.nw(), nv = model.nv();
    const std::vector<Model::NamedFrame> frames = BodyFrames(model.tree());
    const auto np = kNumBodyParameters * static_cast<Eigen::Index>(frames.size());
    const Model::NamedFrame& frame = model.tree().frames().back();
    const Eigen::Vector3d point(0.1, 0, 0);
    std::mt19937 random(1);
    const Eigen::VectorXd q = RandomClosedPosition(model, &random);
    const Eigen::VectorXd w = RandomVector(nw, &random), tau = RandomVector(nv, &random);
    const ExternalForce<double> force = ForceOnFrame(frame, point, {1, 2, 3}, {4, 5, 6});
    const ExternalForces<double> forces(&force, 1);
    Eigen::VectorXd x(nw);
    Eigen::MatrixXd a(nw, nw), b(nw, nw), c(nw, nw), J(6, nw), K(6, nw), L(6, nw), M(nv, nw),
        N(nv, nw), O(nv, nw), tree_Y(nv, np), Y(nw, np);
    SpaceWorkspace<double> workspace(model);
    ASSERT_TRUE(UpdateKinematics(model, q, w, workspace).ok());
    ConstrainedDynamics constrained(model.tree(), ReadConstraints(*chain.mj, model.tree()), q);
    Eigen::VectorXd vdot(nv), lambda(constrained.num_rows());

    const MallocCounter counter;
    (void)constrained.Update(workspace.tree());
    (void)constrained.CalcForwardDynamics(tau, workspace.tree(), vdot, lambda);
    CalcMassMatrixDerivative(model, workspace, a);
    CalcInverseDynamics(model, w, workspace, x, forces);
    EXPECT_TRUE(CalcForwardDynamics(model, w, workspace, x, forces));
    CalcGeneralizedForces(model, forces, workspace, x);
    CalcCoriolisProduct(model, {}, w, workspace, x);
    CalcCoriolisTransposeProduct(model, {}, w, workspace, x);
    CalcRegressor(model, {}, frames, w, w, workspace, tree_Y, Y, x);
    EXPECT_TRUE(CalcForwardDynamicsParameterDerivatives(model, frames, w, workspace, tree_Y, Y));
    for (const ReferenceFrame reference : {ReferenceFrame::kLocal, ReferenceFrame::kWorld}) {
      CalcFrameJacobian(model, {frame, point}, reference, workspace, J);
      CalcFrameJacobianDerivative(model, {frame, point}, reference, workspace, J);
      CalcRelativeJacobian(model, frame, {frame, point}, reference, workspace, J);
      CalcRelativeJacobianDerivative(model, frame, {frame, point}, reference, workspace, J);
      CalcFrameAcceleration(model, {frame, point}, reference, w, workspace);
      CalcFrameVelocityDerivatives(model, {frame, point}, reference, workspace, J, K);
      CalcFrameAccelerationDerivatives(model, {frame, point}, reference, w, workspace, J, K, L);
      CalcFrameClassicalAccelerationDerivatives(model, {frame, point}, reference, w, workspace, J,
                                                K, L);
    }
    CalcCenterOfMassJacobian(model, workspace, J.topRows(3));
    CalcCenterOfMassJacobianDerivative(model, workspace, J.topRows(3));
    CalcCentroidalMomentumMatrix(model, workspace, J);
    CalcCentroidalMomentumMatrixDerivative(model, workspace, J);
    CalcCentroidalMomentumDerivatives(model, workspace, J, K);
    CalcCentroidalMomentumRateDerivatives(model, w, workspace, J, K, L);
    CalcTreeMotionDerivatives(model, w, workspace, M, N, O);
    CalcReducedForcesDerivative(model, tau, workspace, a);
    CalcInverseDynamicsDerivatives(model, w, workspace, a, b, c, forces);
    EXPECT_TRUE(CalcForwardDynamicsDerivatives(model, w, workspace, a, b, c, forces));
    CalcPassivityInverseDynamicsDerivatives(model, {}, w, w, workspace, a, b);
    CalcCoriolisProductDerivatives(model, {}, w, workspace, a, b);
    EXPECT_EQ(counter.count(), 0);
  }
}

TEST(ChangesOfCoordinates, AllocateNothing) {
  const ClosedChain chain = LoadClosedChain(CIVITA_TEST_DATA_DIR "/closed", "leg_linkage");
  const Model& model = chain.model->tree();
  const int nv = model.nv();
  std::mt19937 random(1);
  const Eigen::VectorXd q = model.DefaultPosition(), v = RandomVector(nv, &random);
  Workspace<double> workspace(model);
  Eigen::MatrixXd H(nv, nv), C(nv, nv), H_w(nv, nv), C_w(nv, nv), J(6, nv), Jdot(6, nv),
      products(nv, nv), J_w(6, nv);
  Eigen::VectorXd force(nv);
  UpdateKinematics(model, q, v, workspace);
  CalcCoriolisMatrix(model, {}, workspace, {.C = C, .H = H});
  CalcFrameJacobian(model, {model.FindFrame("shank"), {0, 0, -0.4}}, workspace, J);
  CalcFrameJacobianDerivative(model, {model.FindFrame("shank"), {0, 0, -0.4}}, workspace, Jdot);
  VelocityMap<double> map(nv, nv);
  TaskSpace<double> task(model, J);

  const MallocCounter counter;
  EXPECT_EQ(task.Update({.C = C, .H = H}, J, Jdot), Status::kOk);
  task.CalcVelocity(v, force);
  SetFromBodyTwists(model, workspace, &map);
  ChangeMassMatrix(map, H, products, H_w);
  ChangeCoriolisMatrix(map, {.C = C, .H = H}, products, C_w);
  ChangeMassMatrixRate(map, H, C, products, H_w);
  ChangeJacobian(map, J, J_w);
  ChangeJacobianRate(map, J, Jdot, J_w);
  ChangeForces(map, v, force);
  ChangeMomentumRate(map, v, v, force);
  ChangeVelocity(map, v, force);
  ChangeAcceleration(map, v, v, force);
  SetComVelocities<double>({.C = C, .H = H}, &map);
  CalcComDecoupled(map, {.C = C, .H = H}, {.C = C_w, .H = H_w});
  EXPECT_EQ(counter.count(), 0);
}

}  // namespace closed_chain_alloc_test
}  // namespace civita
