#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "civita/christoffel.h"
#include "civita/space_dynamics.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/dense_chain.h"

namespace civita {

/// What chains that were checked had.
struct ChainFeatures {
  int loops = 0, welds = 0, gears = 0;
  double largest_rate = 0;  ///< of A
};

/// Expects that all that the core computes of a closed chain at q (closed) and a random w is as
/// DenseChain has it.
inline void CheckDenseEquations(const VelocitySpace& model, const Constraints& loops,
                                const Eigen::VectorXd& q,
                                const std::vector<Factorization>& factorizations, unsigned seed,
                                ChainFeatures* seen) {
  using Eigen::MatrixXd;
  using Eigen::VectorXd;
  constexpr double kDifferences = 1e-8;  // of fourth order
  const int nv = model.nv(), nw = model.nw();
  const DenseChain dense(model, loops);
  std::mt19937 random(seed);
  const VectorXd w = RandomVector(nw, &random), wdot = RandomVector(nw, &random),
                 w_r = RandomVector(nw, &random), tau = RandomVector(nv, &random);
  SpaceWorkspace<double> workspace(model);
  ASSERT_TRUE(UpdateKinematics<double>(model, q, w, workspace).ok());
  const DenseChain::Equations e = dense.Calc(q, w, {});
  MatrixXd A(nv, nw), Adot(nv, nw), H(nw, nw), C(nw, nw);
  VectorXd of_v(nv), of_w(nw);
  CalcVelocityMap<double>(model, workspace, A);
  Adot = workspace.map(model).Adot;
  EXPECT_LE(RelativeError(A, e.A), 1e-10);
  EXPECT_LE(RelativeError(Adot, e.Adot), kDifferences);
  CalcMassMatrix<double>(model, workspace, H);
  EXPECT_LE(RelativeError(H, e.H), 1e-10);
  CalcGravityForces<double>(model, workspace, of_w);
  EXPECT_LE(RelativeError(of_w, e.g), 1e-10);
  CalcBiasForces<double>(model, workspace, of_w);
  EXPECT_LE(RelativeError(of_w, e.bias), kDifferences);
  CalcInverseDynamics<double>(model, wdot, workspace, of_w);
  EXPECT_LE(RelativeError(of_w, e.H * wdot + e.bias), kDifferences);
  CalcReducedForces<double>(model, tau, workspace, of_w);
  EXPECT_LE(RelativeError(of_w, e.A.transpose() * tau), 1e-10);
  CalcTreeVelocity<double>(model, w_r, workspace, of_v);
  EXPECT_LE(RelativeError(of_v, e.A * w_r), 1e-10);
  CalcTreeAcceleration<double>(model, w_r, wdot, workspace, of_v);
  EXPECT_LE(RelativeError(of_v, e.A * wdot + e.Adot * w_r), kDifferences);
  for (const Factorization& factorization : factorizations) {
    const DenseChain::Equations f = dense.Calc(q, w, factorization);
    CalcCoriolisMatrix<double>(model, factorization, workspace, {.C = C, .H = H});
    EXPECT_LE(RelativeError(C, f.C), kDifferences);
    EXPECT_LE(RelativeError(H, e.H), 1e-10);
    CalcPassivityInverseDynamics<double>(model, factorization, w_r, wdot, workspace, of_w);
    EXPECT_LE(RelativeError(of_w, f.H * wdot + f.C * w_r + f.g), kDifferences);
  }
  std::vector<double> tree(ChristoffelIndex(nv, 0, 0, nv)), Gamma(ChristoffelIndex(nw, 0, 0, nw));
  CalcChristoffelSymbols<double>(model, workspace, tree, Gamma);
  const std::vector<MatrixXd> symbols = dense.CalcSymbols(q);
  for (int b = 0; b < nw; ++b) {
    MatrixXd slice(nw, nw);
    for (int a = 0; a < nw; ++a) {
      for (int c = 0; c < nw; ++c) slice(a, c) = Gamma[ChristoffelIndex(nw, a, b, c)];
    }
    EXPECT_LE(RelativeError(slice, symbols[static_cast<size_t>(b)]), kDifferences);
  }
  for (const RigidConstraint& loop : loops.rigid) {
    seen->loops += 1;
    seen->welds += loop.fixes_rotation ? 1 : 0;
  }
  seen->gears += static_cast<int>(loops.joints.size());
  seen->largest_rate = std::max(seen->largest_rate, e.Adot.cwiseAbs().maxCoeff());
}

}  // namespace civita
