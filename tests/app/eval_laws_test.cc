// Laws between the quantities of `civita eval`, and their derivatives by central differences: open
// trees, floating bodies with ball joints, and closed chains in independent velocities.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "civita/factorization_text.h"
#include "civita/frame_motion.h"
#include "civita/geometry/connection.h"
#include "civita/geometry/metric.h"
#include "civita/geometry/structure_constants.h"
#include "civita/geometry/three_form.h"
#include "civita/space_dynamics.h"
#include "tests/app/eval_numbers.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/core_dynamics.h"

namespace civita {
namespace eval_laws_test {

using Json = nlohmann::ordered_json;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kExact = 1e-11;      ///< between numbers of one state
constexpr double kDifference = 1e-5;  ///< of central differences

constexpr const char* kFloating = R"(<mujoco><worldbody><body name="base" pos="0 0 1">
  <joint name="float" type="free"/><geom size="0.1 0.2 0.3" type="box" pos="0.1 0 0"/>
  <body name="arm" pos="0.3 0 0"><joint name="ball" type="ball"/>
    <geom size="0.1 0.2 0.05" type="box" pos="0.1 0.2 0"/>
    <body name="hand" pos="0 0.4 0.1"><joint name="hinge" axis="1 0.5 0"/>
      <geom size="0.2 0.1 0.05" type="box" pos="0.1 0 0.2"/></body></body></body></worldbody>
  </mujoco>)";

/// A turning base that carries a spatial four-bar linkage, whose coupler hangs on a ball joint and
/// carries a body on another one.
constexpr const char* kBallLoop = R"(<mujoco><worldbody>
  <body name="base"><joint name="yaw" axis="0 0.3 1"/>
    <geom type="box" size="0.3 0.1 0.05" pos="0.2 0 0"/>
    <body name="crank" pos="0 0 0.1"><joint name="crank" axis="0 1 0"/>
      <geom type="box" size="0.05 0.1 0.15" pos="0 0 0.15"/>
      <body name="coupler" pos="0 0 0.3"><joint name="ball" type="ball"/>
        <geom type="box" size="0.25 0.03 0.08" pos="0.25 0.05 0.02"/>
        <body name="hand" pos="0.5 0 0.1"/>
        <body name="tool" pos="0.2 0.3 0"><joint name="wrist" type="ball"/>
          <geom type="box" size="0.05 0.1 0.15" pos="0.1 0.05 0"/></body></body></body>
    <body name="rocker" pos="0.5 0 0.2"><joint name="rocker" axis="0 1 0.4"/>
      <geom type="box" size="0.04 0.08 0.15" pos="0 0.02 0.15"/>
      <body name="pin" pos="0 0 0.3"/></body></body>
  </worldbody><equality><connect body1="hand" body2="pin" anchor="0 0 0"/></equality></mujoco>)";

/// Three velocities of an arm of seven, a constant A.
constexpr const char* kTall = "1, 0, 0\n0 1 0\n0.5 0 -1\n0 0 1\n0 2 0\n1 1 1\n0 0 -0.3\n";

/// A frame of three of them that turns with q; its columns commute as [∂_1, 2 ∂_2 + sin(q_1) ∂_3]
/// do not.
constexpr const char* kFrame = R"(A:
  - [1, 0, 0, 0, 0, 0, 0]
  - [0, 2, 0, 0, 0, 0, 0]
  - [0, 'sin(q[0])', 1, 0, 0, 0, 0]
  - [0, 0, 0, 1, 0, 0, 0]
  - [0, 0, 0, 'cos(q[3])*0.3', 1, 0, 0]
  - [0, 0, 0, 0, 0, 1, 0.2]
  - [0, 0, 0, 0, 0, 0, 'exp(0.1*q[1])']
)";

/// Four velocities of the floating chain whose frame is not integrable: brackets leave its span.
constexpr const char* kOpenTall = R"(A:
  - [1, 0, 0, 0]
  - [0, 1, 0, '0.3*q[0]']
  - ['q[1]', 0, 1, 0]
  - [0, 0.5, 0, 0]
  - [0, 0, 'cos(q[2])', 0]
  - [0.2, 0, 0, 1]
  - [0, 1, 0, 0]
  - ['sin(q[0])', 0, 0, 0.5]
  - [0, 0, 1, 0]
  - [1, 0, '0.4*q[1]', -1]
)";

/// How civita eval is called for a model, and what it has.
struct Case {
  std::string model;
  std::string flags = {};
  std::string body;  ///< with J, Jdot and a wrench
  std::string factorization = "christoffel";
  bool armature = false;
  bool admissible = true;
  bool commuting = true;   ///< whether the structure constants are zero
  bool integrable = true;  ///< whether brackets of the frame stay in its span
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.model << " " << c.flags << " " << c.factorization;
}

class EvalLaws : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const Case& c = GetParam();
    shell_.Write("floating.xml", kFloating);
    shell_.Write("ball_loop.xml", kBallLoop);
    shell_.Write("tall.csv", kTall);
    shell_.Write("frame.yaml", kFrame);
    shell_.Write("open_tall.yaml", kOpenTall);
    const std::string quantities =
        "all,tau_r,Cv_r,vdot,tau_ext,H_max,C_max,J_max,Jdot_max,J:" + c.body + ",Jdot:" + c.body;
    const std::string flags = c.flags + " --factorization '" + c.factorization + "' --quantities ";
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const Json sizes = shell_.Eval(c.model + " " + flags + "kinetic");
    const auto n = sizes["states"][0]["v"].size();
    Json state;
    VectorXd q = ToVector(sizes["states"][0]["q"]);
    for (double& x : q) x += 0.2 * uniform(random);
    state["q"] = ToList(q);
    for (const char* key : {"v", "a", "v_r", "vdot_r", "tau"}) {
      for (std::size_t i = 0; i < n; ++i) state[key].push_back(uniform(random));
    }
    state["wrenches"] = {
        {{"body", c.body}, {"force", {1, -2, 3}}, {"moment", {0.3, 0.5, -0.7}}},
        {{"body", c.body}, {"point", {0.1, 0.2, -0.3}}, {"force", {-2, 0.5, 1}}, {"axes", "body"}}};
    around_ = EvaluateAround(shell_, c.model, flags + quantities, state);
    n_ = around_.size();
    given_ = state;
  }

  MatrixXd Matrix(const std::string& name) const { return ToMatrix(around_.state[name]); }
  VectorXd Vector(const std::string& name) const { return ToVector(around_.state[name]); }
  Tensor3 Tensor(const std::string& name) const { return ToTensor(around_.state[name]); }
  VectorXd Given(const std::string& name) const { return ToVector(given_[name]); }
  /// Structure constants with the first index lowered.
  Tensor3 s() const { return LowerFirstIndex(Matrix("H"), Tensor("structure")); }
  std::string File() const {
    const std::filesystem::path file = shell_.path() / GetParam().model;
    return std::filesystem::exists(file) ? file.string() : GetParam().model;
  }
  double Scale(const Tensor3& tensor) const { return std::max(1.0, tensor.MaxAbs()); }

  void ExpectSame(const Tensor3& a, const Tensor3& b, double tolerance) const {
    EXPECT_LE((a - b).MaxAbs(), tolerance * Scale(b));
  }

  // The laws.
  void EquationsOfMotion() const;
  void DerivativesOfThem() const;
  void BodiesAndMomenta() const;
  void MaximalCoordinates() const;
  void RiemannianConnectionIsKoszuls() const;
  void StructureConstantsAreBracketsOfTheFrame() const;
  void TensorsOfTheConnection() const;
  void ClosedChainsAreTheClusterAlgorithms() const;

  Shell shell_;
  Neighbourhood around_;
  Json given_;
  int n_ = 0;
};

void EvalLaws::EquationsOfMotion() const {
  const MatrixXd H = Matrix("H"), C = Matrix("C");
  const VectorXd v = Vector("v"), g = Vector("g"), bias = Vector("bias");
  EXPECT_LE(RelativeError(around_.state["kinetic"].get<double>(), 0.5 * v.dot(H * v)), kExact);
  EXPECT_LE(RelativeError(bias, C * v + g), kExact);
  const VectorXd forces = Vector("tau_ext");
  EXPECT_GT(forces.norm(), 0.01);
  EXPECT_LE(RelativeError(Vector("tau"), H * Vector("a") + bias - forces), kExact);
  EXPECT_LE(RelativeError(H * Vector("vdot") + bias, Given("tau") + forces), kExact);
  EXPECT_LE(RelativeError(Vector("CTv"), C.transpose() * v), kExact);
  EXPECT_LE(RelativeError(Vector("Cv_r"), C * Given("v_r")), kExact);
  EXPECT_LE(RelativeError(Vector("tau_r"), H * Given("vdot_r") + C * Given("v_r") + g), kExact);
  if (!GetParam().armature) {
    EXPECT_LE(RelativeError(Matrix("Y") * Vector("pi"), Vector("tau") + forces), kExact);
  }
  EXPECT_LE(RelativeError(Contract(Tensor("Gamma"), v), C), kExact);
}

void EvalLaws::DerivativesOfThem() const {
  VectorXd g(n_);
  MatrixXd dtau_dq(n_, n_), dtau_dv(n_, n_);
  for (int b = 0; b < n_; ++b) {
    g[b] = around_.AlongQ("potential", b)[0];
    dtau_dq.col(b) = around_.AlongQ("tau", b);
    dtau_dv.col(b) = around_.AlongV("tau", b);
  }
  EXPECT_LE(RelativeError(Vector("g"), g), kDifference);
  EXPECT_LE(RelativeError(Matrix("dtau_dq"), dtau_dq), kDifference);
  EXPECT_LE(RelativeError(Matrix("dtau_dv"), dtau_dv), kDifference);
  const MatrixXd Hdot = ToRows(around_.Rate("H"), n_), C = Matrix("C");
  EXPECT_LE(RelativeError(Matrix("Hdot"), Hdot), kDifference);
  if (GetParam().admissible) {
    EXPECT_LE(RelativeError(Matrix("Hdot"), C + C.transpose()), kExact);
  } else {
    EXPECT_GT((Matrix("Hdot") - C - C.transpose()).norm(), 1e-3);
  }
}

void EvalLaws::BodiesAndMomenta() const {
  const std::string J = "J:" + GetParam().body, Jdot = "Jdot:" + GetParam().body;
  EXPECT_LE(RelativeError(Matrix(Jdot), ToRows(around_.Rate(J), 6)), kDifference);
  MatrixXd Jcom(3, n_);
  for (int b = 0; b < n_; ++b) Jcom.col(b) = around_.AlongQ("com", b);
  EXPECT_LE(RelativeError(Matrix("Jcom"), Jcom), kDifference);
  EXPECT_LE(RelativeError(Matrix("AG") * Vector("v"), Vector("hG")), kExact);
  // The first wrench, at the body's origin in world axes, is J^T [moment; force] of tau_ext.
  Json state = given_;
  state["q"] = around_.state["q"];
  state["wrenches"].erase(1);
  const Json one = {{"states", {state}}};
  shell_.Write("one.json", one.dump());
  const Json result = shell_.Eval(GetParam().model + " " + GetParam().flags +
                                  " --states one.json --quantities tau_ext");
  VectorXd wrench(6);
  wrench << 0.3, 0.5, -0.7, 1, -2, 3;
  EXPECT_LE(RelativeError(ToVector(result["states"][0]["tau_ext"]), Matrix(J).transpose() * wrench),
            kExact);
}

void EvalLaws::MaximalCoordinates() const {
  const MatrixXd J = Matrix("J_max"), Jdot = Matrix("Jdot_max");
  const MatrixXd H = Matrix("H_max"), C = Matrix("C_max");
  EXPECT_LE(RelativeError(Jdot, ToRows(around_.Rate("J_max"), J.rows())), kDifference);
  EXPECT_EQ(static_cast<std::size_t>(J.rows()), 6 * around_.header["moving_bodies"].size());
  for (Eigen::Index i = 0; i < J.rows(); ++i) {
    for (Eigen::Index k = 0; k < J.rows(); ++k) {
      if (i / 6 == k / 6) continue;
      EXPECT_EQ(H(i, k), 0);
      EXPECT_EQ(C(i, k), 0);
    }
  }
  // A joint injection belongs to joint coordinates.
  if (GetParam().armature || GetParam().factorization.starts_with("joint")) return;
  EXPECT_LE(RelativeError(J.transpose() * H * J, Matrix("H")), kExact);
  EXPECT_LE(RelativeError(J.transpose() * (C * J + H * Jdot), Matrix("C")), kExact);
}

void EvalLaws::RiemannianConnectionIsKoszuls() const {
  Tensor3 rates(n_);
  for (int b = 0; b < n_; ++b) rates.Direction(b) = ToRows(around_.AlongQ("H", b), n_);
  ExpectSame(Tensor("Christoffel"), KoszulConnection(rates, s()), kDifference);
  EXPECT_EQ(Tensor("structure").MaxAbs() < 1e-12, GetParam().commuting);
  const VectorXd residuals = Vector("residuals");
  const double scale = Scale(Tensor("Gamma"));
  EXPECT_LE(residuals[2], kExact * scale);
  EXPECT_EQ(residuals[0] <= kExact * scale, GetParam().admissible);
  EXPECT_EQ(residuals[1] <= kExact * scale, Tensor("torsion").MaxAbs() <= kExact * scale);
}

/// [A_j, A_k] from differences of A and the brackets of the tree's velocities, which the frame
/// spans where it is integrable; ⟨A_i, [A_j, A_k]⟩ by the tree's H also where it does not.
void EvalLaws::StructureConstantsAreBracketsOfTheFrame() const {
  if (!around_.state.contains("A")) return;
  const MatrixXd A = Matrix("A");
  const Model tree = LoadModel(File(), {.loops = false}).model;
  const Tensor3 c = CalcStructureConstants(tree), structure = Tensor("structure");
  const MatrixXd H = CalcCoreDynamics(tree, Vector("q"), VectorXd::Zero(tree.nv())).H;
  double outside = 0;
  for (int j = 0; j < n_; ++j) {
    MatrixXd brackets = ToRows(around_.AlongQ("A", j), A.rows()) + Contract(c, A.col(j)) * A;
    for (int k = 0; k < n_; ++k) {
      brackets.col(k) -= ToRows(around_.AlongQ("A", k), A.rows()).col(j);
    }
    EXPECT_LE(
        RelativeError(A.transpose() * H * A * structure.Direction(j), A.transpose() * H * brackets),
        kDifference);
    outside = std::max(outside, RelativeError(A * structure.Direction(j), brackets));
  }
  if (GetParam().integrable) {
    EXPECT_LE(outside, kDifference);
  } else {
    EXPECT_GT(outside, 0.01);
  }
}

void EvalLaws::TensorsOfTheConnection() const {
  const Tensor3 Gamma = Tensor("Gamma"), Riemannian = Tensor("Christoffel"), s = this->s();
  const Tensor3 contorsion = Tensor("contorsion");
  ExpectSame(contorsion, Gamma - Riemannian, kExact);
  ExpectSame(Tensor("torsion"),
             MakeTensor3(n_, [&](int i, int j,
                                 int k) { return Gamma(i, j, k) - Gamma(i, k, j) - s(i, j, k); }),
             kExact);
  ExpectSame(LowerFirstIndex(Matrix("H"), Tensor("Gamma2")), Gamma, 1e-9);
  ExpectSame(Tensor("three_form"), AntisymmetricPart(contorsion), kExact);
  const Tensor3 partner = Tensor("Gamma_partner");
  ExpectSame(
      MakeTensor3(n_, [&](int i, int j, int k) { return partner(i, j, k) + partner(i, k, j); }),
      MakeTensor3(n_, [&](int i, int j,
                          int k) { return 2 * ToTensor(around_.state["GammaSym"])(i, j, k); }),
      kExact);
  // C v is right for every factorization: equal geodesics, so that the partner is Riemannian.
  ExpectSame(partner, Riemannian, kExact);
  if (GetParam().admissible) {
    ExpectSame(Tensor("three_form"), contorsion, kExact);
    ExpectSame(Tensor("Gamma_riemannian"), Riemannian, kExact);
  } else {
    EXPECT_GT((Tensor("three_form") - contorsion).MaxAbs(), 1e-3);
    EXPECT_GT((Tensor("Gamma_riemannian") - Riemannian).MaxAbs(), 1e-3);
  }
  if (GetParam().factorization != "christoffel" && n_ > 2) {
    EXPECT_GT(contorsion.MaxAbs(), 1e-4);
  }
}

/// The sparse algorithms of core.
void EvalLaws::ClosedChainsAreTheClusterAlgorithms() const {
  if (!around_.header.contains("independent")) return;
  const LoadedModel loaded = LoadModel(File());
  const VelocitySpace chains(loaded.model, loaded.loops,
                             {.independent = around_.header["independent"]});
  SpaceWorkspace<double> workspace(chains);
  const VectorXd q = Vector("q"), v = Vector("v");
  ASSERT_TRUE(UpdateKinematics(chains, q, v, workspace).ok());
  MatrixXd H(n_, n_), C(n_, n_);
  CalcCoriolisMatrix(chains, ParseFactorization(GetParam().factorization, chains.tree()), workspace,
                     {.C = C, .H = H});
  EXPECT_LE(RelativeError(Matrix("H"), H), kExact);
  EXPECT_LE(RelativeError(Matrix("C"), C), kExact);
  Tensor3 tree_Gamma(chains.nv()), Gamma(n_);
  CalcChristoffelSymbols(chains, workspace, tree_Gamma.numbers(), Gamma.numbers());
  ExpectSame(Tensor("Christoffel"), Gamma, kExact);
  VectorXd tau(n_), bias(n_);
  CalcBiasForces(chains, workspace, bias);
  EXPECT_LE(RelativeError(Vector("bias"), bias), kExact);
  CalcPassivityInverseDynamics(chains, ParseFactorization(GetParam().factorization, chains.tree()),
                               Given("v_r"), Given("vdot_r"), workspace, tau);
  EXPECT_LE(RelativeError(Vector("tau_r"), tau), kExact);
  // J A of the tree's J.
  Workspace<double>& tree = workspace.tree();
  MatrixXd J(6, chains.nv());
  CalcFrameJacobian(chains.tree(), chains.tree().FindFrame(GetParam().body), tree, J);
  EXPECT_LE(RelativeError(Matrix("J:" + GetParam().body), J * Matrix("A")), kExact);
}

TEST_P(EvalLaws, Hold) {
  EquationsOfMotion();
  DerivativesOfThem();
  BodiesAndMomenta();
  MaximalCoordinates();
  RiemannianConnectionIsKoszuls();
  StructureConstantsAreBracketsOfTheFrame();
  TensorsOfTheConnection();
  ClosedChainsAreTheClusterAlgorithms();
}

INSTANTIATE_TEST_SUITE_P(
    Trees, EvalLaws,
    testing::Values(
        Case{.model = "arm7", .body = "hand", .factorization = "t:0.7", .armature = true},
        Case{.model = "floating.xml", .body = "hand", .commuting = false},
        Case{.model = "floating.xml",
             .body = "arm",
             .factorization = "t:-2+body:hand:lin:0.8",
             .commuting = false},
        Case{.model = "floating.xml",
             .body = "hand",
             .factorization = "alpha:0.6",
             .admissible = false,
             .commuting = false}));

INSTANTIATE_TEST_SUITE_P(Coordinates, EvalLaws,
                         testing::Values(Case{.model = "floating.xml",
                                              .flags = "--coordinates body_twists",
                                              .body = "hand",
                                              .factorization = "t:0.3",
                                              .commuting = false},
                                         Case{.model = "floating.xml",
                                              .flags = "--coordinates mass_orthonormal",
                                              .body = "arm",
                                              .factorization = "t:-2+body:hand:lin:0.8",
                                              .commuting = false},
                                         Case{.model = "floating.xml",
                                              .flags = "--coordinates task:hand:pose",
                                              .body = "hand",
                                              .commuting = false},
                                         Case{.model = "floating.xml",
                                              .flags = "--coordinates com_decoupled",
                                              .body = "hand",
                                              .factorization = "alpha:0.6",
                                              .admissible = false,
                                              .commuting = false},
                                         Case{.model = "arm7",
                                              .flags = "--coordinates tall.csv",
                                              .body = "hand",
                                              .factorization = "plain",
                                              .armature = true},
                                         Case{.model = "arm7",
                                              .flags = "--coordinates frame.yaml",
                                              .body = "hand",
                                              .factorization = "body:hand:ang:{0.3*cos(q[1])}",
                                              .armature = true,
                                              .commuting = false}));

INSTANTIATE_TEST_SUITE_P(OpenFrames, EvalLaws,
                         testing::Values(Case{.model = "floating.xml",
                                              .flags = "--coordinates open_tall.yaml",
                                              .body = "hand",
                                              .commuting = false,
                                              .integrable = false},
                                         Case{.model = "floating.xml",
                                              .flags = "--coordinates open_tall.yaml",
                                              .body = "arm",
                                              .factorization = "t:0.6+body:hand:ang:0.05",
                                              .commuting = false,
                                              .integrable = false}));

INSTANTIATE_TEST_SUITE_P(ClosedChains, EvalLaws,
                         testing::Values(Case{.model = "four_bar",
                                              .flags = "--reduced",
                                              .body = "coupler",
                                              .factorization = "plain",
                                              .armature = true},
                                         Case{.model = "geared_arm",
                                              .flags = "--reduced",
                                              .body = "fore",
                                              .factorization = "t:0.5",
                                              .armature = false},
                                         Case{.model = "ball_loop.xml",
                                              .flags = "--reduced",
                                              .body = "hand",
                                              .commuting = false},
                                         Case{.model = "ball_loop.xml",
                                              .flags = "--reduced",
                                              .body = "hand",
                                              .factorization = "t:0.7+body:coupler:ang:0.4",
                                              .commuting = false},
                                         Case{.model = "ball_loop.xml",
                                              .flags = "--reduced --independent ball.x,crank",
                                              .body = "coupler",
                                              .factorization = "other",
                                              .commuting = false},
                                         Case{.model = "ball_loop.xml",
                                              .flags = "--reduced --independent ball.y,ball.x",
                                              .body = "rocker",
                                              .factorization = "alpha:0.6",
                                              .admissible = false,
                                              .commuting = false}));

}  // namespace eval_laws_test
}  // namespace civita
