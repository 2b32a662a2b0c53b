#include <gtest/gtest.h>

#include "civita/centroidal.h"
#include "civita/christoffel.h"
#include "civita/constrained_dynamics.h"
#include "civita/coriolis.h"
#include "civita/dynamics_derivatives.h"
#include "civita/forward_dynamics.h"
#include "civita/frame_motion.h"
#include "civita/manifold.h"
#include "civita/passive_forces.h"
#include "civita/passivity_rnea.h"
#include "civita/regressor.h"
#include "tests/alloc/malloc_counter.h"
#include "tests/oracles/random_case.h"

namespace civita {
namespace dynamics_alloc_test {

class DynamicsAllocation : public testing::TestWithParam<std::string> {};

TEST_P(DynamicsAllocation, IsNone) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = MakeCase(seed);
    const int nv = c.model.nv();
    const Factorization torsion_free;
    const Factorization factorization = AllFactorizations(c, seed).back();
    const Model::NamedFrame& frame = c.model.frames().back();
    const Model::NamedFrame& base = c.model.frames().front();
    Eigen::VectorXd q = c.q;
    const std::vector<ExternalForce<double>> forces{{.body = frame.body, .force = {1, 2, 3}}};
    const Eigen::Vector3d point(0.1, 0.2, 0.3);
    Workspace<double> workspace(c.model, GetParam());
    MassMatrixCholesky<double> factor(c.model);
    const Eigen::VectorXd tau = Eigen::VectorXd::Ones(nv);
    Eigen::VectorXd out(nv);
    constexpr ReferenceFrame kLocal = ReferenceFrame::kLocal;
    Eigen::MatrixXd J6(6, nv), K6(6, nv), L6(6, nv), J3(3, nv);
    Eigen::MatrixXd Y(nv, 10 * static_cast<Eigen::Index>(c.model.frames().size()));
    Eigen::VectorXd pi = Eigen::VectorXd::Ones(Y.cols());
    const ChristoffelLayout layout(c.model);
    std::vector<double> packed(layout.size()), dense(ChristoffelIndex(nv, 0, 0, nv));
    const std::span<double> symbols(packed), tensor(dense);
    Eigen::MatrixXd A1(nv, nv), A2(nv, nv), A3(nv, nv);

    RigidConstraint weld;
    weld.A = base;
    weld.B = frame;
    weld.fixes_rotation = true;
    ConstrainedDynamics constrained(c.model, {.rigid = {weld}}, c.q);
    Eigen::VectorXd lambda(6);
    Eigen::MatrixXd inertia(6, 6);

    const MallocCounter counter;
    UpdateKinematics(c.model, c.q, c.v, workspace);
    (void)constrained.Update(workspace, 0.1);
    (void)constrained.CalcForwardDynamics(tau, workspace, out, lambda, forces);
    (void)constrained.CalcImpulse(tau, 0.5, out, lambda);
    constrained.CalcInverseDynamics(tau, lambda, workspace, out);
    (void)constrained.CalcOperationalSpaceInertia(inertia);
    (void)constrained.Update(workspace);
    (void)constrained.CalcForwardDynamics(tau, workspace, out, lambda, forces);
    CalcMassMatrix(c.model, workspace, A1);
    CalcCoriolisMatrix(c.model, {}, workspace, {.C = A1, .H = A2});
    CalcCoriolisMatrix(c.model, factorization, workspace, {.C = A1, .H = A2});
    CalcGravityForces(c.model, workspace, out);
    CalcBiasForces(c.model, workspace, out);
    CalcInverseDynamics(c.model, tau, workspace, out);
    CalcPassivityInverseDynamics(c.model, {}, tau, tau, workspace, out);
    CalcPassivityInverseDynamics(c.model, factorization, tau, tau, workspace, out);
    CalcForwardDynamics(c.model, tau, workspace, out, forces);
    EXPECT_TRUE(CalcForwardDynamics(c.model, tau, workspace, factor, out, forces));
    CalcInverseDynamics(c.model, tau, workspace, out, forces);
    (void)CalcFramePose(c.model, frame, workspace);
    (void)CalcFrameVelocity(c.model, {frame, point}, workspace);
    CalcFrameJacobian(c.model, {frame, point}, workspace, J6);
    CalcFrameJacobianDerivative(c.model, {frame, point}, workspace, J6);
    (void)CalcFrameBiasAcceleration(c.model, {frame, point}, workspace);
    (void)CalcFrameAcceleration(c.model, {frame, point}, ReferenceFrame::kLocal, tau, workspace);
    (void)CalcFrameClassicalAcceleration(c.model, {frame, point}, ReferenceFrame::kWorld, tau,
                                         workspace);
    CalcFrameJacobian(c.model, {frame, point}, ReferenceFrame::kLocal, workspace, J6);
    CalcRelativeJacobian(c.model, base, {frame, point}, ReferenceFrame::kWorld, workspace, J6);
    CalcRelativeJacobianDerivative(c.model, base, {frame, point}, ReferenceFrame::kLocal, workspace,
                                   J6);
    InterpolatePosition(c.model, c.q, q, 0.3, q);
    NeutralPosition(c.model, q);
    (void)CalcCenterOfMass(c.model, workspace);
    CalcCenterOfMassJacobian(c.model, workspace, J3);
    CalcCenterOfMassJacobianDerivative(c.model, workspace, J3);
    CalcCentroidalMomentumMatrix(c.model, workspace, J6);
    CalcCentroidalMomentumMatrixDerivative(c.model, workspace, J6);
    (void)CalcCentroidalMomentum(c.model, workspace);
    CalcRegressor(c.model, factorization, c.model.frames(), tau, tau, workspace, Y, out);
    CalcRegressorProducts(c.model, factorization, c.model.frames(), tau, tau, pi, tau, workspace,
                          out, pi);
    CalcCoriolisProduct(c.model, factorization, tau, workspace, out);
    CalcChristoffelSymbols(c.model, workspace, tensor);
    CalcPackedChristoffelSymbols(c.model, layout, workspace, symbols);
    CalcInverseDynamicsDerivatives(c.model, tau, workspace, A1, A2, A3);
    CalcInverseDynamicsDerivatives(c.model, tau, workspace, A1, A2, A3, forces);
    EXPECT_TRUE(CalcForwardDynamicsDerivatives(c.model, tau, workspace, factor, A1, A2, A3));
    EXPECT_TRUE(CalcForwardDynamicsParameterDerivatives(c.model, c.model.frames(), tau, workspace,
                                                        factor, Y));
    for (const Factorization* each : {&torsion_free, &factorization}) {
      CalcCoriolisProductDerivatives(c.model, *each, tau, workspace, A1, A2);
      CalcPassivityInverseDynamicsDerivatives(c.model, *each, tau, tau, workspace, A1, A2);
    }
    CalcFrameVelocityDerivatives(c.model, {frame, point}, kLocal, workspace, J6, K6);
    CalcFrameAccelerationDerivatives(c.model, {frame, point}, kLocal, tau, workspace, J6, K6, L6);
    CalcFrameClassicalAccelerationDerivatives(c.model, {frame, point}, kLocal, tau, workspace, J6,
                                              K6, L6);
    CalcCentroidalMomentumDerivatives(c.model, workspace, J6, K6);
    CalcCentroidalMomentumRateDerivatives(c.model, tau, workspace, J6, K6, L6);
    CalcIntegratePositionJacobians(c.model, tau, 0.1, A1, A2);
    CalcDifferencePositionJacobians(c.model, q, c.q, A1, A2);
    EXPECT_EQ(counter.count(), 0);
  }
}

TEST(PassiveForcesAllocation, IsNone) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const TreeSpec spec = RandomTree(seed, {.passive = true});
    const Model model = BuildTree(spec);
    std::mt19937 random(seed);
    const Eigen::VectorXd q = RandomPosition(spec, &random), v = RandomVector(spec.nv, &random);
    Eigen::VectorXd tau = v;
    Eigen::MatrixXd by_q = Eigen::MatrixXd::Zero(spec.nv, spec.nv), by_v = by_q;
    const MallocCounter counter;
    AddPassiveForces(model, q, v, {.speed = 0.1}, -1, tau);
    AddDampingForces(model, v, 1, tau);
    (void)CalcPassiveDissipation(model, v, tau, {.speed = 0.1});
    AddPassiveForceDerivatives(model, q, v, {.speed = 0.1}, 1, by_q, by_v);
    EXPECT_EQ(counter.count(), 0);
  }
}

/// A chain, or one with a body beside every second one.
Model LargeModel(int bodies, bool branches) {
  const MassProperties rod{.mass = 1, .inertia = Eigen::Matrix3d::Identity() / 50};
  ModelBuilder builder;
  for (int b = 0; b < bodies; ++b) {
    const std::string name = std::to_string(b);
    const int parent = branches && b % 3 == 2 ? b - 2 : b - 1;
    builder.AddJoint(builder.AddBody("b" + name, parent, {.p = {0.1, 0, 0}}, rod),
                     JointType::kHinge, {.name = "q" + name, .axis = {0, 1, 0}});
  }
  return builder.Build();
}

/// Nothing grows as n². What the first workspace makes besides is the model's.
TEST(DynamicsAllocation, OfALargeModelIsBounded) {
  for (const bool branches : {false, true}) {
    SCOPED_TRACE(branches ? "tree" : "chain");
    const Model model = LargeModel(1000, branches);
    const Workspace<double> first(model);
    const MallocCounter counter;
    const Workspace<double> workspace(model);
    EXPECT_LE(counter.bytes(), 4'500'000);
  }
}

INSTANTIATE_TEST_SUITE_P(InstructionSets, DynamicsAllocation, testing::ValuesIn(InstructionSets()),
                         [](const auto& set) { return set.param; });

}  // namespace dynamics_alloc_test
}  // namespace civita
