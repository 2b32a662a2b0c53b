// Many states at once against the algorithms for one, on random mechanisms with all joints, for
// every instruction set, number of states and number of threads.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "civita/batch_dynamics.h"
#include "civita/christoffel.h"
#include "civita/dynamics_derivatives.h"
#include "civita/error.h"
#include "civita/forward_dynamics.h"
#include "civita/passivity_rnea.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/seeds.h"

namespace civita {
namespace batch_dynamics_laws_test {

constexpr double kTolerance = 1e-12;  // relative; inertias are shifted to centres of mass and back
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// One column for each state.
struct Inputs {
  Eigen::MatrixXd Q, V, V_r, Vdot;
  double t = 0;

  Inputs Slice(Eigen::Index first, Eigen::Index count) const {
    return {Q.middleCols(first, count), V.middleCols(first, count), V_r.middleCols(first, count),
            Vdot.middleCols(first, count), t};
  }
};

Inputs RandomInputs(const TreeSpec& spec, int states, std::mt19937* random) {
  Inputs in;
  in.Q.resize(spec.nq, states);
  in.V.resize(spec.nv, states);
  in.V_r = in.Vdot = in.V;
  for (int s = 0; s < states; ++s) {
    in.Q.col(s) = RandomPosition(spec, random);
    in.V.col(s) = RandomVector(spec.nv, random);
    in.V_r.col(s) = RandomVector(spec.nv, random);
    in.Vdot.col(s) = RandomVector(spec.nv, random);
  }
  in.t = RandomVector(1, random)[0];
  return in;
}

/// All results, initialized to NaN.
struct Results {
  Results(Eigen::Index n, Eigen::Index states) {
    H_alone = H = C = Eigen::MatrixXd::Constant(n, n * states, kNan);
    inverse = dtau_dq = dtau_dv = dvdot_dq = dvdot_dv = H;
    tau = tau_r = vdot = Eigen::MatrixXd::Constant(n, states, kNan);
    Gamma = Eigen::MatrixXd::Constant(n * n * n, states, kNan);
  }
  Eigen::MatrixXd H_alone, H, C, tau, tau_r, vdot, Gamma;
  Eigen::MatrixXd inverse, dtau_dq, dtau_dv, dvdot_dq, dvdot_dv;
};

Results Calc(BatchDynamics& dynamics, const Inputs& in) {
  Results r(in.V.rows(), in.V.cols());
  dynamics.CalcMassMatrices(in.Q, r.H_alone);
  dynamics.CalcTransposedCoriolisMatrices(in.Q, in.V, {.C = r.C, .H = r.H});
  const Eigen::MatrixXd Ct = r.C;
  dynamics.CalcCoriolisMatrices(in.Q, in.V, {.C = r.C, .H = r.H});
  const Eigen::Index n = in.V.rows();
  for (Eigen::Index s = 0; s < in.V.cols(); ++s) {
    const Eigen::MatrixXd other = Ct.middleCols(n * s, n).transpose(), C = r.C.middleCols(n * s, n);
    EXPECT_TRUE((other.array() == C.array() || (other.array().isNaN() && C.array().isNaN())).all());
  }
  dynamics.CalcInverseDynamics(in.Q, in.V, in.Vdot, r.tau);
  dynamics.CalcPassivityInverseDynamics(in.t, in.Q, in.V, in.V_r, in.Vdot, r.tau_r);
  dynamics.CalcForwardDynamics(in.Q, in.V, in.V_r, r.vdot);
  Eigen::MatrixXd again = r.H;
  dynamics.CalcInverseDynamicsDerivatives(in.Q, in.V, in.Vdot, r.dtau_dq, r.dtau_dv, again);
  EXPECT_TRUE(again.isApprox(r.H, 1e-14) || !in.Q.allFinite());
  (void)dynamics.CalcForwardDynamicsDerivatives(in.Q, in.V, in.Vdot, r.dvdot_dq, r.dvdot_dv, again);
  (void)dynamics.CalcInverseMassMatrices(in.Q, r.inverse);
  EXPECT_TRUE(again.isApprox(r.inverse, 1e-14) || !in.Q.allFinite());
  // What these leave in memory must not show.
  Eigen::MatrixXd C = r.C, H = r.H;
  dynamics.CalcCoriolisMatrices(in.Q, in.V, {.C = C, .H = H});
  EXPECT_TRUE((C == r.C && H == r.H) || !in.Q.allFinite());
  dynamics.CalcChristoffelSymbols(in.Q, r.Gamma);
  return r;
}

/// Computes state by state with the plain algorithms.
Results CalcOneByOne(const Model& model, const Inputs& in) {
  const Eigen::Index n = model.nv();
  Results r(n, in.V.cols());
  Workspace<double> workspace(model, "plain");
  MassMatrixCholesky<double> factor(model);
  for (Eigen::Index s = 0; s < in.V.cols(); ++s) {
    UpdateKinematics(model, in.Q.col(s), in.V.col(s), workspace);
    CalcMassMatrix(model, workspace, r.H_alone.middleCols(n * s, n));
    CalcCoriolisMatrix(model, {}, workspace,
                       {.C = r.C.middleCols(n * s, n), .H = r.H.middleCols(n * s, n)});
    CalcInverseDynamics(model, in.Vdot.col(s), workspace, r.tau.col(s));
    CalcPassivityInverseDynamics(model, Factorization::Torsion(in.t), in.V_r.col(s), in.Vdot.col(s),
                                 workspace, r.tau_r.col(s));
    CalcForwardDynamics(model, in.V_r.col(s), workspace, r.vdot.col(s));
    const auto of = [n, s](Eigen::MatrixXd& all) { return all.middleCols(n * s, n); };
    CalcInverseDynamicsDerivatives(model, in.Vdot.col(s), workspace, of(r.dtau_dq), of(r.dtau_dv),
                                   of(r.H));
    (void)CalcForwardDynamicsDerivatives(model, in.Vdot.col(s), workspace, factor, of(r.dvdot_dq),
                                         of(r.dvdot_dv), of(r.inverse));
    CalcChristoffelSymbols(model, workspace,
                           std::span(r.Gamma.col(s).data(), static_cast<size_t>(n * n * n)));
  }
  return r;
}

/// To the rounding of numbers as large as those of `one`, or of the terms that sum to it.
void ExpectNear(const Eigen::MatrixXd& ours, const Eigen::MatrixXd& one, const char* what,
                const Eigen::MatrixXd* terms = nullptr) {
  const double largest = (terms == nullptr ? one : *terms).colwise().norm().maxCoeff();
  const double error = (ours - one).colwise().norm().maxCoeff<Eigen::PropagateNaN>();
  EXPECT_LE(error, kTolerance * (1 + largest)) << what;
}

/// H X of every state: of the error of X, which is H⁻¹ times something, what the condition of H
/// leaves.
Eigen::MatrixXd TimesH(const Eigen::MatrixXd& H, const Eigen::MatrixXd& X) {
  const Eigen::Index n = H.rows(), columns = n == 0 ? 0 : X.cols() * n / H.cols();
  Eigen::MatrixXd product = X;
  for (Eigen::Index s = 0; n > 0 && s < H.cols() / n; ++s) {
    product.middleCols(columns * s, columns) =
        H.middleCols(n * s, n) * X.middleCols(columns * s, columns);
  }
  return product;
}

void ExpectNear(const Results& ours, const Results& one) {
  ExpectNear(ours.H_alone, one.H_alone, "H alone");
  ExpectNear(ours.H, one.H, "H");
  ExpectNear(ours.C, one.C, "C");
  ExpectNear(ours.tau, one.tau, "tau");
  ExpectNear(ours.tau_r, one.tau_r, "H v̇_r + C v_r + g");
  ExpectNear(TimesH(one.H, ours.vdot), TimesH(one.H, one.vdot), "H v̇");
  const Eigen::MatrixXd terms = TimesH(one.H.cwiseAbs(), one.inverse.cwiseAbs());
  ExpectNear(TimesH(one.H, ours.inverse), TimesH(one.H, one.inverse), "H H⁻¹", &terms);
  ExpectNear(ours.dtau_dq, one.dtau_dq, "∂τ/∂q");
  ExpectNear(ours.dtau_dv, one.dtau_dv, "∂τ/∂v");
  ExpectNear(TimesH(one.H, ours.dvdot_dq), -one.dtau_dq, "H ∂v̇/∂q");
  ExpectNear(TimesH(one.H, ours.dvdot_dv), -one.dtau_dv, "H ∂v̇/∂v");
  ExpectNear(ours.Gamma, one.Gamma, "symbols");
}

void ExpectSameBits(const Results& ours, const Results& others) {
  EXPECT_EQ(ours.H_alone, others.H_alone);
  EXPECT_EQ(ours.H, others.H);
  EXPECT_EQ(ours.C, others.C);
  EXPECT_EQ(ours.tau, others.tau);
  EXPECT_EQ(ours.tau_r, others.tau_r);
  EXPECT_EQ(ours.vdot, others.vdot);
  EXPECT_EQ(ours.inverse, others.inverse);
  EXPECT_EQ(ours.dtau_dq, others.dtau_dq);
  EXPECT_EQ(ours.dtau_dv, others.dtau_dv);
  EXPECT_EQ(ours.dvdot_dq, others.dvdot_dq);
  EXPECT_EQ(ours.dvdot_dv, others.dvdot_dv);
  EXPECT_EQ(ours.Gamma, others.Gamma);
}

class BatchDynamicsLaws : public testing::TestWithParam<unsigned> {};

TEST_P(BatchDynamicsLaws, AgreeWithTheAlgorithmsForOneState) {
  const TreeSpec spec = RandomTree(GetParam(), OptionsForKernels(GetParam()));
  const Model model = BuildTree(spec);
  std::mt19937 random(GetParam());
  const Inputs in = RandomInputs(spec, 9, &random);
  const Results one = CalcOneByOne(model, in);
  for (const std::string& name : InstructionSets()) {
    SCOPED_TRACE(name);
    BatchDynamics dynamics(model, 1, name);
    ExpectNear(Calc(dynamics, in), one);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, BatchDynamicsLaws, testing::Range(0U, Seeds(60)));

TEST(BatchDynamics, ServesAnyNumberOfStatesOnAnyNumberOfThreads) {
  const TreeSpec spec = RandomTree(3, {.bodies = 2});
  const Model model = BuildTree(spec);
  std::mt19937 random(3);
  const Inputs all = RandomInputs(spec, 1000, &random);
  for (const std::string& name : InstructionSets()) {
    SCOPED_TRACE(name);
    BatchDynamics one_thread(model, 1, name), two_threads(model, 2, name),
        three_threads(model, 3, name);
    const Results whole = Calc(one_thread, all);
    ExpectNear(whole, CalcOneByOne(model, all));
    for (const int states : {0, 1, 3, 7, 8, 9, 64, 1000}) {
      SCOPED_TRACE(states);
      // From another offset, so that states have other neighbours in other lanes.
      const Inputs in = all.Slice(1000 - states, states);
      const Results one = Calc(one_thread, in);
      const Eigen::Index n = model.nv();
      EXPECT_EQ(one.C, whole.C.rightCols(n * states));
      EXPECT_EQ(one.Gamma, whole.Gamma.rightCols(states));
      EXPECT_EQ(one.tau_r, whole.tau_r.rightCols(states));
      EXPECT_EQ(one.vdot, whole.vdot.rightCols(states));
      EXPECT_EQ(one.dvdot_dq, whole.dvdot_dq.rightCols(n * states));
      ExpectSameBits(Calc(two_threads, in), one);
      ExpectSameBits(Calc(three_threads, in), one);
    }
  }
}

TEST(BatchDynamics, TakesAnglesOfAnySize) {
  ModelBuilder builder;
  const int body = builder.AddBody("body", ModelBuilder::kWorld, {},
                                   {1, {0.1, 0.2, 0.3}, Eigen::Matrix3d::Identity()});
  builder.AddJoint(body, JointType::kHinge, {.name = "q", .axis = {1, 2, 3}});
  const Model model = builder.Build();
  constexpr int kStates = 500;
  Inputs in;
  in.Q = Eigen::RowVectorXd::LinSpaced(kStates, -300, 300);
  in.Q.leftCols(5) << 0.9999e6, -1.0001e6, 1e15, -3e300, kNan;
  for (int s = 8; s < kStates; s += 5) in.Q(0, s) = 1e7;
  in.V = in.V_r = in.Vdot = Eigen::MatrixXd::Ones(1, kStates);
  const Results one = CalcOneByOne(model, in);
  for (const std::string& name : InstructionSets()) {
    SCOPED_TRACE(name);
    BatchDynamics dynamics(model, 1, name);
    const Results all = Calc(dynamics, in);
    EXPECT_TRUE(std::isnan(all.tau(0, 4)));
    for (int s = 0; s < kStates; ++s) {
      if (s == 4) continue;
      EXPECT_NEAR(all.tau(0, s), one.tau(0, s), kTolerance * 10) << in.Q(0, s);
      // Independent of its neighbours.
      EXPECT_EQ(all.tau(0, s), Calc(dynamics, in.Slice(s, 1)).tau(0, 0)) << in.Q(0, s);
    }
  }
}

TEST(BatchDynamics, LetsNanOfAQuaternionThrough) {
  ModelBuilder builder;
  const int body = builder.AddBody("body", ModelBuilder::kWorld, {},
                                   {1, {0.1, 0.2, 0.3}, Eigen::Matrix3d::Identity()});
  builder.AddJoint(body, JointType::kBall, {.name = "ball"});
  const Model model = builder.Build();
  Inputs in;
  in.Q = Eigen::Vector4d(0.5, -0.5, 0.1, 0.7).replicate(1, 5);
  in.Q.leftCols(4).diagonal().setConstant(kNan);
  in.V = in.V_r = in.Vdot = Eigen::MatrixXd::Ones(3, 5);
  for (const std::string& name : InstructionSets()) {
    SCOPED_TRACE(name);
    BatchDynamics dynamics(model, 1, name);
    const Results all = Calc(dynamics, in);
    EXPECT_TRUE(all.H.leftCols(12).array().isNaN().all());
    EXPECT_TRUE(all.C.leftCols(12).array().isNaN().all());
    EXPECT_TRUE(all.tau.leftCols(4).array().isNaN().all());
    EXPECT_TRUE(all.vdot.leftCols(4).array().isNaN().all());
    EXPECT_TRUE(all.tau.rightCols(1).allFinite());
    EXPECT_TRUE(all.vdot.rightCols(1).allFinite());
  }
}

TEST(BatchDynamics, SaysWhenAMassMatrixIsSingular) {
  ModelBuilder builder;  // regular but where both slides are along x
  const int link = builder.AddBody("link", ModelBuilder::kWorld, {}, {});
  builder.AddJoint(link, JointType::kSlide, {.name = "x", .axis = {1, 0, 0}});
  const int turned = builder.AddBody("turned", link, {}, {});
  builder.AddJoint(turned, JointType::kHinge, {.name = "turn", .axis = {0, 0, 1}, .armature = 1});
  const int load = builder.AddBody("load", turned, {}, {.mass = 1});
  builder.AddJoint(load, JointType::kSlide, {.name = "along", .axis = {1, 0, 0}});
  const Model model = builder.Build();
  constexpr int kStates = 11;
  for (const std::string& name : InstructionSets()) {
    for (const int bad : {0, 3, 6, 10, kStates}) {
      SCOPED_TRACE(name + ", state " + std::to_string(bad));
      for (const double angle : {0.0, kNan}) {
        BatchDynamics dynamics(model, 2, name);
        Eigen::MatrixXd Q = Eigen::MatrixXd::Constant(3, kStates, 0.5), V = Q;
        for (int s = bad; s < kStates; ++s) Q(1, s) = angle;
        Eigen::MatrixXd A(3, 3 * kStates), B = A, inverse = A, vdot = V;
        const Status::Code expected = bad < kStates ? Status::kSingularMassMatrix : Status::kOk;
        for (const Status& status :
             {dynamics.CalcForwardDynamicsDerivatives(Q, V, V, A, B, inverse),
              dynamics.CalcInverseMassMatrices(Q, inverse)}) {
          EXPECT_EQ(status, expected);
          EXPECT_EQ(status.index, bad < kStates ? bad : -1);
        }
        dynamics.CalcForwardDynamics(Q, V, V, vdot);
        EXPECT_TRUE(vdot.leftCols(bad).allFinite());
        EXPECT_TRUE(inverse.leftCols(3 * bad).allFinite());
        EXPECT_TRUE(bad == kStates || !std::isnan(angle) || !vdot.col(bad).allFinite());
      }
    }
  }
}

TEST(BatchDynamics, ChecksItsArguments) {
  const TreeSpec spec = RandomTree(1);
  const Model model = BuildTree(spec);
  const int n = model.nv(), states = 3;
  std::mt19937 random(1);
  const Inputs in = RandomInputs(spec, states, &random);
  BatchDynamics dynamics(model, 2);
  EXPECT_EQ(dynamics.threads(), 2);
  EXPECT_STREQ(dynamics.instruction_set(), Workspace<double>(model).instruction_set());
  Eigen::MatrixXd H(n, n * states), gaps(n + 1, n * states), tau(n, states);
  EXPECT_THROW(dynamics.CalcMassMatrices(in.Q.topRows(1), H), ContractError);
  EXPECT_THROW(dynamics.CalcMassMatrices(in.Q, H.leftCols(n)), ContractError);
  EXPECT_THROW(dynamics.CalcMassMatrices(in.Q, gaps.topRows(n)), ContractError);
  EXPECT_THROW(dynamics.CalcInverseDynamics(in.Q, in.V.leftCols(2), in.V, tau), ContractError);
  EXPECT_THROW(dynamics.CalcForwardDynamics(in.Q, in.V, in.V.leftCols(2), tau), ContractError);
  Eigen::MatrixXd A = H, B = H;
  const auto derivatives = [&](const Eigen::MatrixXd& V, Eigen::Ref<Eigen::MatrixXd> by_q) {
    return dynamics.CalcForwardDynamicsDerivatives(in.Q, V, in.Vdot, by_q, A, B);
  };
  EXPECT_TRUE(derivatives(in.V, H));
  EXPECT_THROW((void)derivatives(in.V.leftCols(2), H), ContractError);
  EXPECT_THROW((void)derivatives(in.V, gaps.topRows(n)), ContractError);
  EXPECT_THROW((void)derivatives(in.V, B), ContractError);
  EXPECT_THROW(BatchDynamics(model, 0), ContractError);
  EXPECT_THROW(BatchDynamics(model, 1, "mmx"), UserError);
}

TEST(BatchDynamics, CountsTheNumbersOfManyCoordinates) {
  constexpr int kCoordinates = 1291;  // the smallest whose cube exceeds int
  ModelBuilder builder;
  for (int i = 0; i < kCoordinates; ++i) {
    const int body = builder.AddBody(std::to_string(i), ModelBuilder::kWorld, {}, {.mass = 1});
    builder.AddJoint(body, JointType::kSlide, {});
  }
  const Model model = builder.Build();
  BatchDynamics dynamics(model, 1, "plain");
  const Eigen::MatrixXd Q = Eigen::MatrixXd::Zero(kCoordinates, 1);
  Eigen::MatrixXd Gamma(1, 1);
  try {
    dynamics.CalcChristoffelSymbols(Q, Gamma);
    FAIL();
  } catch (const ContractError& error) {
    EXPECT_NE(std::string(error.what()).find("wanted 2151685171×1"), std::string::npos)
        << error.what();
  }
}

TEST(BatchDynamics, TakesPartsOfMatricesAndOverwritesItsInput) {
  const TreeSpec spec = RandomTree(2);
  const Model model = BuildTree(spec);
  std::mt19937 random(2);
  const Inputs in = RandomInputs(spec, 5, &random);
  BatchDynamics dynamics(model);
  const Results expected = Calc(dynamics, in);
  const int n = model.nv(), nq = model.nq();
  Eigen::MatrixXd whole = Eigen::MatrixXd::Constant(nq + 2 * n, 5, 7.5);
  whole.topRows(nq) = in.Q;
  whole.bottomRows(n) = in.Vdot;
  dynamics.CalcInverseDynamics(whole.topRows(nq), in.V, whole.bottomRows(n), whole.bottomRows(n));
  EXPECT_EQ(whole.bottomRows(n), expected.tau);
  EXPECT_EQ(whole.topRows(nq), in.Q);
  EXPECT_EQ((whole.middleRows(nq, n).array() == 7.5).count(), 5 * n);
}

}  // namespace batch_dynamics_laws_test
}  // namespace civita
