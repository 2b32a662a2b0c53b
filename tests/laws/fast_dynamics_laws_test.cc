// The kernels of each instruction set against the plain algorithms, on random mechanisms with all
// joints, orders of coordinates and numbers of slots.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "core/error.h"
#include "core/fast_dynamics.h"
#include "tests/oracles/random_case.h"

namespace civita {
namespace {

constexpr double kTolerance = 1e-12;  // relative; inertias are moved to centres of mass and back
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Everything, asked for in NaN.
struct Results {
  Eigen::MatrixXd H, C, H_of_C;
  Eigen::VectorXd tau, tau_r, packed, Gamma;
};

Results Calc(FastDynamics dynamics, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
             const Eigen::VectorXd& v_r, const Eigen::VectorXd& vdot, double t) {
  const Eigen::Index n = v.size();
  Results r;
  r.H = r.C = r.H_of_C = Eigen::MatrixXd::Constant(n, n, kNan);
  r.tau = r.tau_r = Eigen::VectorXd::Constant(n, kNan);
  r.packed.setConstant(static_cast<Eigen::Index>(dynamics.layout().size()), kNan);
  r.Gamma.setConstant(n * n * n, kNan);
  dynamics.CalcMassMatrix(q, r.H);
  dynamics.CalcCoriolisMatrix(q, v, r.C, r.H_of_C);
  dynamics.CalcInverseDynamics(q, v, vdot, r.tau);
  dynamics.CalcPassivityInverseDynamics(t, q, v, v_r, vdot, r.tau_r);
  dynamics.CalcPackedChristoffelSymbols(
      q, std::span(r.packed.data(), static_cast<size_t>(r.packed.size())));
  dynamics.CalcChristoffelSymbols(q,
                                  std::span(r.Gamma.data(), static_cast<size_t>(r.Gamma.size())));
  return r;
}

template <typename Derived>
void ExpectNear(const Eigen::MatrixBase<Derived>& ours, const Eigen::MatrixBase<Derived>& plain,
                const char* what) {
  EXPECT_LE((ours - plain).norm(), kTolerance * (1 + plain.norm())) << what;
}

void ExpectSame(const Results& ours, const Results& plain) {
  ExpectNear(ours.H, plain.H, "H");
  ExpectNear(ours.C, plain.C, "C");
  ExpectNear(ours.H_of_C, plain.H_of_C, "H with C");
  ExpectNear(ours.tau, plain.tau, "tau");
  ExpectNear(ours.tau_r, plain.tau_r, "H v̇_r + C v_r + g");
  ExpectNear(ours.packed, plain.packed, "packed symbols");
  ExpectNear(ours.Gamma, plain.Gamma, "symbols");
}

void ExpectAllSame(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                   const Eigen::VectorXd& v_r, const Eigen::VectorXd& vdot, double t) {
  const Results plain = Calc(FastDynamics(model, "plain"), q, v, v_r, vdot, t);
  for (const std::string& name : FastDynamics::InstructionSets()) {
    SCOPED_TRACE(name);
    ExpectSame(Calc(FastDynamics(model, name), q, v, v_r, vdot, t), plain);
  }
}

class FastDynamicsLaws : public testing::TestWithParam<unsigned> {};

TEST_P(FastDynamicsLaws, AgreeWithThePlainAlgorithms) {
  const Case c = MakeCase(GetParam());
  std::mt19937 random(GetParam());
  const Eigen::VectorXd v_r = RandomVector(c.model.nv(), &random);
  const Eigen::VectorXd vdot = RandomVector(c.model.nv(), &random);
  ExpectAllSame(c.model, c.q, c.v, v_r, vdot, RandomVector(1, &random)[0]);
}

INSTANTIATE_TEST_SUITE_P(Seeds, FastDynamicsLaws, testing::Range(0U, 60U));

/// A chain of n hinges: every number of slots in the last block.
Model Chain(int n) {
  ModelBuilder builder;
  int body = ModelBuilder::kWorld;
  for (int i = 0; i < n; ++i) {
    const std::string name = std::to_string(i);
    body =
        builder.AddBody(name, body, {Eigen::Matrix3d::Identity(), {0.1, 0.2, 0.3}},
                        {1.0 + i, {0.1, -0.2, 0.3}, Eigen::Vector3d(0.1, 0.2, 0.25).asDiagonal()});
    builder.AddJoint(body, JointType::kHinge, {.name = "q" + name, .axis = {1, 0.3 * i, -1}});
  }
  return builder.Build();
}

TEST(FastDynamics, ServesEveryNumberOfSlots) {
  for (int n = 1; n <= 13; ++n) {
    const Model model = Chain(n);
    const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(n, -2, 3), v = q.reverse();
    ExpectAllSame(model, q, v, q, v, 0.5);
  }
}

TEST(FastDynamics, TakesAnglesOfAnySize) {
  const Model model = Chain(5);
  Eigen::VectorXd q(5);
  q << 1e-320, 0.9999e6, -1.0001e6, 1e15, -3e300;
  const Eigen::VectorXd v = Eigen::VectorXd::Ones(5);
  ExpectAllSame(model, q, v, v, v, 1);
  q[2] = kNan;
  for (const std::string& name : FastDynamics::InstructionSets()) {
    EXPECT_TRUE(std::isnan(Calc(FastDynamics(model, name), q, v, v, v, 1).H(0, 0))) << name;
  }
}

TEST(FastDynamics, WritesIntoPartsOfMatrices) {
  const Model model = Chain(7);
  const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(7, -2, 3), v = q.reverse();
  for (const std::string& name : FastDynamics::InstructionSets()) {
    SCOPED_TRACE(name);
    Eigen::MatrixXd whole = Eigen::MatrixXd::Constant(16, 16, 7.5), H(7, 7), C(7, 7);
    FastDynamics dynamics(model, name);
    dynamics.CalcCoriolisMatrix(q, v, C, H);
    dynamics.CalcCoriolisMatrix(q, v, whole.block(1, 1, 7, 7), whole.block(9, 8, 7, 7));
    EXPECT_EQ(whole.block(1, 1, 7, 7), C);
    EXPECT_EQ(whole.block(9, 8, 7, 7), H);
    EXPECT_EQ((whole.array() == 7.5).count(), 256 - 2 * 49);
  }
}

TEST(FastDynamics, NamesItsInstructionSets) {
  const Model model = Chain(2);
  EXPECT_EQ(FastDynamics(model).instruction_set(), FastDynamics::InstructionSets().front());
  EXPECT_STREQ(FastDynamics(model, "plain").instruction_set(), "plain");
  try {
    const FastDynamics dynamics(model, "mmx");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("plain"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace civita
