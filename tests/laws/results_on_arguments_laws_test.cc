// Results written over arguments: a vector over one of its kind gives the same numbers as apart,
// with every instruction set; whatever else lies on an argument or another result is refused.

#include <functional>
#include <string>

#include "civita/batch_dynamics.h"
#include "civita/com_decoupled.h"
#include "civita/coriolis.h"
#include "civita/dynamics_derivatives.h"
#include "civita/error.h"
#include "civita/external_forces.h"
#include "civita/forward_dynamics.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/passive_forces.h"
#include "civita/passivity_rnea.h"
#include "civita/regressor.h"
#include "civita/rnea.h"
#include "civita/space_dynamics.h"
#include "civita/velocity_map.h"
#include "gtest/gtest.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/seeds.h"

namespace civita {
namespace results_on_arguments_laws_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

class ResultsOnArguments : public testing::TestWithParam<unsigned> {
 protected:
  ResultsOnArguments() : c_(MakeCase(GetParam(), OptionsForKernels(GetParam()))) {}

  VectorXd Random() { return RandomVector(c_.model.nv(), &random_); }

  /// f(x, y) apart, and with y the same vector as x or one that begins later or earlier in memory.
  using Function = std::function<void(Workspace<double>&, const Eigen::Ref<const VectorXd>&,
                                      Eigen::Ref<VectorXd>)>;
  void ExpectTheSame(const char* what, const Function& f) {
    const Eigen::Index n = c_.model.nv();
    const VectorXd x = Random();
    for (const std::string& name : InstructionSets()) {
      SCOPED_TRACE(std::string(what) + ", " + name);
      Workspace<double> workspace(c_.model, name);
      UpdateKinematics(c_.model, c_.q, c_.v, workspace);
      VectorXd apart = VectorXd::Constant(n, NAN);
      f(workspace, x, apart);
      for (const Eigen::Index shift : {0, 1, -1}) {
        VectorXd memory = VectorXd::Zero(n + 2);
        memory.segment(1, n) = x;
        f(workspace, memory.segment(1, n), memory.segment(1 + shift, n));
        EXPECT_EQ(memory.segment(1 + shift, n), apart) << "shifted by " << shift;
      }
    }
  }

  std::mt19937 random_{GetParam()};
  Case c_;
};

TEST_P(ResultsOnArguments, VectorsOfOneKind) {
  const Model& model = c_.model;
  const VectorXd other = Random();
  using In = const Eigen::Ref<const VectorXd>&;
  using Out = Eigen::Ref<VectorXd>;
  using W = Workspace<double>;
  const std::vector<ExternalForce<double>> forces = {
      {.body = model.num_bodies() - 1, .force = {1, -2, 3}}};
  ExpectTheSame("inverse dynamics",
                [&](W& w, In x, Out y) { CalcInverseDynamics(model, x, w, y); });
  ExpectTheSame("inverse dynamics with forces",
                [&](W& w, In x, Out y) { CalcInverseDynamics(model, x, w, y, forces); });
  ExpectTheSame("forward dynamics",
                [&](W& w, In x, Out y) { CalcForwardDynamics(model, x, w, y, forces); });
  ExpectTheSame("forward dynamics by the factor", [&](W& w, In x, Out y) {
    MassMatrixCholesky<double> factor(model);
    EXPECT_TRUE(CalcForwardDynamics(model, x, w, factor, y, forces));
  });
  for (const Factorization& factorization : AllFactorizations(c_, GetParam())) {
    ExpectTheSame("of v_r", [&](W& w, In x, Out y) {
      CalcPassivityInverseDynamics(model, factorization, x, other, w, y);
    });
    ExpectTheSame("of vdot_r", [&](W& w, In x, Out y) {
      CalcPassivityInverseDynamics(model, factorization, other, x, w, y);
    });
    ExpectTheSame("of both", [&](W& w, In x, Out y) {
      CalcPassivityInverseDynamics(model, factorization, x, x, w, y);
    });
    ExpectTheSame("product",
                  [&](W& w, In x, Out y) { CalcCoriolisProduct(model, factorization, x, w, y); });
    ExpectTheSame("product of the transpose", [&](W& w, In x, Out y) {
      CalcCoriolisTransposeProduct(model, factorization, x, w, y);
    });
    MatrixXd Y(model.nv(), kNumBodyParameters * static_cast<Eigen::Index>(model.frames().size()));
    ExpectTheSame("regressor of v_r", [&](W& w, In x, Out y) {
      CalcRegressor(model, factorization, model.frames(), x, other, w, Y, y);
    });
    ExpectTheSame("regressor of vdot_r", [&](W& w, In x, Out y) {
      CalcRegressor(model, factorization, model.frames(), other, x, w, Y, y);
    });
    const VectorXd pi = VectorXd::LinSpaced(Y.cols(), -1, 2);
    VectorXd YTs(Y.cols());
    ExpectTheSame("regressor's products", [&](W& w, In x, Out y) {
      CalcRegressorProducts(model, factorization, model.frames(), x, other, pi, other, w, y, YTs);
    });
    VectorXd Yx(model.nv());
    ExpectTheSame("regressor's products of s", [&](W& w, In x, Out y) {
      VectorXd transposed(Y.cols());
      CalcRegressorProducts(model, factorization, model.frames(), other, other, pi, x, w, y,
                            transposed);
    });
  }
}

TEST_P(ResultsOnArguments, RegressorParametersOverTheirOwn) {
  const Model& model = c_.model;
  const Eigen::Index n = kNumBodyParameters * static_cast<Eigen::Index>(model.frames().size());
  const VectorXd v_r = Random(), s = Random(), x = RandomVector(static_cast<int>(n), &random_);
  Workspace<double> workspace(model);
  UpdateKinematics(model, c_.q, c_.v, workspace);
  VectorXd Yx(model.nv()), YTs(n), over = x, Yx_over(model.nv());
  CalcRegressorProducts(model, {}, model.frames(), v_r, s, x, s, workspace, Yx, YTs);
  CalcRegressorProducts(model, {}, model.frames(), v_r, s, over, s, workspace, Yx_over, over);
  EXPECT_EQ(Yx_over, Yx);
  EXPECT_EQ(over, YTs);
}

TEST_P(ResultsOnArguments, DerivativesOverTheAcceleration) {
  const Eigen::Index n = c_.model.nv();
  const VectorXd vdot = Random();
  for (const std::string& name : InstructionSets()) {
    SCOPED_TRACE(name);
    Workspace<double> workspace(c_.model, name);
    UpdateKinematics(c_.model, c_.q, c_.v, workspace);
    MatrixXd apart[3] = {MatrixXd(n, n), MatrixXd(n, n), MatrixXd(n, n)}, over[3];
    CalcInverseDynamicsDerivatives(c_.model, vdot, workspace, apart[0], apart[1], apart[2]);
    for (const int on : {0, 1, 2}) {
      for (MatrixXd& each : over) each.setZero(n, n);
      over[on].col(n / 2) = vdot;
      CalcInverseDynamicsDerivatives(c_.model, over[on].col(n / 2), workspace, over[0], over[1],
                                     over[2]);
      for (const int k : {0, 1, 2}) EXPECT_EQ(over[k], apart[k]) << on;
    }
  }
}

TEST_P(ResultsOnArguments, PassivityDerivativesOverTheReferenceMotion) {
  const Eigen::Index n = c_.model.nv();
  const VectorXd v_r = Random(), vdot_r = Random();
  const Factorization factorization = AllFactorizations(c_, GetParam()).back();
  for (const std::string& name : InstructionSets()) {
    SCOPED_TRACE(name);
    Workspace<double> workspace(c_.model, name);
    UpdateKinematics(c_.model, c_.q, c_.v, workspace);
    MatrixXd by_q(n, n), by_v(n, n);
    CalcPassivityInverseDynamicsDerivatives(c_.model, factorization, v_r, vdot_r, workspace, by_q,
                                            by_v);
    MatrixXd over_q = MatrixXd::Zero(n, n), over_v = over_q;
    over_q.col(0) = v_r;
    over_v.col(n - 1) = vdot_r;
    CalcPassivityInverseDynamicsDerivatives(c_.model, factorization, over_q.col(0),
                                            over_v.col(n - 1), workspace, over_q, over_v);
    EXPECT_EQ(over_q, by_q);
    EXPECT_EQ(over_v, by_v);
    CalcCoriolisProductDerivatives(c_.model, factorization, v_r, workspace, by_q, by_v);
    over_v.col(n / 2) = v_r;
    CalcCoriolisProductDerivatives(c_.model, factorization, over_v.col(n / 2), workspace, over_q,
                                   over_v);
    EXPECT_EQ(over_q, by_q);
    EXPECT_EQ(over_v, by_v);
  }
}

TEST_P(ResultsOnArguments, Positions) {
  const VectorXd v = Random();
  VectorXd q = c_.q, next(q.size());
  IntegratePosition(c_.model, q, v, 0.3, next);
  IntegratePosition(c_.model, q, v, 0.3, q);
  EXPECT_EQ(q, next);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ResultsOnArguments, testing::Range(0U, Seeds(12)));

TEST(ResultsOnArguments, OthersAreRefused) {
  const Case c = MakeCase(2, {.armature = true, .free_root = true});
  const Model& model = c.model;
  const Eigen::Index n = model.nv(), nq = model.nq();
  for (const std::string& name : InstructionSets()) {
    SCOPED_TRACE(name);
    Workspace<double> workspace(model, name);
    UpdateKinematics(model, c.q, c.v, workspace);
    MatrixXd M = MatrixXd::Zero(n, 3 * n), A(n, n), B(n, n);
    EXPECT_THROW(CalcCoriolisMatrix(model, {}, workspace, {.C = A, .H = A}), ContractError);
    EXPECT_THROW(
        CalcCoriolisMatrix(model, {}, workspace, {.C = M.leftCols(n), .H = M.middleCols(n - 1, n)}),
        ContractError);
    EXPECT_NO_THROW(
        CalcCoriolisMatrix(model, {}, workspace, {.C = M.leftCols(n), .H = M.middleCols(n, n)}));
    EXPECT_THROW(CalcInverseDynamicsDerivatives(model, c.v, workspace, A, B, A), ContractError);
    EXPECT_THROW(CalcInverseDynamicsDerivatives(model, c.v, workspace, A, A, B), ContractError);
    EXPECT_THROW(CalcInverseDynamicsDerivatives(model, c.v, workspace, A, B, B), ContractError);
    VectorXd tau = VectorXd::Zero(n + nq);
    EXPECT_THROW(AddDampingForces(model, tau.head(n), 1, tau.head(n)), ContractError);
    EXPECT_THROW(AddPassiveForces(model, tau.head(nq), c.v, {.speed = 1}, 1, tau.segment(1, n)),
                 ContractError);
    EXPECT_THROW(IntegratePosition(model, tau.head(nq), c.v, 1, tau.segment(1, nq)), ContractError);
    EXPECT_THROW(IntegratePosition(model, c.q, tau.head(n), 1, tau.head(nq)), ContractError);
    EXPECT_THROW(DifferencePosition(model, tau.head(nq), c.q, tau.head(n)), ContractError);
    EXPECT_THROW(DifferencePosition(model, c.q, tau.head(nq), tau.head(n)), ContractError);
  }
}

TEST(ResultsOnArguments, BlocksOfOneMatrixLieApart) {
  const Case c = MakeCase(2);
  const Eigen::Index n = c.model.nv();
  Workspace<double> workspace(c.model);
  UpdateKinematics(c.model, c.q, c.v, workspace);
  MatrixXd C(n, n), H(n, n), M(2 * n + 3, 2 * n);
  CalcCoriolisMatrix(c.model, {}, workspace, {.C = C, .H = H});
  for (const Eigen::Index at : {Eigen::Index{0}, n}) {
    CalcCoriolisMatrix(c.model, {}, workspace,
                       {.C = M.block(0, at, n, n), .H = M.block(n + 3, at, n, n)});
    EXPECT_EQ(M.block(0, at, n, n), C);
    EXPECT_EQ(M.block(n + 3, at, n, n), H);
    CalcCoriolisMatrix(c.model, {}, workspace,
                       {.C = M.block(n, 0, n, n), .H = M.block(0, at, n, n)});
    EXPECT_EQ(M.block(n, 0, n, n), C);
  }
  EXPECT_THROW(CalcCoriolisMatrix(c.model, {}, workspace,
                                  {.C = M.block(0, 0, n, n), .H = M.block(n - 1, 1, n, n)}),
               ContractError);
}

TEST(ResultsOnArguments, OfChangesOfCoordinatesAreRefused) {
  VelocityMap<double> map(3, 3);
  map.A.setIdentity();
  MatrixXd H = MatrixXd::Identity(3, 3), C = H, out = H, products;
  VectorXd tau = VectorXd::Ones(3);
  EXPECT_THROW(ChangeMassMatrix<double>(map, H, products, H), ContractError);
  EXPECT_THROW(ChangeMassMatrix<double>(map, H, products, map.A), ContractError);
  EXPECT_THROW(ChangeCoriolisMatrix<double>(map, {.C = C, .H = H}, products, C), ContractError);
  EXPECT_THROW(ChangeCoriolisMatrix<double>(map, {.C = C, .H = H}, products, H), ContractError);
  EXPECT_THROW(ChangeCoriolisMatrix<double>(map, {.C = C, .H = H}, products, map.Adot),
               ContractError);
  EXPECT_THROW(ChangeMassMatrixRate<double>(map, H, C, products, C), ContractError);
  EXPECT_THROW(ChangeJacobian<double>(map, C, C), ContractError);
  EXPECT_THROW(ChangeJacobianRate<double>(map, H, C, H), ContractError);
  EXPECT_THROW(ChangeForces<double>(map, tau, tau), ContractError);
  EXPECT_THROW(ChangeVelocity<double>(map, tau, tau), ContractError);
  EXPECT_THROW(ChangeAcceleration<double>(map, tau, out.col(0), tau), ContractError);
  EXPECT_THROW(ChangeMomentumRate<double>(map, out.col(0), tau, tau), ContractError);
  EXPECT_NO_THROW(ChangeCoriolisMatrix<double>(map, {.C = C, .H = H}, products, out));
}

TEST(ResultsOnArguments, OfClosedChains) {
  ModelBuilder builder;
  int body = ModelBuilder::kWorld;
  for (int i = 0; i < 4; ++i) {
    body = builder.AddBody("b" + std::to_string(i), body,
                           {Eigen::Matrix3d::Identity(), Eigen::Vector3d(0.3, 0.1, 0)},
                           {1, Eigen::Vector3d(0.1, 0.2, 0), Eigen::Matrix3d::Identity()});
    builder.AddJoint(body, JointType::kHinge,
                     {.name = "j" + std::to_string(i), .axis = Eigen::Vector3d::Unit(i % 3)});
  }
  Constraints loops;
  loops.joints.push_back({.name = "gear", .joint = 3, .leader = 1, .polynomial = {0, 0.7, 0.2}});
  const VelocitySpace model(builder.Build(), loops);
  SpaceWorkspace<double> workspace(model);
  std::mt19937 random(1);
  const VectorXd w = RandomVector(3, &random), x = RandomVector(3, &random);
  ASSERT_TRUE(UpdateKinematics<double>(model, model.closed_start(), w, workspace).ok());
  VectorXd apart(3), over = x, v = VectorXd::Zero(4);
  CalcInverseDynamics<double>(model, x, workspace, apart);
  CalcInverseDynamics<double>(model, over, workspace, over);
  EXPECT_EQ(over, apart);
  for (const bool of_velocity : {true, false}) {
    over = x;
    const auto calc = [&](const VectorXd& argument, VectorXd& tau) {
      const VectorXd& w_r = of_velocity ? argument : w;
      const VectorXd& wdot_r = of_velocity ? w : argument;
      CalcPassivityInverseDynamics<double>(model, Factorization::Torsion(2), w_r, wdot_r, workspace,
                                           tau);
    };
    calc(x, apart);
    calc(over, over);
    EXPECT_EQ(over, apart);
  }
  EXPECT_THROW(CalcTreeVelocity<double>(model, v.head(3), workspace, v), ContractError);
  EXPECT_THROW(CalcTreeAcceleration<double>(model, w, v.head(3), workspace, v), ContractError);
  EXPECT_THROW(CalcReducedForces<double>(model, v, workspace, v.tail(3)), ContractError);
  MatrixXd H(3, 3);
  EXPECT_THROW(CalcCoriolisMatrix<double>(model, {}, workspace, {.C = H, .H = H}), ContractError);
  MatrixXd C = MatrixXd::Ones(3, 3), small(2, 2);  // nothing is written before
  EXPECT_THROW(CalcCoriolisMatrix<double>(model, {}, workspace, {.C = C, .H = small}),
               ContractError);
  EXPECT_EQ(C, MatrixXd::Ones(3, 3));
}

TEST(ResultsOnArguments, OfBatches) {
  const Case c = MakeCase(4, {.armature = true, .free_root = true});
  const Eigen::Index n = c.model.nv(), nq = c.model.nq(), m = 21;
  std::mt19937 random(1);
  MatrixXd Q(nq, m), V(n, m), X(n, m), Z(n, m);
  for (Eigen::Index s = 0; s < m; ++s) {
    Q.col(s) = RandomPosition(c.spec, &random);
    for (MatrixXd* each : {&V, &X, &Z}) each->col(s) = RandomVector(c.model.nv(), &random);
  }
  for (const std::string& name : InstructionSets()) {
    SCOPED_TRACE(name);
    BatchDynamics batch(c.model, 2, name);
    MatrixXd tau(n, m), tau_r(n, m), vdot(n, m);
    batch.CalcInverseDynamics(Q, V, X, tau);
    batch.CalcPassivityInverseDynamics(0.4, Q, V, Z, X, tau_r);
    batch.CalcForwardDynamics(Q, V, X, vdot);
    for (const int on : {0, 1, 2}) {
      MatrixXd in[3] = {V, X, Z};
      if (on < 2) {
        batch.CalcInverseDynamics(Q, in[0], in[1], in[on]);
        EXPECT_EQ(in[on], tau);
        in[on] = on == 0 ? V : X;
        batch.CalcForwardDynamics(Q, in[0], in[1], in[on]);
        EXPECT_EQ(in[on], vdot);
        in[on] = on == 0 ? V : X;
      }
      batch.CalcPassivityInverseDynamics(0.4, Q, in[0], in[2], in[1], in[on]);
      EXPECT_EQ(in[on], tau_r);
    }
    MatrixXd memory(n, m + 1);
    EXPECT_THROW(batch.CalcInverseDynamics(Q, V, memory.leftCols(m), memory.rightCols(m)),
                 ContractError);
    EXPECT_THROW(batch.CalcInverseDynamics(Q, V, X, Q.topRows(n)), ContractError);
    MatrixXd H(n, n * m), other = H;
    EXPECT_THROW(batch.CalcCoriolisMatrices(Q, V, {.C = H, .H = H}), ContractError);
    EXPECT_THROW(batch.CalcCoriolisMatrices(Q, H.leftCols(m), {.C = H, .H = other}), ContractError);
  }
}

}  // namespace results_on_arguments_laws_test
}  // namespace civita
