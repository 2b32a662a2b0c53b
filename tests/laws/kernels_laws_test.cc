// The kernels of each instruction set against the plain algorithms, on random mechanisms with all
// joints, orders of coordinates and numbers of slots.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "civita/error.h"
#include "civita/factorization_text.h"
#include "core/dynamics/internal/serve.h"
#include "core/kernels/find_kernels.h"
#include "core/kernels/kernels.h"
#include "core/kernels/plan.h"
#include "core/spatial/internal/access.h"
#include "tests/laws/kernel_results.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/seeds.h"

namespace civita {
namespace kernels_laws_test {

/// The instruction sets that have kernels.
std::vector<std::string> VectorInstructionSets() {
  std::vector<std::string> names = InstructionSets();
  std::erase(names, "plain");
  return names;
}

void ExpectAllSame(const Model& model, const Factorization& factorization, const Arguments& at,
                   bool with_constraints = false) {
  const Results plain = Calc(model, "plain", factorization, at, with_constraints);
  for (const std::string& name : VectorInstructionSets()) {
    SCOPED_TRACE(name + ", " + ToString(factorization));
    ExpectSame(Calc(model, name, factorization, at, with_constraints), plain);
  }
}

class KernelsLaws : public testing::TestWithParam<unsigned> {};

TEST_P(KernelsLaws, AgreeWithThePlainAlgorithms) {
  const Case c = MakeCase(GetParam(), OptionsForKernels(GetParam()));
  std::mt19937 random(GetParam());
  const Arguments at = {c.q, c.v, RandomVector(c.model.nv(), &random),
                        RandomVector(c.model.nv(), &random)};
  for (const Factorization& factorization : AllFactorizations(c, GetParam())) {
    ExpectAllSame(c.model, factorization, at);
  }
  ExpectAllSame(c.model.WithScaledInertia(2.5), {}, at, true);
}

TEST_P(KernelsLaws, PosesAreThoseOfThePlainAlgorithm) {
  const Case c = MakeCase(GetParam(), OptionsForKernels(GetParam()));
  Workspace<double> plain(c.model, "plain");
  UpdateKinematics(c.model, c.q, c.v, plain);
  const Kinematics<double> expected = plain.kinematics(c.model);
  for (const std::string& name : VectorInstructionSets()) {
    Workspace<double> workspace(c.model, name);
    UpdateKinematics(c.model, c.q, c.v, workspace);
    const Kinematics<double> found = workspace.kinematics(c.model);
    for (int b = 0; b < c.model.num_bodies(); ++b) {
      SCOPED_TRACE(name + ", body " + std::to_string(b));
      const auto &x = found.bodies[b], &y = expected.bodies[b];
      for (int a = 0; a < 9; ++a) EXPECT_NEAR(x.R_WB.a[a], y.R_WB.a[a], 1e-12);
      const V3<double> r = x.r - y.r, u = x.V.u - y.V.u, w = x.V.w - y.V.w;
      EXPECT_LE(Dot(r, r), 1e-24 * (1 + Dot(y.r, y.r)));
      EXPECT_LE(Dot(u, u) + Dot(w, w), 1e-23 * (1 + Dot(y.V.u, y.V.u) + Dot(y.V.w, y.V.w)));
    }
  }
}

constexpr unsigned kSeeds = 60;
INSTANTIATE_TEST_SUITE_P(Seeds, KernelsLaws, testing::Range(0U, Seeds(kSeeds)));

/// The seeds include all cases that the kernels of floating bases distinguish: every number of
/// coordinates in the last vector, permuted coordinates, several trees.
TEST(Kernels, SeedsHaveFloatingBasesOfAllKinds) {
  std::set<int> remainders, of_permuted, of_trees;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const Model model = BuildTree(RandomTree(seed, OptionsForKernels(seed)));
    const kernels::Plan& plan = kernels::PlanOf(model);
    if (plan.view().base == 0) continue;
    const int remainder = plan.view().n % 8;
    remainders.insert(remainder);
    if (!plan.identity_order()) of_permuted.insert(remainder);
    if (model.bodies().back().root > 0) of_trees.insert(remainder);
  }
  for (const std::set<int>& each : {remainders, of_permuted, of_trees}) EXPECT_EQ(each.size(), 8U);
}

/// A chain of n hinges, for every number of slots in the last block; or with a free first joint.
Model Chain(int n, bool floats = false) {
  ModelBuilder builder;
  int body = ModelBuilder::kWorld;
  for (int i = 0; i < n; ++i) {
    const std::string name = std::to_string(i);
    body =
        builder.AddBody(name, body, {Eigen::Matrix3d::Identity(), {0.1, 0.2, 0.3}},
                        {1.0 + i, {0.1, -0.2, 0.3}, Eigen::Vector3d(0.1, 0.2, 0.25).asDiagonal()});
    if (floats && i == 0) {
      builder.AddJoint(body, JointType::kFree, {.name = "q" + name});
      continue;
    }
    builder.AddJoint(body, JointType::kHinge, {.name = "q" + name, .axis = {1, 0.3 * i, -1}});
  }
  return builder.Build();
}

TEST(Kernels, ServeEveryNumberOfSlots) {
  for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 17, 32, 40, 64, 120}) {
    const Model model = Chain(n);
    const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(n, -2, 3), v = q.reverse();
    ExpectAllSame(model, Factorization::Torsion(0.5), {q, v, q, v});
  }
}

TEST(Kernels, ServeEveryNumberOfSlotsBeyondAFloatingBase) {
  for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 17, 32, 40, 64, 120}) {
    SCOPED_TRACE(n);
    const Model model = Chain(n, true);
    const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(model.nq(), -2, 3);
    const Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(model.nv(), 3, -2), v_r = v.reverse();
    ExpectAllSame(model, Factorization::Torsion(0.5), {q, v, v_r, v});
  }
}

/// Dense symbols have factors of 32 slots at a time.
TEST(Kernels, ServeLargeTrees) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    RandomTreeOptions options = OptionsForKernels(seed);
    options.bodies = 40;
    const Case c = MakeCase(seed, options);
    EXPECT_GT(c.model.nv(), 48);
    ExpectAllSame(c.model, {}, {c.q, c.v, c.v, c.v});
  }
}

TEST(Kernels, TakeAnglesOfAnySize) {
  const Model model = Chain(5);
  Eigen::VectorXd q(5);
  q << 1e-320, 0.9999e6, -1.0001e6, 1e15, -3e300;
  const Eigen::VectorXd v = Eigen::VectorXd::Ones(5);
  ExpectAllSame(model, Factorization::Torsion(1), {q, v, v, v});
  q[2] = kNan;
  for (const std::string& name : InstructionSets()) {
    EXPECT_TRUE(std::isnan(Calc(model, name, {}, {q, v, v, v}).H(0, 0))) << name;
  }
}

TEST(Kernels, LetNanOfAQuaternionThrough) {
  ModelBuilder builder;
  const int body = builder.AddBody("body", ModelBuilder::kWorld, {},
                                   {1, {0.1, 0.2, 0.3}, Eigen::Matrix3d::Identity()});
  builder.AddJoint(body, JointType::kBall, {.name = "ball"});
  const Model model = builder.Build();
  const Eigen::Vector3d v(1, 2, 3);
  for (const std::string& name : InstructionSets()) {
    SCOPED_TRACE(name);
    for (int i = 0; i < 4; ++i) {
      Eigen::Vector4d q(0.5, -0.5, 0.1, 0.7);
      q[i] = kNan;
      const Results results = Calc(model, name, {}, {q, v, v, v});
      EXPECT_TRUE(results.H.array().isNaN().all()) << i;
      EXPECT_TRUE(results.C.array().isNaN().all()) << i;
      EXPECT_TRUE(results.tau.array().isNaN().all()) << i;
    }
  }
}

void ExpectWritesIntoParts(const Model& model) {
  ASSERT_EQ(model.nv(), 7);
  const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(model.nq(), -2, 3);
  const Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(7, 3, -2);
  for (const std::string& name : InstructionSets()) {
    SCOPED_TRACE(name);
    Eigen::MatrixXd whole = Eigen::MatrixXd::Constant(16, 16, 7.5), H(7, 7), C(7, 7);
    Workspace<double> workspace(model, name);
    UpdateKinematics(model, q, v, workspace);
    CalcCoriolisMatrix(model, {}, workspace, {.C = C, .H = H});
    CalcCoriolisMatrix(model, {}, workspace,
                       {.C = whole.block(1, 1, 7, 7), .H = whole.block(9, 8, 7, 7)});
    EXPECT_EQ(whole.block(1, 1, 7, 7), C);
    EXPECT_EQ(whole.block(9, 8, 7, 7), H);
    EXPECT_EQ((whole.array() == 7.5).count(), 256 - 2 * 49);
  }
}

TEST(Kernels, WriteIntoPartsOfMatrices) {
  ExpectWritesIntoParts(Chain(7));
  ExpectWritesIntoParts(Chain(2, true));
}

TEST(Kernels, RefuseACentreOfMassWithoutMass) {
  ModelBuilder builder;
  const int body = builder.AddBody("body", ModelBuilder::kWorld, {},
                                   {0, Eigen::Vector3d::Zero(), Eigen::Matrix3d::Zero()});
  builder.AddJoint(body, JointType::kHinge, {.name = "hinge"});
  const Model model = builder.Build();
  const Eigen::VectorXd q = Eigen::VectorXd::Zero(1);
  Eigen::MatrixXd A(6, 1), B(6, 1), D(6, 1);
  for (const std::string& name : InstructionSets()) {
    SCOPED_TRACE(name);
    Workspace<double> workspace(model, name);
    UpdateKinematics(model, q, q, workspace);
    EXPECT_THROW((void)CalcCenterOfMass(model, workspace), ContractError);
    EXPECT_THROW(CalcCentroidalMomentumMatrix<double>(model, workspace, A), ContractError);
    EXPECT_THROW(CalcCentroidalMomentumRateDerivatives<double>(model, q, workspace, A, B, D),
                 ContractError);
  }
}

/// Data for plain algorithms are filled after kernels have run, and anew for every state.
TEST(Kernels, FillBodiesOnDemand) {
  const Model model = Chain(6);
  const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(6, -2, 3), v = q.reverse();
  for (const std::string& name : InstructionSets()) {
    SCOPED_TRACE(name);
    Workspace<double> workspace(model, name), plain(model, "plain");
    Eigen::MatrixXd H(6, 6), C(6, 6), J(6, 6), dh_dq(6, 6), dh_dq_plain(6, 6);
    const Model::NamedFrame& frame = model.frames().back();
    for (const double scale : {1.0, 0.5}) {
      UpdateKinematics(model, scale * q, v, workspace);
      UpdateKinematics(model, scale * q, v, plain);
      CalcCoriolisMatrix(model, {}, workspace, {.C = C, .H = H});
      CalcFrameJacobianDerivative<double>(model, frame, workspace, J);
      CalcCentroidalMomentumMatrix<double>(model, workspace, J);
      EXPECT_EQ(CalcFramePose(model, frame, workspace).p, CalcFramePose(model, frame, plain).p);
      CalcCentroidalMomentumDerivatives<double>(model, workspace, dh_dq, J);
      CalcCentroidalMomentumDerivatives<double>(model, plain, dh_dq_plain, J);
      EXPECT_EQ(dh_dq, dh_dq_plain);
      EXPECT_NEAR(CalcKineticEnergy(model, workspace), CalcKineticEnergy(model, plain), 1e-12);
      UpdateKinematics(model, scale * v, workspace);
      UpdateKinematics(model, scale * v, plain);
      EXPECT_NEAR(CalcPotentialEnergy(model, workspace), CalcPotentialEnergy(model, plain), 1e-12);
      EXPECT_THROW((void)CalcKineticEnergy(model, workspace), ContractError);
      EXPECT_THROW(CalcCoriolisMatrix(model, {}, workspace, {.C = C, .H = H}), ContractError);
    }
  }
}

// Of parts of larger matrices, with rows and numbers of M that are zero, and nothing beside Z.
TEST(Kernels, MultiplyMatrices) {
  std::mt19937 random(3);
  const auto part = [](auto& M, int rows, int columns) { return M.topLeftCorner(rows, columns); };
  for (const std::string& name : VectorInstructionSets()) {
    const kernels::Kernels& of = *kernels::FindKernels(name);
    for (int n = 1; n < 40; ++n) {
      const int rows = 1 + n % 27, inner = 1 + n * 7 % 23, columns = 1 + n * 5 % 19;
      Eigen::MatrixXd X[2], M[2], sum = Eigen::MatrixXd::Zero(rows, columns);
      std::vector<kernels::Product> products;
      for (int k = 0; k < 2; ++k) {
        X[k] = RandomVector(30 * 30, &random).reshaped(30, 30);
        M[k] = RandomVector(30 * 30, &random).reshaped(30, 30);
        M[k].row(n % inner).setZero();
        M[k](inner / 2, columns / 2) = 0;
        products.push_back({{X[k].data(), 30}, {M[k].data(), 30}, k - 0.5});
        sum += (k - 0.5) * part(X[k], rows, inner) * part(M[k], inner, columns);
      }
      Eigen::MatrixXd Z = Eigen::MatrixXd::Constant(30, 30, 7), expected = Z;
      const bool done = of.transposed_products(products, rows, inner, columns, {Z.data(), 30});
      if (done) part(expected, columns, rows) = sum.transpose();
      EXPECT_TRUE(done || rows < 16 || inner < 8 || columns < 8) << name << n;
      EXPECT_LE((Z - expected).cwiseAbs().maxCoeff(), 1e-13) << name << ' ' << n;
    }
  }
}

/// Jacobians of many frames at once are those of each.
TEST_P(KernelsLaws, ServeManyFramesAtOnce) {
  using enum ReferenceFrame;
  const Case c = MakeCase(GetParam(), OptionsForKernels(GetParam()));
  for (const std::string& name : VectorInstructionSets()) {
    SCOPED_TRACE(name);
    Workspace<double> workspace(c.model, name);
    UpdateKinematics(c.model, c.q, c.v, workspace);
    std::vector<Model::NamedFrame> frames = c.model.frames();
    std::erase_if(frames, [](const Model::NamedFrame& frame) { return frame.body < 0; });
    std::vector<Eigen::MatrixXd> J(2 * frames.size(), Eigen::MatrixXd(6, c.model.nv()));
    std::vector<MatrixOut<double>> out(J.begin(), J.end());
    std::vector<kernels::FrameQuery> queries;
    const internal::Scratch<double>& scratch = internal::Access::scratch(workspace);
    for (size_t f = 0; f < frames.size(); ++f) {
      queries.push_back(kernels::QueryOf({frames[f], {1, 2, 3}}, f % 2 == 0 ? kLocal : kWorld,
                                         scratch, &out[2 * f], &out[2 * f + 1]));
    }
    kernels::CalcFrameJacobians(queries, true, internal::Access::scratch(workspace));
    Eigen::MatrixXd one(6, c.model.nv());
    for (size_t f = 0; f < frames.size(); ++f) {
      const FramePoint at(frames[f], {1, 2, 3});
      const ReferenceFrame reference = f % 2 == 0 ? kLocal : kWorld;
      CalcFrameJacobian<double>(c.model, at, reference, workspace, one);
      ExpectNear(J[2 * f], one, "J");
      CalcFrameJacobianDerivative<double>(c.model, at, reference, workspace, one);
      ExpectNear(J[2 * f + 1], one, "J̇");
    }
  }
}

class InstructionSet : public testing::Test {
 protected:
  ~InstructionSet() override {
    if (before_.has_value()) {
      setenv(kVariable, before_->c_str(), 1);
    } else {
      unsetenv(kVariable);
    }
  }

  static constexpr const char* kVariable = "CIVITA_INSTRUCTION_SET";

 private:
  static std::optional<std::string> Get() {
    const char* value = std::getenv(kVariable);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  }
  std::optional<std::string> before_ = Get();
};

TEST_F(InstructionSet, IsTheFastestUnlessNamed) {
  const Model model = Chain(2);
  unsetenv(kVariable);
  EXPECT_EQ(Workspace<double>(model).instruction_set(), InstructionSets().front());
  EXPECT_STREQ(Workspace<double>(model, "plain").instruction_set(), "plain");
  EXPECT_STREQ(Workspace<float>(model).instruction_set(), "plain");
  for (const std::string& name : InstructionSets()) {
    setenv(kVariable, name.c_str(), 1);
    EXPECT_EQ(Workspace<double>(model).instruction_set(), name);
    EXPECT_STREQ(Workspace<double>(model, "plain").instruction_set(), "plain");
  }
}

TEST_F(InstructionSet, MustBeOneThatTheMachineHas) {
  const Model model = Chain(2);
  try {
    const Workspace<double> workspace(model, "mmx");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("plain"), std::string::npos) << error.what();
  }
  setenv(kVariable, "plan", 1);
  try {
    const Workspace<double> workspace(model);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("CIVITA_INSTRUCTION_SET 'plan' (did you mean 'plain'"),
              std::string::npos)
        << error.what();
  }
}

/// A name that other machines have is not taken for a misspelling of one that this machine has.
TEST_F(InstructionSet, ThatTheMachineLacksIsSaidToBeLacking) {
  const Model model = Chain(2);
  for (const std::string name : {"avx2", "avx512"}) {
    if (std::ranges::count(InstructionSets(), name) > 0) continue;
    setenv(kVariable, name.c_str(), 1);
    try {
      const Workspace<double> workspace(model);
      FAIL() << name;
    } catch (const UserError& error) {
      EXPECT_EQ(std::string(error.what())
                    .find("instruction set of CIVITA_INSTRUCTION_SET '" + name +
                          "': this machine lacks it; valid: "),
                0u)
          << error.what();
    }
  }
}

}  // namespace kernels_laws_test
}  // namespace civita
