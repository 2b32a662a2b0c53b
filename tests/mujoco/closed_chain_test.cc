// Closed chains against the reference data, MuJoCo's own constraints and the four-bar's closed
// form; the choice of coordinates, notices, and errors.

#include "tests/oracles/mujoco/closed_chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "civita/christoffel.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/manifold.h"
#include "civita/mujoco/constraints.h"
#include "civita/mujoco/convert.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/linear.h"
#include "tests/oracles/random_model.h"
#include "tests/oracles/reference_model.h"

namespace civita {
namespace closed_chain_test {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kTolerance = 1e-11;

ClosedChain Load(const std::string& name, const LoopOptions& options = {}) {
  return LoadClosedChain(CIVITA_TEST_DATA_DIR "/closed", name, options);
}

std::string MessageOf(const std::string& mjcf, const LoopOptions& options = {}) {
  try {
    LoadClosedChainText(mjcf, options);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

/// Reduced quantities of a reference file at its states.
void ExpectReference(const std::string& name, const VelocitySpace& model, const char* position,
                     const char* velocity, const char* acceleration) {
  const std::string directory = CIVITA_TEST_DATA_DIR "/reference";
  const ReferenceModel reference = LoadReferenceModel(directory, name);
  std::ifstream stream(directory + "/" + name + ".json");
  const nlohmann::json file = nlohmann::json::parse(stream);
  SpaceWorkspace<double> workspace(model);
  const int nw = model.nw();
  Eigen::MatrixXd H(nw, nw), C(nw, nw), plain(nw, nw);
  Eigen::VectorXd g(nw), bias(nw), tau(nw);
  std::vector<double> tree(ChristoffelIndex(model.nv(), 0, 0, model.nv()));
  std::vector<double> Gamma(ChristoffelIndex(nw, 0, 0, nw));
  for (size_t s = 0; s < reference.states.size(); ++s) {
    SCOPED_TRACE("state " + std::to_string(s));
    const ReferenceModel::Values& state = reference.states[s];
    const Status status =
        UpdateKinematics(model, state.at(position), state.at(velocity), workspace);
    ASSERT_TRUE(status.ok()) << Describe(model, status);
    EXPECT_LE(status.residual, 1e-12);
    CalcCoriolisMatrix(model, {}, workspace, {.C = C, .H = H});
    CalcGravityForces(model, workspace, g);
    CalcBiasForces(model, workspace, bias);
    CalcInverseDynamics(model, state.at(acceleration), workspace, tau);
    CalcChristoffelSymbols<double>(model, workspace, tree, Gamma);
    EXPECT_LE(RelativeError(H, state.at("M")), kTolerance);
    EXPECT_LE(RelativeError(C, state.at("C")), kTolerance);
    EXPECT_LE(RelativeError(g, state.at("gravity_torque")), kTolerance);
    EXPECT_LE(RelativeError(bias, state.at("Cqd") + state.at("gravity_torque")), kTolerance);
    EXPECT_LE(RelativeError(tau, state.at("tau")), kTolerance);
    if (state.contains("C_vxI")) {
      CalcCoriolisMatrix(model, ParseFactorization("plain", model.tree()), workspace,
                         {.C = plain, .H = H});
      EXPECT_LE(RelativeError(plain, state.at("C_vxI")), kTolerance);
    }
    const nlohmann::json& symbols = file.at("states").at(s).at("Gamma");
    for (int i = 0; i < nw; ++i) {
      for (int j = 0; j < nw; ++j) {
        for (int k = 0; k < nw; ++k) {
          EXPECT_NEAR(Gamma[ChristoffelIndex(nw, i, j, k)], symbols.at(i).at(j).at(k).get<double>(),
                      1e-11);
        }
      }
    }
  }
}

TEST(ClosedChainReference, FourBarInATree) {
  const ReferenceModel reference =
      LoadReferenceModel(CIVITA_TEST_DATA_DIR "/reference", "fourbar_tree");
  const Model tree = BuildTree(reference.spec);
  Constraints loops;
  loops.rigid.push_back({.name = "loop",
                         .A = tree.frames()[2],
                         .B = tree.frames()[3],
                         .point_A = {0.9, 0, 0},
                         .point_B = {0.7, 0, 0}});
  const VelocitySpace model(
      tree, loops, {.independent = {"joint_b1"}, .start = reference.states[0].at("q_full")});
  EXPECT_THAT(model.independent(), ElementsAre(0, 1, 4));
  EXPECT_EQ(model.clusters().size(), 1U);
  ExpectReference("fourbar_tree", model, "q_full", "yd", "ydd");
  SpaceWorkspace<double> workspace(model);
  Eigen::MatrixXd A(5, 3), Adot(5, 3);
  for (const ReferenceModel::Values& state : reference.states) {
    ASSERT_TRUE(UpdateKinematics(model, state.at("q_full"), state.at("yd"), workspace).ok());
    CalcVelocityMap(model, workspace, A);
    Adot = workspace.map(model).Adot;
    EXPECT_LE(RelativeError(A, state.at("G")), kTolerance);
    EXPECT_LE(RelativeError(Adot, state.at("Gdot")), kTolerance);
    EXPECT_LE(RelativeError(workspace.tree().v(), state.at("qd_full")), kTolerance);
    // From elsewhere the dependent joints return, the independent ones keep their values.
    Eigen::VectorXd q = state.at("q_full");
    q[2] += 0.2;
    q[3] -= 0.15;
    ASSERT_TRUE(CloseLoops(model, workspace, q).ok());
    EXPECT_LE(RelativeError(q, state.at("q_full")), 1e-10);
  }
}

TEST(ClosedChainReference, RotorsOnAChain) {
  const ReferenceModel reference =
      LoadReferenceModel(CIVITA_TEST_DATA_DIR "/reference", "rotor_chain4");
  Constraints loops;
  for (int i = 0; i < 4; ++i) {
    loops.joints.push_back({.name = "gear" + std::to_string(i),
                            .joint = 4 + i,
                            .leader = i,
                            .polynomial = {0, reference.G(4 + i, i)}});
  }
  const VelocitySpace model(BuildTree(reference.spec), loops);
  EXPECT_THAT(model.independent(), ElementsAre(0, 1, 2, 3)) << "rotors follow";
  EXPECT_EQ(model.clusters().size(), 4U);
  ExpectReference("rotor_chain4", model, "q_full", "qd", "qdd");
}

/// Ratios of the planar four-bar's velocities from its angles: with crank a, coupler b, rocker c
/// and absolute angles, b ω_b sin(θ_b − θ_c) = a ω_a sin(θ_c − θ_a) and c ω_c sin(θ_c − θ_b) = a
/// ω_a sin(θ_a − θ_b).
TEST(FourBar, RatiosAndPositionsAreTheClosedForm) {
  const ClosedChain chain = Load("four_bar", {.independent = {"crank"}});
  const VelocitySpace& model = *chain.model;
  EXPECT_THAT(model.Names(), ElementsAre("crank"));
  SpaceWorkspace<double> workspace(model);
  const double a = 0.15, b = 0.4, c = 0.3, d = 0.4;
  Eigen::VectorXd q = model.closed_start();
  for (int i = 0; i < 100; ++i) {  // more than a turn, since a crank can
    q[0] += 0.08;
    const Status closed = CloseLoops(model, workspace, q);
    ASSERT_TRUE(closed.ok()) << Describe(model, closed);
    const double crank = q[0], coupler = q[0] + q[1], rocker = q[2];
    const double x = d - a * std::cos(crank), z = -a * std::sin(crank);
    const double diagonal = std::hypot(x, z);
    const double between = std::acos((b * b + diagonal * diagonal - c * c) / (2 * b * diagonal));
    EXPECT_NEAR(std::remainder(std::atan2(z, x) + between - coupler, 2 * M_PI), 0, 1e-12);
    ASSERT_TRUE(UpdateKinematics(model, q, Eigen::VectorXd::Ones(1), workspace).ok());
    const double coupler_rate = a * std::sin(rocker - crank) / (b * std::sin(coupler - rocker));
    const double rocker_rate = a * std::sin(crank - coupler) / (c * std::sin(rocker - coupler));
    EXPECT_NEAR(workspace.tree().v()[0] + workspace.tree().v()[1], coupler_rate, 1e-12);
    EXPECT_NEAR(workspace.tree().v()[2], rocker_rate, 1e-12);
  }
}

/// Out of reach: crank and coupler in line are too short for the given rocker angle.
TEST(FourBar, WhatDoesNotCloseIsReported) {
  const ClosedChain chain = Load("four_bar", {.independent = {"rocker"}});
  SpaceWorkspace<double> workspace(*chain.model);
  Eigen::VectorXd q = chain.model->closed_start();
  q[2] = 0.1;
  const Status status = CloseLoops(*chain.model, workspace, q);
  EXPECT_EQ(status, Status::kNotClosed);
  EXPECT_GT(status.residual, 0.01);
  EXPECT_EQ(q[2], 0.1);
  EXPECT_THAT(Describe(*chain.model, status), HasSubstr("'loop' does not close"));
}

/// At the rocker's dead points crank and coupler are in line, and the rocker does not determine
/// the crank.
TEST(FourBar, DeadPointsAreSingularAndSaidSo) {
  const double a = 0.15, b = 0.4, c = 0.3, d = 0.4;
  const double reach = a + b;
  const double crank = std::acos((reach * reach + d * d - c * c) / (2 * reach * d));
  const double rocker = std::atan2(reach * std::sin(crank), reach * std::cos(crank) - d);
  const ClosedChain chain = Load("four_bar", {.independent = {"rocker"}});
  const VelocitySpace& model = *chain.model;
  SpaceWorkspace<double> workspace(model);
  const Eigen::Vector3d q(crank, 0, rocker);
  const Status status = UpdateKinematics<double>(model, q, workspace);
  EXPECT_LE(status.residual, 1e-12);
  EXPECT_EQ(status.code, Status::kSingularLoops);
  EXPECT_EQ(status.index, 0);
  EXPECT_GT(status.condition, 1e6);
  EXPECT_THAT(Describe(model, status), HasSubstr("cluster 'loop' is singular here"));
  Eigen::MatrixXd H(1, 1);
  EXPECT_THROW(CalcMassMatrix(model, workspace, H), ContractError);
  // Elsewhere it is regular, and with the crank as independent coordinate here too.
  EXPECT_LT(UpdateKinematics<double>(model, model.closed_start(), workspace).condition, 30);
  const ClosedChain by_crank = Load("four_bar", {.independent = {"crank"}});
  SpaceWorkspace<double> other(*by_crank.model);
  EXPECT_TRUE(UpdateKinematics<double>(*by_crank.model, q, other).ok());
}

/// Rows and residuals of every kind of equality equal MuJoCo's, with bodies away from their
/// anchors.
TEST(Loops, AreMujocos) {
  const std::string bodies = R"(<worldbody>
    <body name="a" pos="0.3 0 0.1" euler="10 20 30"><joint name="a1" axis="1 2 0.5"/>
      <joint name="a2" axis="0 1 0.5" pos="0.1 0 0"/><geom size="0.1" pos="0.1 0 0"/>
      <site name="sa" pos="0.2 0.1 0" euler="0 40 0"/>
      <body name="a3" pos="0.2 0 0"><joint name="a3" type="ball"/><geom size="0.1"/></body></body>
    <body name="b" pos="-0.3 0.2 0.1" euler="-20 5 0"><freejoint/><geom size="0.1"/>
      <body name="c" pos="0 0.4 0"><joint name="c" type="slide"/><geom size="0.1"/>
      <site name="sc" pos="0.1 0.3 0.2" euler="50 0 10"/></body></body></worldbody>)";
  for (const std::string equality :
       {R"(<connect body1="a3" body2="c" anchor="0.1 0.2 0.3"/>)",
        R"(<connect body1="c" anchor="0.1 0.2 0.3"/>)", R"(<connect site1="sa" site2="sc"/>)",
        R"(<weld body1="c" body2="a3" anchor="0.3 0.1 0.2"/>)", R"(<weld body1="a3"/>)",
        R"(<weld body1="a3" body2="c" relpose="0.1 0.2 0.1 0.9 0.1 0.2 0.3" anchor="0 0.1 0"/>)",
        R"(<weld site1="sa" site2="sc"/>)",
        R"(<joint joint1="a1" joint2="c" polycoef="0.1 0.2 0.3 0.4 0.5"/>)"}) {
    SCOPED_TRACE(equality);
    char error[500] = "";
    std::string text = "<mujoco>";
    text.append(bodies).append("<equality>").append(equality).append("</equality></mujoco>");
    const std::unique_ptr<mjSpec, MujocoDeleter> spec(
        mj_parseXMLString(text.c_str(), nullptr, error, sizeof error));
    ASSERT_NE(spec, nullptr) << error;
    ClosedChain chain;
    chain.mj.reset(mj_compile(spec.get(), nullptr));
    ASSERT_NE(chain.mj, nullptr) << mjs_getError(spec.get());
    chain.mj->opt.jacobian = mjJAC_DENSE;
    chain.data.reset(mj_makeData(chain.mj.get()));
    const Model tree = BuildModel(*chain.mj);
    chain.model = std::make_unique<VelocitySpace>(tree, ReadConstraints(*chain.mj, tree));
    const VelocitySpace& model = *chain.model;
    std::mt19937 random(5);
    const Eigen::VectorXd q = RandomClosedPosition(model, &random, 0.4);
    const MujocoRows rows = CalcMujocoRows(chain, q);
    EXPECT_EQ(rows.K.rows(), model.clusters().front().num_rows);
    EXPECT_LE(rows.gap.cwiseAbs().maxCoeff(), 1e-11);
    SpaceWorkspace<double> workspace(model);
    ASSERT_TRUE(UpdateKinematics<double>(model, q, workspace).ok());
    Eigen::MatrixXd A(model.nv(), model.nw());
    CalcVelocityMap(model, workspace, A);
    EXPECT_LE((rows.K * A).cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_EQ(linear::Rank(rows.K), model.nv() - model.nw());
  }
}

constexpr char kTwoLinks[] = R"(<mujoco><worldbody>
  <body name="a"><joint name="a" axis="0 1 0"/><geom size="0.1" pos="0.1 0 0"/>
    <body name="b" pos="0.5 0 0"><joint name="b" axis="0 1 0"/><geom size="0.1"/>
      <site name="end" pos="0.5 0 0"/></body></body>
  <site name="far" pos="1.7 0 0"/><site name="straight" pos="1 0 0"/></worldbody>
  <equality>EQUALITY</equality></mujoco>)";

std::string TwoLinks(const std::string& equality) {
  std::string text = kTwoLinks;
  return text.replace(text.find("EQUALITY"), 8, equality);
}

TEST(VelocitySpace, LoopsThatCannotCloseAreAnError) {
  EXPECT_THAT(MessageOf(TwoLinks(R"(<connect name="reach" site1="end" site2="far"/>)")),
              testing::AllOf(HasSubstr("cluster 'reach' does not close"),
                             HasSubstr("place its bodies, or the ref of its joints")));
  EXPECT_THAT(MessageOf(TwoLinks(R"(<joint name="one" joint1="a" polycoef="0.1 0 0 0 0"/>
                                    <joint name="two" joint1="a" polycoef="0.2 0 0 0 0"/>)")),
              HasSubstr("'one', 'two' does not close"));
}

/// Two links stretched to their limit: the independent rows of K are singular there.
TEST(VelocitySpace, SingularStartsAreAnError) {
  EXPECT_THAT(MessageOf(TwoLinks(R"(<connect name="stretched" site1="end" site2="straight"/>)")),
              HasSubstr("'stretched' is singular at its start"));
}

TEST(VelocitySpace, RedundantRowsThatAgreeAreNoError) {
  const ClosedChain chain =
      LoadClosedChainText(TwoLinks(R"(<joint joint1="a" joint2="b" polycoef="0 2 0 0 0"/>
                                      <joint joint1="b" joint2="a" polycoef="0 0.5 0 0 0"/>
                                      <joint joint1="a" joint2="b" polycoef="0 2 0 0 0"/>)"));
  EXPECT_EQ(chain.model->nw(), 1);
  EXPECT_EQ(chain.model->clusters().front().num_rows, 3);
}

TEST(VelocitySpace, InactiveAndDisabledEqualitiesAreLeftOut) {
  const ClosedChain chain =
      LoadClosedChainText(TwoLinks(R"(<connect active="false" site1="end" site2="far"/>)"));
  EXPECT_EQ(chain.model->nw(), 2);
  EXPECT_TRUE(chain.model->clusters().empty());
  ClosedChain disabled = Load("four_bar");
  disabled.mj->opt.disableflags |= mjDSBL_EQUALITY;
  EXPECT_TRUE(ReadConstraints(*disabled.mj, disabled.model->tree()).empty());
}

TEST(VelocitySpace, ClustersAreTheSmallestCoupledSets) {
  const ClosedChain leg = Load("leg_linkage");
  ASSERT_EQ(leg.model->clusters().size(), 1U);
  EXPECT_EQ(leg.model->clusters()[0].num_coordinates(), 4);
  EXPECT_EQ(leg.model->nw(), 9) << "the third row of a planar loop's connect says nothing";
  const ClosedChain arm = Load("geared_arm");
  EXPECT_EQ(arm.model->clusters().size(), 3U);
  EXPECT_THAT(arm.model->Names(), ElementsAre("joint1", "joint2", "joint3"));
  EXPECT_EQ(Load("bennett").model->nw(), 1);
  EXPECT_EQ(Load("welded_ring").model->nw(), 1);
  EXPECT_EQ(Load("free_coupler").model->clusters().size(), 2U);
}

TEST(VelocitySpace, NamedCoordinatesAreIndependent) {
  const ClosedChain leg = Load("leg_linkage", {.independent = {"crank", "thigh"}});
  EXPECT_THAT(leg.model->Names(), testing::IsSupersetOf({"crank", "thigh", "hip_roll"}));
  const ClosedChain wrist = Load("differential", {.independent = {"left"}});
  EXPECT_THAT(wrist.model->Names(), ElementsAre("elbow", "pitch", "left"));
  const auto message = [](const std::vector<std::string>& names) -> std::string {
    try {
      Load("differential", {.independent = names});
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message({"left", "right"}),
              HasSubstr("has 1 independent coordinates; those that were asked for"));
  EXPECT_THAT(message({"rol"}), HasSubstr("did you mean 'roll'"));
}

TEST(VelocitySpace, LoopsHoldForTreesOfOtherMasses) {
  ClosedChain chain = Load("four_bar");
  for (int i = 1; i < chain.mj->nbody; ++i) chain.mj->body_mass[i] *= 1 + i;
  const Model heavy = BuildModel(*chain.mj);
  const VelocitySpace moved(*chain.model, heavy);
  const VelocitySpace built(heavy, ReadConstraints(*chain.mj, heavy),
                            {.independent = chain.model->Names()});
  Eigen::MatrixXd H(1, 1), expected(1, 1);
  for (auto [model, out] : {std::pair{&moved, &H}, {&built, &expected}}) {
    SpaceWorkspace<double> workspace(*model);
    ASSERT_TRUE(UpdateKinematics<double>(*model, model->closed_start(), workspace).ok());
    CalcMassMatrix<double>(*model, workspace, *out);
  }
  EXPECT_NEAR(H(0, 0), expected(0, 0), 1e-12 * expected(0, 0));
  EXPECT_EQ(moved.Names(), chain.model->Names());
  EXPECT_THROW(VelocitySpace(*chain.model, Load("geared_arm").model->tree()), ContractError);
}

TEST(Loops, OtherEqualitiesAreNamed) {
  const std::string text = R"(<mujoco><worldbody><body><joint name="a"/>
    <joint name="b" axis="0 1 0"/><joint name="c" axis="1 0 0"/><geom size="0.1" pos="1 1 1"/></body>
    </worldbody><tendon><fixed name="t"><joint joint="a" coef="1"/><joint joint="b" coef="1"/>
    <joint joint="c" coef="1"/></fixed></tendon>
    <equality><tendon name="pull" tendon1="t"/></equality></mujoco>)";
  EXPECT_THAT(MessageOf(text), HasSubstr("'pull' closes no loop"));
}

}  // namespace closed_chain_test
}  // namespace civita
