// Every state of every reference model, in MuJoCo's conventions.

#include <filesystem>

#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/core_dynamics.h"
#include "tests/oracles/reference_model.h"

namespace civita {
namespace reference_test {

constexpr double kTolerance = 1e-11;

ReferenceModel Load(const std::string& name) {
  return LoadReferenceModel(CIVITA_TEST_DATA_DIR "/reference", name);
}

class ReferenceTest : public testing::TestWithParam<std::string> {};

void ExpectDynamics(const Model& model, const ReferenceModel::Values& state) {
  const Eigen::VectorXd q = state.at("q"), v = state.at("v");
  const CoreDynamics d = CalcCoreDynamics(model, q, v);
  EXPECT_LE(RelativeError(d.H, state.at("H")), kTolerance);
  EXPECT_LE(RelativeError(d.H_of_C, state.at("H")), kTolerance);
  EXPECT_LE(RelativeError(d.Hdot, state.at("Hdot")), kTolerance);
  EXPECT_LE(RelativeError(d.C, state.at("C")), kTolerance);
  EXPECT_LE(RelativeError(d.g, state.at("g")), kTolerance);
  EXPECT_LE(RelativeError(d.bias, state.at("Cv") + state.at("g")), kTolerance);
  EXPECT_LE(RelativeError(d.C.transpose() * v, state.at("CTv")), kTolerance);
  EXPECT_LE(RelativeError(d.H * v, state.at("p")), kTolerance);
  EXPECT_LE(RelativeError(d.kinetic_energy, state.at("kinetic_energy")(0, 0)), kTolerance);
  EXPECT_LE(RelativeError(d.potential_energy, state.at("potential_energy")(0, 0)), kTolerance);
  EXPECT_LE(RelativeError(CalcCoreInverseDynamics(model, q, v, state.at("vdot")), state.at("tau")),
            kTolerance);
  const Eigen::VectorXd tau_SL = d.H * state.at("vdot_r") + d.C * state.at("v_r") + d.g;
  EXPECT_LE(RelativeError(tau_SL, state.at("tau_SL")), kTolerance);

  const CoreDynamics plain = CalcCoreDynamics(model, q, v, Factorization::Torsion(1));
  const CoreDynamics other = CalcCoreDynamics(model, q, v, Factorization::Torsion(-1));
  EXPECT_LE(RelativeError(plain.C, state.at("C_vxI")), kTolerance);
  EXPECT_LE(RelativeError(other.C, state.at("C_alt")), kTolerance);
}

TEST_P(ReferenceTest, DynamicsAgree) {
  const ReferenceModel reference = Load(GetParam());
  const Model model = BuildTree(reference.spec);
  for (size_t i = 0; i < reference.states.size(); ++i) {
    SCOPED_TRACE("state " + std::to_string(i));
    const ReferenceModel::Values& state = reference.states[i];
    if (!reference.cluster) {
      ExpectDynamics(model, state);
    } else if (reference.G.size() > 0) {
      const Eigen::MatrixXd& G = reference.G;
      const CoreDynamics d = CalcCoreDynamics(model, state.at("q_full"), G * state.at("qd"));
      const CoreDynamics plain = CalcCoreDynamics(model, state.at("q_full"), G * state.at("qd"),
                                                  Factorization::Torsion(1));
      EXPECT_LE(RelativeError(G.transpose() * d.H * G, state.at("M")), kTolerance);
      EXPECT_LE(RelativeError(G.transpose() * d.C * G, state.at("C")), kTolerance);
      EXPECT_LE(RelativeError(G.transpose() * plain.C * G, state.at("C_vxI")), kTolerance);
      EXPECT_LE(RelativeError(G.transpose() * d.g, state.at("gravity_torque")), kTolerance);
      EXPECT_LE(RelativeError(G.transpose() * d.Hdot * G, state.at("Mdot")), kTolerance);
    } else {
      const CoreDynamics d = CalcCoreDynamics(model, state.at("q_full"), state.at("qd_full"));
      EXPECT_LE(RelativeError(d.H, state.at("M_full")), kTolerance);
      EXPECT_LE(RelativeError(d.C, state.at("C_full")), kTolerance);
      const Eigen::MatrixXd& G = state.at("G");
      EXPECT_LE(RelativeError(G.transpose() * (d.C * G + d.H * state.at("Gdot")), state.at("C")),
                kTolerance);
      EXPECT_LE(RelativeError(G.transpose() * d.g, state.at("gravity_torque")), kTolerance);
    }
  }
}

// If plain and Christoffel C coincided in the files, a C with wrong torsion would pass.
TEST_P(ReferenceTest, ChristoffelDiffersFromPlainWhereItCan) {
  const ReferenceModel reference = Load(GetParam());
  if (reference.cluster) return;
  const ReferenceModel::Values& state = reference.states.front();
  const double difference = RelativeError(state.at("C_vxI"), state.at("C"));
  if (reference.name == "star13") {
    EXPECT_LE(difference, kTolerance);
  } else {
    EXPECT_GT(difference, 1e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, ReferenceTest, testing::ValuesIn(ReferenceModelNames()),
                         [](const auto& param) { return param.param; });

TEST(ReferenceDataTest, EveryFileIsTested) {
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CIVITA_TEST_DATA_DIR "/reference")) {
    files += entry.path().extension() == ".json" ? 1 : 0;
  }
  EXPECT_EQ(files, ReferenceModelNames().size());
}

TEST(ReferenceDataTest, MissingFileIsAnError) {
  EXPECT_THROW(Load("no_such_model"), std::runtime_error);
}

}  // namespace reference_test
}  // namespace civita
