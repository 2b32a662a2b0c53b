// The geometry of open trees and closed chains, by laws that its parts must satisfy together.

#include "civita/sim/plant_geometry.h"

#include <gtest/gtest.h>

#include <random>

#include "civita/geometry/metric.h"
#include "civita/geometry/torsion.h"
#include "tests/oracles/mujoco/closed_chain.h"

namespace civita {
namespace plant_geometry_test {

// Ball joints and free bodies in loops too: the torsion-free connection by C, Ḣ and the structure
// constants is the Riemannian one, which all three must know.
TEST(PlantGeometry, TheChristoffelConnectionOfClosedChainsIsRiemannian) {
  std::mt19937 random(5);
  double largest_constant = 0;
  for (const std::string& name : ClosedChainNames()) {
    SCOPED_TRACE(name);
    const ClosedChain chain = LoadClosedChain(CIVITA_TEST_DATA_DIR "/closed", name);
    PlantGeometry geometry(chain.model->tree(), chain.model.get());
    const Eigen::VectorXd q = RandomClosedPosition(*chain.model, &random);
    const int n = geometry.size();
    Tensor3 Gamma(n), rates(n);
    Eigen::MatrixXd C(n, n), H(n, n), Hdot(n, n);
    for (int j = 0; j < n; ++j) {
      ASSERT_TRUE(geometry.UpdateSelected(q, Eigen::VectorXd::Unit(n, j)));
      geometry.CalcCoriolisMatrix(Factorization(), {.C = C, .H = H});
      geometry.CalcMassMatrixDerivative(Hdot);
      Gamma.Direction(j) = C;
      rates.Direction(j) = Hdot;
    }
    const Tensor3 constants = geometry.CalcStructureConstants();
    largest_constant = std::max(largest_constant, constants.MaxAbs());
    const ConnectionResiduals rest =
        CalcConnectionResiduals(Gamma, rates, LowerFirstIndex(H, constants));
    const double scale = H.cwiseAbs().maxCoeff() + Gamma.MaxAbs();
    EXPECT_LT(rest.metric, 1e-11 * scale);
    EXPECT_LT(rest.torsion, 1e-11 * scale);
    EXPECT_LT(rest.geodesics, 1e-11 * scale);
  }
  EXPECT_GT(largest_constant, 0.5) << "no chain has rotations among its independent velocities";
}

// The tree's energy at A w is that of w in the metric of the independent velocities, of which those
// of the tree keep the numbers.
TEST(PlantGeometry, TreeVelocitiesOfClosedChainsHaveTheEnergyOfTheIndependentOnes) {
  std::mt19937 random(6);
  for (const std::string& name : ClosedChainNames()) {
    SCOPED_TRACE(name);
    const ClosedChain chain = LoadClosedChain(CIVITA_TEST_DATA_DIR "/closed", name);
    const Model& tree = chain.model->tree();
    PlantGeometry geometry(tree, chain.model.get()), open(tree, nullptr);
    const Eigen::VectorXd q = RandomClosedPosition(*chain.model, &random);
    const int n = geometry.size();
    const Eigen::MatrixXd w = Eigen::MatrixXd::Random(n, 2);
    ASSERT_TRUE(geometry.UpdateSelected(q, w.col(0)));
    Eigen::MatrixXd v(tree.nv(), 2), H(n, n), tree_H(tree.nv(), tree.nv());
    geometry.CalcTreeVelocities(w, v);
    geometry.CalcMassMatrix(H);
    ASSERT_TRUE(open.Update(q, v.col(0)));
    open.CalcMassMatrix(tree_H);
    const Eigen::MatrixXd expected = w.transpose() * H * w;
    EXPECT_LT((v.transpose() * tree_H * v - expected).norm(), 1e-10 * expected.norm());
    Eigen::VectorXd selected(n);
    geometry.Select(v.col(1), selected);
    EXPECT_LT((selected - w.col(1)).norm(), 1e-12);
    open.CalcTreeVelocities(v, tree_H);
    EXPECT_EQ(tree_H, v);
  }
}

}  // namespace plant_geometry_test
}  // namespace civita
