// Objects made for one model and used with another of the same size: refused, not mixed up.

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "civita/centroidal.h"
#include "civita/christoffel.h"
#include "civita/coordinates.h"
#include "civita/coriolis.h"
#include "civita/dynamics_derivatives.h"
#include "civita/error.h"
#include "civita/external_forces.h"
#include "civita/forward_dynamics.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/maximal_coordinates.h"
#include "civita/passivity_rnea.h"
#include "civita/regressor.h"
#include "civita/rnea.h"
#include "civita/space_dynamics.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/error_of.h"

namespace civita {
namespace identity_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Hinges, in a chain or each on the world.
Model MakeHinges(int n, bool chain, double armature = 0, double mass = 1) {
  ModelBuilder builder;
  int parent = ModelBuilder::kWorld;
  for (int i = 0; i < n; ++i) {
    const int body = builder.AddBody(
        "b" + std::to_string(i), chain ? parent : ModelBuilder::kWorld,
        {Eigen::Matrix3d::Identity(), Eigen::Vector3d(0.3, 0.1, 0)},
        {mass, Eigen::Vector3d(0.2, 0, 0.05), mass * 0.02 * Eigen::Matrix3d::Identity()});
    builder.AddJoint(body, JointType::kHinge,
                     {.name = "j" + std::to_string(i),
                      .axis = Eigen::Vector3d::Unit(i % 3),
                      .armature = armature});
    parent = body;
  }
  return builder.Build();
}

TEST(Identity, BelongsToAModelAndItsCopies) {
  const Model a = MakeHinges(3, true), b = MakeHinges(3, true);
  const Model copy = a;
  EXPECT_EQ(a.structure(), b.structure());
  EXPECT_NE(a.id(), b.id());
  EXPECT_EQ(a.id(), copy.id());
  EXPECT_NE(a.id(), a.WithScaledInertia(1).id());
  EXPECT_NE(a.id(), 0u);
}

/// Every function that reads the state of a workspace.
std::vector<std::function<void(const Model&, Workspace<double>&)>> StateFunctions(int n) {
  using W = Workspace<double>;
  const VectorXd x = VectorXd::LinSpaced(n, 0.3, 0.9);
  return {
      [=](const Model& m, W& w) {
        VectorXd tau(n);
        CalcInverseDynamics(m, x, w, tau);
      },
      [=](const Model& m, W& w) {
        VectorXd g(n);
        CalcGravityForces(m, w, g);
      },
      [=](const Model& m, W& w) {
        VectorXd b(n);
        CalcBiasForces(m, w, b);
      },
      [=](const Model& m, W& w) { (void)CalcKineticEnergy(m, w); },
      [=](const Model& m, W& w) { (void)CalcPotentialEnergy(m, w); },
      [=](const Model& m, W& w) {
        MatrixXd H(n, n);
        CalcMassMatrix(m, w, H);
      },
      [=](const Model& m, W& w) {
        MatrixXd H(n, n);
        CalcMassMatrixDerivative(m, w, H);
      },
      [=](const Model& m, W& w) {
        MatrixXd C(n, n), H(n, n);
        CalcCoriolisMatrix(m, {}, w, {.C = C, .H = H});
      },
      [=](const Model& m, W& w) {
        Tensor3 Gamma(n);
        CalcChristoffelSymbols(m, w, Gamma);
      },
      [=](const Model& m, W& w) {
        VectorXd a(n);
        CalcForwardDynamics(m, x, w, a);
      },
      [=](const Model& m, W& w) {
        MassMatrixCholesky<double> factor(m);
        (void)factor.Compute(w);
      },
      [=](const Model& m, W& w) {
        VectorXd tau(n);
        CalcPassivityInverseDynamics(m, {}, x, x, w, tau);
      },
      [=](const Model& m, W& w) {
        VectorXd p(n);
        CalcCoriolisTransposeProduct(m, {}, x, w, p);
      },
      [=](const Model& m, W& w) {
        MatrixXd a(n, n), b(n, n), c(n, n);
        CalcInverseDynamicsDerivatives(m, x, w, a, b, c);
      },
      [=](const Model& m, W& w) {
        MatrixXd Y(n, 10 * n);
        VectorXd y(n);
        CalcRegressor(m, {}, m.frames(), x, x, w, Y, y);
      },
      [=](const Model& m, W& w) {
        MatrixXd J(6, n);
        CalcFrameJacobian(m, m.frames()[0], w, J);
      },
      [=](const Model& m, W& w) { (void)CalcCentroidalMomentum(m, w); },
      [=](const Model& m, W& w) { (void)w.kinematics(m); },
      [=](const Model& m, W& w) {
        const std::vector<ExternalForce<double>> forces = {
            ForceOnFrame(m.frames()[1], {0, 0, 0}, {0, 0, 0}, {1, 2, 3})};
        VectorXd tau(n);
        CalcGeneralizedForces(m, forces, w, tau);
      },
  };
}

TEST(Identity, TheStateOfAnotherModelIsRefused) {
  const int n = 5;
  const Model light = MakeHinges(n, true, 0.1), heavy = light.WithScaledInertia(5);
  const VectorXd q = VectorXd::LinSpaced(n, -1, 1), v = VectorXd::LinSpaced(n, 1, -2);
  for (const std::string& name : InstructionSets()) {
    SCOPED_TRACE(name);
    Workspace<double> workspace(light, name);
    int function = 0;
    for (const auto& f : StateFunctions(n)) {
      SCOPED_TRACE(function++);
      UpdateKinematics(light, q, v, workspace);
      EXPECT_EQ(workspace.model(), light.id());
      (void)workspace.kinematics(light);  // computes the bodies
      EXPECT_THROW(f(heavy, workspace), ContractError);
      const Model copy = light;
      EXPECT_NO_THROW(f(copy, workspace));
      UpdateKinematics(heavy, q, v, workspace);
      EXPECT_NO_THROW(f(heavy, workspace));
      EXPECT_THROW(f(light, workspace), ContractError);
    }
  }
}

TEST(Identity, AWorkspaceServesModelsOfItsStructureInTurn) {
  const int n = 4;
  const Model light = MakeHinges(n, true), heavy = light.WithScaledInertia(5);
  const VectorXd q = VectorXd::LinSpaced(n, -1, 1), v = VectorXd::LinSpaced(n, 1, -2);
  for (const std::string& name : InstructionSets()) {
    Workspace<double> workspace(light, name), fresh(heavy, name);
    MatrixXd Hdot(n, n), right(n, n);
    UpdateKinematics(light, q, v, workspace);
    CalcMassMatrixDerivative(light, workspace, Hdot);
    UpdateKinematics(heavy, q, v, workspace);
    CalcMassMatrixDerivative(heavy, workspace, Hdot);
    UpdateKinematics(heavy, q, v, fresh);
    CalcMassMatrixDerivative(heavy, fresh, right);
    EXPECT_EQ(Hdot, right);
  }
  Workspace<double> workspace(light);
  EXPECT_THROW(UpdateKinematics(MakeHinges(n, false), q, v, workspace), ContractError);
}

TEST(Identity, FactorsAreOfOneModel) {
  const int n = 6;
  const Model chain = MakeHinges(n, true), star = MakeHinges(n, false),
              geared = MakeHinges(n, true, 3);
  const VectorXd x = VectorXd::LinSpaced(n, -1, 1);
  Workspace<double> workspace(chain);
  UpdateKinematics(chain, x, x, workspace);
  MatrixXd a(n, n), b(n, n), c(n, n);
  VectorXd vdot(n);
  for (const Model* other : {&star, &geared}) {
    MassMatrixCholesky<double> factor(*other);
    EXPECT_THROW((void)CalcForwardDynamicsDerivatives(chain, x, workspace, factor, a, b, c),
                 ContractError);
    EXPECT_THROW((void)CalcForwardDynamics(chain, x, workspace, factor, vdot), ContractError);
    EXPECT_THROW((void)factor.Compute(workspace), ContractError);
  }
  MassMatrixCholesky<double> factor(chain);
  EXPECT_TRUE(CalcForwardDynamicsDerivatives(chain, x, workspace, factor, a, b, c));
  EXPECT_TRUE(CalcForwardDynamics(chain, x, workspace, factor, vdot));
  for (const int k : {-1, n}) EXPECT_THROW((void)factor.pivot(k), ContractError);
}

TEST(Identity, LayoutsAreOfOneStructure) {
  const Model chain = MakeHinges(4, true), star = MakeHinges(4, false);
  const ChristoffelLayout layout(star);
  Workspace<double> workspace(chain);
  UpdateKinematics(chain, VectorXd::Ones(4), workspace);
  std::vector<double> packed(layout.size());
  EXPECT_THROW(CalcPackedChristoffelSymbols(chain, layout, workspace, packed), ContractError);
  for (const int k : {-1, 4}) {
    EXPECT_THROW((void)layout.block(k), ContractError);
    EXPECT_THROW((void)layout.path(k), ContractError);
    EXPECT_THROW((void)chain.rotation_triple(k), ContractError);
  }
  // It places symbols, whatever the inertias.
  const ChristoffelLayout own(chain);
  const Model heavy = chain.WithScaledInertia(2);
  UpdateKinematics(heavy, VectorXd::Ones(4), workspace);
  packed.resize(own.size());
  EXPECT_NO_THROW(CalcPackedChristoffelSymbols(heavy, own, workspace, packed));
}

TEST(Identity, CoordinatesAreOfOneModel) {
  const Model light = MakeHinges(7, true), heavy = light.WithScaledInertia(2);
  const VectorXd x = VectorXd::LinSpaced(7, -1, 1);
  Workspace<double> workspace(heavy);
  VelocityMap<double> change(7, 7);
  for (const Coordinates& coordinates :
       {BodyTwistCoordinates(light), MassOrthonormalCoordinates(light),
        TaskCoordinates(light, light.FindFrame("b6"), false, x)}) {
    SCOPED_TRACE(coordinates.text);
    EXPECT_EQ(coordinates.model, light.id());
    UpdateKinematics(heavy, x, x, workspace);
    EXPECT_THROW((void)coordinates.update(workspace, change), ContractError);
    UpdateKinematics(light, x, x, workspace);
    EXPECT_TRUE(coordinates.update(workspace, change));
  }
}

/// The last hinge follows the first, or the one before it.
VelocitySpace MakeCoupled(const Model& tree, std::vector<std::pair<int, int>> followers) {
  Constraints loops;
  for (const auto& [joint, leader] : followers) {
    loops.joints.push_back({.name = "c" + std::to_string(joint),
                            .joint = joint,
                            .leader = leader,
                            .polynomial = {0, 0.5, 0, 0, 0}});
  }
  return {tree, loops};
}

TEST(Identity, SpaceWorkspacesAreOfTheSameLoops) {
  const Model tree = MakeHinges(3, true);
  const VelocitySpace one = MakeCoupled(tree, {{1, 0}}), other = MakeCoupled(tree, {{2, 1}}),
                      two = MakeCoupled(tree, {{1, 0}, {2, 0}});
  for (const auto& [model, foreign] : {std::pair(&one, &other), {&one, &two}, {&two, &one}}) {
    const int nw = model->nw();
    SpaceWorkspace<double> workspace(*foreign), own(*model);
    const VectorXd q = model->closed_start(), w = VectorXd::Ones(nw), v = VectorXd::Ones(3);
    MatrixXd H(nw, nw), C(nw, nw), A(3, nw);
    VectorXd x(nw), y(3), q_closed = q;
    Tensor3 Gamma(nw), tree_Gamma(3);
    EXPECT_THROW((void)UpdateKinematics<double>(*model, q, w, workspace), ContractError);
    EXPECT_THROW((void)UpdateKinematics<double>(*model, q, workspace), ContractError);
    EXPECT_THROW((void)CloseLoops(*model, workspace, q_closed), ContractError);
    const VectorXd w_foreign = VectorXd::Ones(foreign->nw());
    ASSERT_TRUE(
        UpdateKinematics<double>(*foreign, foreign->closed_start(), w_foreign, workspace).ok());
    EXPECT_THROW(CalcMassMatrix<double>(*model, workspace, H), ContractError);
    EXPECT_THROW(CalcCoriolisMatrix<double>(*model, {}, workspace, {.C = C, .H = H}),
                 ContractError);
    EXPECT_THROW(
        CalcChristoffelSymbols<double>(*model, workspace, tree_Gamma.numbers(), Gamma.numbers()),
        ContractError);
    EXPECT_THROW(CalcGravityForces<double>(*model, workspace, x), ContractError);
    x.setOnes();
    EXPECT_THROW(CalcBiasForces<double>(*model, workspace, x), ContractError);
    EXPECT_EQ(x, VectorXd::Ones(nw));
    EXPECT_THROW(CalcInverseDynamics<double>(*model, w, workspace, x), ContractError);
    EXPECT_THROW(CalcPassivityInverseDynamics<double>(*model, {}, w, w, workspace, x),
                 ContractError);
    EXPECT_THROW(CalcVelocityMap<double>(*model, workspace, A), ContractError);
    EXPECT_THROW((void)workspace.map(*model), ContractError);
    EXPECT_THROW(CalcTreeVelocity<double>(*model, w, workspace, y), ContractError);
    EXPECT_THROW(CalcTreeAcceleration<double>(*model, w, w, workspace, y), ContractError);
    EXPECT_THROW(CalcReducedForces<double>(*model, v, workspace, x), ContractError);
  }
}

TEST(Identity, TheSameLoopsOfAnotherTreeShareAWorkspace) {
  const Model light = MakeHinges(3, true);
  const VelocitySpace one = MakeCoupled(light, {{1, 0}}), copy = one;
  const VelocitySpace heavy(one, light.WithScaledInertia(5));
  SpaceWorkspace<double> workspace(one);
  const VectorXd w = VectorXd::Ones(one.nw());
  MatrixXd H(2, 2), right(2, 2);
  ASSERT_TRUE(UpdateKinematics<double>(one, one.closed_start(), w, workspace).ok());
  EXPECT_NO_THROW(CalcMassMatrix<double>(copy, workspace, H));
  EXPECT_THROW(CalcMassMatrix<double>(heavy, workspace, H), ContractError);
  ASSERT_TRUE(UpdateKinematics<double>(heavy, one.closed_start(), w, workspace).ok());
  CalcMassMatrix<double>(heavy, workspace, H);
  SpaceWorkspace<double> fresh(heavy);
  ASSERT_TRUE(UpdateKinematics<double>(heavy, one.closed_start(), w, fresh).ok());
  CalcMassMatrix<double>(heavy, fresh, right);
  EXPECT_EQ(H, right);
}

TEST(Identity, TheTreeOfASpaceWorkspaceMovesWithItsLoopsAlone) {
  const Model tree = MakeHinges(4, true);
  Constraints loops;
  loops.joints.push_back({.name = "gear", .joint = 3, .leader = 1, .polynomial = {0, 2, 0.5}});
  const VelocitySpace model(tree, loops);
  SpaceWorkspace<double> workspace(model);
  const VectorXd q = model.closed_start(), w = VectorXd::LinSpaced(model.nw(), 0.5, -1);
  VectorXd tau(model.nw()), before(model.nw()), v(4);
  ASSERT_TRUE(UpdateKinematics<double>(model, q, w, workspace).ok());
  CalcInverseDynamics<double>(model, w, workspace, before);
  UpdateKinematics<double>(tree, VectorXd(q + VectorXd::Constant(4, 0.3)), VectorXd::Ones(4),
                           workspace.tree());
  EXPECT_THROW(CalcInverseDynamics<double>(model, w, workspace, tau), ContractError);
  EXPECT_THROW(CalcTreeVelocity<double>(model, w, workspace, v), ContractError);
  ASSERT_TRUE(UpdateKinematics<double>(model, q, w, workspace).ok());
  CalcInverseDynamics<double>(model, w, workspace, tau);
  EXPECT_EQ(tau, before);
  EXPECT_THROW((void)workspace.gap(1), ContractError);
  EXPECT_THROW((void)workspace.gap(-1), ContractError);
}

// Of several clusters in any place.
TEST(Identity, LoopsThatAreNoNumbersAreNotClosed) {
  const Model tree = MakeHinges(6, false);
  Constraints loops;
  for (int k = 0; k < 3; ++k) {
    loops.joints.push_back(
        {.name = "pair", .joint = 2 * k + 1, .leader = 2 * k, .polynomial = {0, 1.5}});
  }
  const VelocitySpace model(tree, loops);
  SpaceWorkspace<double> workspace(model);
  for (int k = 0; k < 6; ++k) {
    VectorXd q = model.closed_start();
    q[k] = NAN;
    const Status status = CloseLoops(model, workspace, q);
    EXPECT_EQ(status.code, Status::kNotClosed) << k;
    EXPECT_EQ(status.index, k / 2);
    EXPECT_TRUE(std::isnan(status.residual));
    q = model.closed_start();
    q[k] = NAN;
    EXPECT_TRUE(std::isnan(UpdateKinematics<double>(model, q, workspace).residual));
    EXPECT_TRUE(std::isnan(workspace.gap(k / 2)));
  }
}

TEST(Identity, CouplingsAreOfDifferentJointsByNumbers) {
  const Model tree = MakeHinges(3, true);
  const auto refusal = [&](const JointConstraint& led) {
    return ErrorOf([&] { VelocitySpace(tree, Constraints{{}, {led}}); });
  };
  EXPECT_EQ(refusal({.name = "x", .joint = 2, .leader = 2, .polynomial = {0, 0.5}}),
            "loop 'x': a joint cannot follow itself");
  EXPECT_EQ(refusal({.name = "x", .joint = 2, .leader = 1, .polynomial = {0, 1, NAN}}),
            "loop 'x': coefficients and references must be finite");
  EXPECT_EQ(refusal({.name = "x", .joint = 2, .leader = 1, .leader_reference = HUGE_VAL}),
            "loop 'x': coefficients and references must be finite");
  ModelBuilder ball;
  const int body = ball.AddBody("eye", ModelBuilder::kWorld, Pose(),
                                {1, Eigen::Vector3d::Zero(), Eigen::Matrix3d::Identity()});
  ball.AddJoint(body, JointType::kBall, {.name = "socket"});
  const Model eye = ball.Build();
  EXPECT_EQ(ErrorOf([&] {
              VelocitySpace(eye, Constraints{{}, {{.name = "y", .joint = 0}}});
            }),
            "loop 'y': joint 'socket' has several coordinates; a coupling is one of joints with "
            "one");
}

TEST(Identity, LoopsHaveRigidAxes) {
  const Model tree = MakeHinges(3, true);
  Constraints loops;
  loops.rigid.push_back({.name = "weld", .A = tree.frames()[2], .B = {}, .fixes_rotation = true});
  loops.rigid[0].axes_A *= 2;
  try {
    const VelocitySpace model(tree, loops);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("loop 'weld'"),
                                             testing::HasSubstr("no rotation matrix")));
  }
}

TEST(ForceOnFrame, TakesPointsFromTheFramesOwnOrigin) {
  // The anchor is 1 m before the body's origin: the force there has that arm.
  ModelBuilder builder;
  const int body = builder.AddBody("arm", ModelBuilder::kWorld, {},
                                   {1, Eigen::Vector3d::Zero(), Eigen::Matrix3d::Identity()});
  builder.AddJoint(body, JointType::kHinge,
                   {.name = "j", .axis = {0, 0, 1}, .anchor = Eigen::Vector3d(-1, 0, 0)});
  const Model model = builder.Build();
  Workspace<double> workspace(model);
  UpdateKinematics(model, VectorXd::Zero(1), workspace);
  MatrixXd J(6, 1);
  VectorXd tau(1);
  for (const Eigen::Vector3d& point : {Eigen::Vector3d(0, 0, 0), Eigen::Vector3d(0.25, 3, 0)}) {
    const std::vector<ExternalForce<double>> forces = {
        ForceOnFrame(model.FindFrame("arm"), point, {0, 0, 0.5}, {0, 2, 0})};
    CalcGeneralizedForces(model, forces, workspace, tau);
    CalcFrameJacobian(model, {model.FindFrame("arm"), point}, workspace, J);
    EXPECT_NEAR(tau[0], 0.5 * J(2, 0) + 2 * J(4, 0), 1e-15);
    EXPECT_NEAR(tau[0], 0.5 + 2 * (1 + point.x()), 1e-15);
  }
  const std::vector<ExternalForce<double>> nowhere(1);
  EXPECT_THROW(CalcGeneralizedForces(model, nowhere, workspace, tau), ContractError);
}

}  // namespace identity_test
}  // namespace civita
