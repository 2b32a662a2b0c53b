// Closed chains in their independent velocities: the laws that C̄ and Γ̄ inherit, and independent
// derivatives of A and H̄.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "civita/christoffel.h"
#include "civita/constrained_dynamics.h"
#include "civita/coriolis.h"
#include "civita/dual.h"
#include "civita/factorization_text.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/mass_matrix.h"
#include "civita/mujoco/constraints.h"
#include "civita/space_derivatives.h"
#include "civita/space_dynamics.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/linear.h"
#include "tests/oracles/mujoco/closed_chain.h"
#include "tests/oracles/random_model.h"
#include "tests/oracles/seeds.h"

namespace civita {
namespace cluster_laws_test {

constexpr double kExact = 1e-12;
constexpr double kDifferences = 1e-8;
const unsigned kSeeds = Seeds(6);

/// A closed chain at a closed configuration with velocities, and the core's results there.
struct State {
  ClosedChain chain;
  const VelocitySpace& model;
  SpaceWorkspace<double> workspace;
  Eigen::VectorXd q, w;

  State(const std::string& name, unsigned seed, const LoopOptions& options = {})
      : chain(LoadClosedChain(CIVITA_TEST_DATA_DIR "/closed", name, options)),
        model(*chain.model),
        workspace(model) {
    std::mt19937 random(seed);
    q = RandomClosedPosition(model, &random);
    w = RandomVector(model.nw(), &random);
    const Status status = UpdateKinematics(model, q, w, workspace);
    if (!status.ok()) throw std::runtime_error(Describe(model, status));
  }

  int nw() const { return model.nw(); }
  Eigen::VectorXd v() const { return workspace.tree().v(); }

  Eigen::MatrixXd A() const {
    Eigen::MatrixXd A(model.nv(), nw());
    CalcVelocityMap(model, workspace, A);
    return A;
  }
  Eigen::MatrixXd Adot() const { return workspace.map(model).Adot; }
  Eigen::MatrixXd C(const Factorization& factorization = {}) {
    Eigen::MatrixXd C(nw(), nw()), H(nw(), nw());
    CalcCoriolisMatrix(model, factorization, workspace, {.C = C, .H = H});
    return C;
  }
  Eigen::MatrixXd H() {
    Eigen::MatrixXd H(nw(), nw());
    CalcMassMatrix(model, workspace, H);
    return H;
  }
  /// The matrices Γ̄_abc over a, c, by b.
  std::vector<Eigen::MatrixXd> Gamma() {
    const size_t nv3 = ChristoffelIndex(model.nv(), 0, 0, model.nv());
    std::vector<double> tree(nv3), numbers(ChristoffelIndex(nw(), 0, 0, nw()));
    CalcChristoffelSymbols<double>(model, workspace, tree, numbers);
    std::vector<Eigen::MatrixXd> slices;
    for (int b = 0; b < nw(); ++b) {
      Eigen::MatrixXd slice(nw(), nw());
      for (int a = 0; a < nw(); ++a) {
        for (int c = 0; c < nw(); ++c) slice(a, c) = numbers[ChristoffelIndex(nw(), a, b, c)];
      }
      slices.push_back(slice);
    }
    return slices;
  }

  /// d/dt of a matrix f(workspace of dual numbers) along v = A w, w given, at this configuration.
  template <typename F>
  Eigen::MatrixXd DualRate(const Eigen::VectorXd& along, F f) const {
    SpaceWorkspace<Dual> dual(model);
    Eigen::VectorXd direction(model.nv());
    CalcTreeVelocity(model, along, workspace, direction);
    VectorX<Dual> moved(q.size());
    IntegratePosition<Dual>(model.tree(), q.cast<Dual>(), direction.cast<Dual>(), Dual(0, 1),
                            moved);
    const Status status = UpdateKinematics(model, moved, dual);
    if (!status.ok()) throw std::runtime_error(Describe(model, status));
    return Derivatives(f(dual));
  }
  Eigen::MatrixXd DualRateOfA(const Eigen::VectorXd& along) const {
    return DualRate(along, [this](SpaceWorkspace<Dual>& dual) {
      MatrixX<Dual> A(model.nv(), nw());
      CalcVelocityMap(model, dual, A);
      return A;
    });
  }
  Eigen::MatrixXd DualRateOfH(const Eigen::VectorXd& along) const {
    return DualRate(along, [this](SpaceWorkspace<Dual>& dual) {
      MatrixX<Dual> H(nw(), nw());
      CalcMassMatrix(model, dual, H);
      return H;
    });
  }
};

std::vector<Factorization> SomeFactorizations(const Model& tree) {
  std::vector<Factorization> all;
  for (const char* text : {"christoffel", "plain", "t:-0.7"}) {
    all.push_back(ParseFactorization(text, tree));
  }
  const std::string& body = tree.frames().back().name;
  all.push_back(ParseFactorization("t:0.3+body:" + body + ":ang:0.5", tree));
  std::mt19937 random(3);
  Factorization joint;
  joint.joint_injections = {{.beta = 0.3, .S = Eigen::Matrix3Xd(3, tree.nv()), .file = "S.csv"}};
  for (int i = 0; i < 3; ++i) joint.joint_injections[0].S.row(i) = RandomVector(tree.nv(), &random);
  all.push_back(joint);
  return all;
}

class ClusterLaws : public testing::TestWithParam<std::string> {
 protected:
  template <typename F>
  void ForEachState(F f) {
    for (unsigned seed = 0; seed < kSeeds; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      State state(GetParam(), seed);
      f(state);
    }
  }
};

TEST_P(ClusterLaws, VelocitiesKeepLoopsClosed) {
  ForEachState([](State& s) {
    const MujocoRows rows = CalcMujocoRows(s.chain, s.q);
    EXPECT_LE(rows.gap.cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_LE((rows.K * s.A()).cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_LE(RelativeError(s.v(), s.A() * s.w), kExact);
    // No further motion is possible: rank of K is nv − nw.
    EXPECT_EQ(linear::Rank(rows.K, 1e-7), s.model.nv() - s.nw());
  });
}

TEST_P(ClusterLaws, RatesOfAAreItsDerivatives) {
  ForEachState([](State& s) {
    EXPECT_LE(RelativeError(s.Adot(), s.DualRateOfA(s.w)), 1e-11);
    constexpr double h = 1e-3;
    const auto A_at = [&](double t) {
      SpaceWorkspace<double> workspace(s.model);
      Eigen::MatrixXd A(s.model.nv(), s.nw());
      EXPECT_TRUE(UpdateKinematics(s.model, SlideAlong(s.model, s.q, s.v(), t), workspace).ok());
      CalcVelocityMap(s.model, workspace, A);
      return A;
    };
    const Eigen::MatrixXd rate =
        (8 * (A_at(h) - A_at(-h)) - (A_at(2 * h) - A_at(-2 * h))) / (12 * h);
    EXPECT_LE(RelativeError(s.Adot(), rate), kDifferences);
  });
}

TEST_P(ClusterLaws, MassMatrixAndCoriolisMatrixAreTheCongruences) {
  ForEachState([](State& s) {
    const Eigen::MatrixXd A = s.A(), Adot = s.Adot();
    for (const Factorization& factorization : SomeFactorizations(s.model.tree())) {
      SCOPED_TRACE(ToString(factorization));
      const int nv = s.model.nv();
      Workspace<double> tree(s.model.tree());
      Eigen::MatrixXd H(nv, nv), C(nv, nv), H_of_C(s.nw(), s.nw()), C_of_C(s.nw(), s.nw());
      UpdateKinematics(s.model.tree(), s.q, s.v(), tree);
      CalcCoriolisMatrix(s.model.tree(), factorization, tree, {.C = C, .H = H});
      CalcCoriolisMatrix(s.model, factorization, s.workspace, {.C = C_of_C, .H = H_of_C});
      EXPECT_LE(RelativeError(C_of_C, A.transpose() * (C * A + H * Adot)), kExact);
      EXPECT_LE(RelativeError(H_of_C, A.transpose() * H * A), kExact);
      EXPECT_LE(RelativeError(s.H(), H_of_C), kExact);
    }
  });
}

TEST_P(ClusterLaws, MassMatrixRateIsCPlusItsTranspose) {
  ForEachState([](State& s) {
    constexpr double h = 1e-3;
    const auto H_at = [&](double t) {
      SpaceWorkspace<double> workspace(s.model);
      Eigen::MatrixXd H(s.nw(), s.nw());
      EXPECT_TRUE(UpdateKinematics(s.model, SlideAlong(s.model, s.q, s.v(), t), workspace).ok());
      CalcMassMatrix(s.model, workspace, H);
      return H;
    };
    const Eigen::MatrixXd Hdot =
        (8 * (H_at(h) - H_at(-h)) - (H_at(2 * h) - H_at(-2 * h))) / (12 * h);
    for (const Factorization& factorization : SomeFactorizations(s.model.tree())) {
      SCOPED_TRACE(ToString(factorization));
      const Eigen::MatrixXd C = s.C(factorization);
      EXPECT_LE(RelativeError(C + C.transpose(), Hdot), kDifferences);
    }
  });
}

TEST_P(ClusterLaws, CwIsTheBiasAndReferencesGoByTheSameC) {
  ForEachState([](State& s) {
    std::mt19937 random(4);
    const Eigen::VectorXd w_r = RandomVector(s.nw(), &random), wdot = RandomVector(s.nw(), &random);
    Eigen::VectorXd g(s.nw()), bias(s.nw()), tau(s.nw());
    CalcGravityForces(s.model, s.workspace, g);
    CalcBiasForces(s.model, s.workspace, bias);
    CalcInverseDynamics(s.model, wdot, s.workspace, tau);
    EXPECT_LE(RelativeError(tau, s.H() * wdot + bias), kExact);
    for (const Factorization& factorization : SomeFactorizations(s.model.tree())) {
      SCOPED_TRACE(ToString(factorization));
      const Eigen::MatrixXd C = s.C(factorization);
      // Gear ratios of 100 make a C with an injection at the coordinates large, but not its share
      // of C w.
      const double scale = std::max(1.0, C.cwiseAbs().maxCoeff());
      EXPECT_LE((C * s.w + g - bias).cwiseAbs().maxCoeff(), 1e-13 * scale + kExact * bias.norm());
      CalcPassivityInverseDynamics(s.model, factorization, w_r, wdot, s.workspace, tau);
      EXPECT_LE(RelativeError(tau, s.H() * wdot + C * w_r + g), kExact);
    }
  });
}

TEST_P(ClusterLaws, SymbolsContractWithVelocityToTheCoriolisMatrix) {
  ForEachState([](State& s) {
    const std::vector<Eigen::MatrixXd> Gamma = s.Gamma();
    Eigen::MatrixXd C = Eigen::MatrixXd::Zero(s.nw(), s.nw());
    for (int b = 0; b < s.nw(); ++b) C += Gamma[static_cast<size_t>(b)] * s.w[b];
    EXPECT_LE(RelativeError(C, s.C()), kExact);
  });
}

/// ⟨X̄_a, [X̄_b, X̄_c]⟩ as a matrix over a, c: A_ia H_ik times the bracket of columns b and c of A,
/// by derivatives along them and the structure constants of the tree's own rates.
Eigen::MatrixXd Brackets(State& s, int b) {
  const Model& tree = s.model.tree();
  Eigen::MatrixXd H(tree.nv(), tree.nv());
  CalcMassMatrix(tree, s.workspace.tree(), H);
  const Eigen::MatrixXd A = s.A();
  const Eigen::MatrixXd along_b = s.DualRateOfA(Eigen::VectorXd::Unit(s.nw(), b));
  Eigen::MatrixXd bracket(tree.nv(), s.nw());
  for (int c = 0; c < s.nw(); ++c) {
    const Eigen::MatrixXd along_c = s.DualRateOfA(Eigen::VectorXd::Unit(s.nw(), c));
    bracket.col(c) = along_b.col(c) - along_c.col(b);
    for (int k = 0; k < tree.nv(); ++k) {
      if (tree.rotation_triple(k) != k) continue;
      const Eigen::Vector3d x = A.col(b).segment<3>(k), y = A.col(c).segment<3>(k);
      bracket.col(c).segment<3>(k) += x.cross(y);
    }
  }
  return A.transpose() * H * bracket;
}

/// Both together determine the symbols uniquely.
TEST_P(ClusterLaws, SymbolsAreMetricCompatibleAndFreeOfTorsion) {
  ForEachState([](State& s) {
    const std::vector<Eigen::MatrixXd> Gamma = s.Gamma();
    for (int b = 0; b < s.nw(); ++b) {
      const Eigen::MatrixXd& slice = Gamma[static_cast<size_t>(b)];
      const Eigen::MatrixXd rate = s.DualRateOfH(Eigen::VectorXd::Unit(s.nw(), b));
      EXPECT_LE(RelativeError(slice + slice.transpose(), rate), 1e-11);
      Eigen::MatrixXd exchanged(s.nw(), s.nw());
      for (int c = 0; c < s.nw(); ++c) exchanged.col(c) = Gamma[static_cast<size_t>(c)].col(b);
      EXPECT_LE(RelativeError(slice - exchanged, Brackets(s, b)), 1e-11);
    }
  });
}

TEST_P(ClusterLaws, AccelerationIsMujocosWithExactConstraints) {
  ForEachState([](State& s) {
    std::mt19937 random(9);
    const Eigen::VectorXd tau = RandomVector(s.model.nv(), &random);
    Eigen::VectorXd tau_w(s.nw()), wdot(s.nw()), vdot(s.model.nv());
    CalcReducedForces(s.model, tau, s.workspace, tau_w);
    ASSERT_TRUE(CalcForwardDynamics(s.model, tau_w, s.workspace, wdot));
    CalcTreeAcceleration(s.model, s.w, wdot, s.workspace, vdot);
    EXPECT_LE(RelativeError(vdot, MujocoConstrainedAcceleration(s.chain, s.q, s.v(), tau)), 1e-7);
  });
}

TEST_P(ClusterLaws, ConstrainedDynamicsOfTheTreeAcceleratesAlike) {
  ForEachState([](State& s) {
    const Model& tree = s.model.tree();
    ConstrainedDynamics constrained(tree, ReadConstraints(*s.chain.mj, tree), s.q);
    ASSERT_EQ(constrained.Update(s.workspace.tree()), Status::kOk);
    EXPECT_EQ(constrained.rank(), s.model.nv() - s.nw());
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(s.model.nv());
    Eigen::VectorXd vdot(s.model.nv()), lambda(constrained.num_rows()), wdot(s.nw()), of_w(vdot);
    ASSERT_EQ(constrained.CalcForwardDynamics(zero, s.workspace.tree(), vdot, lambda), Status::kOk);
    ASSERT_TRUE(CalcForwardDynamics(s.model, zero.head(s.nw()), s.workspace, wdot));
    CalcTreeAcceleration(s.model, s.w, wdot, s.workspace, of_w);
    EXPECT_LE(RelativeError(vdot, of_w), 1e-7);
  });
}

TEST_P(ClusterLaws, DerivativesOfTheTreesMotionAreThoseByDualNumbers) {
  ForEachState([](State& s) {
    const int nv = s.model.nv(), nw = s.nw();
    std::mt19937 random(9);
    const Eigen::VectorXd wdot = RandomVector(nw, &random);
    Eigen::MatrixXd dv_dq(nv, nw), dvdot_dq(nv, nw), dvdot_dw(nv, nw), by_q(nv, nw);
    CalcTreeMotionDerivatives(s.model, wdot, s.workspace, dv_dq, dvdot_dq, dvdot_dw);
    SpaceWorkspace<Dual> moving(s.model);
    VectorX<Dual> q(s.q.size()), vdot(nv);
    const Eigen::MatrixXd A = s.A();
    for (int j = 0; j < nw; ++j) {
      IntegratePosition<Dual>(s.model.tree(), s.q.cast<Dual>(), A.col(j).cast<Dual>(), Dual(0, 1),
                              q);
      ASSERT_TRUE(UpdateKinematics<Dual>(s.model, q, s.w.cast<Dual>(), moving).ok());
      EXPECT_LE(RelativeError(dv_dq.col(j), Derivatives(moving.tree().v())), 1e-8);
      CalcTreeAcceleration<Dual>(s.model, s.w.cast<Dual>(), wdot.cast<Dual>(), moving, vdot);
      EXPECT_LE(RelativeError(dvdot_dq.col(j), Derivatives(vdot)), 1e-7);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Chains, ClusterLaws, testing::ValuesIn(ClosedChainNames()),
                         [](const auto& chain) { return chain.param; });

}  // namespace cluster_laws_test
}  // namespace civita
