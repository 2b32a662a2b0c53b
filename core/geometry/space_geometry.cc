#include "civita/geometry/space_geometry.h"

#include <vector>

#include "base/decompositions.h"
#include "civita/geometry/metric.h"
#include "civita/geometry/structure_constants.h"
#include "civita/mass_matrix.h"
#include "core/space/internal/space_scratch.h"

namespace civita {
namespace {

using Eigen::MatrixXd;

/// ∂_bA, the rate of A along A e_b, by b.
std::vector<MatrixXd> CalcMapRates(const VelocitySpace& space, internal::SpaceScratch<double>& s) {
  std::vector<MatrixXd> rates;
  for (int b = 0; b < space.nw(); ++b) {
    internal::CalcMapRate<double>(space, b, s);
    rates.push_back(s.dA);
  }
  return rates;
}

}  // namespace

Tensor3 CalcStructureConstants(const VelocitySpace& space, SpaceWorkspace<double>& workspace) {
  auto& s =
      internal::RequireSpace<double>(space, workspace, Stage::kPosition, "CalcStructureConstants");
  const Tensor3 c = CalcStructureConstants(space.tree());
  if (space.is_tree()) return c;
  const std::vector<MatrixXd> dA = CalcMapRates(space, s);
  CalcMassMatrix<double>(space.tree(), s.tree, s.H);
  // Least squares in the norm of H.
  MatrixXd root = MatrixXd::Identity(space.nv(), space.nv());
  if (const auto metric = internal::DecomposePositiveDefinite(s.H)) root = metric->L.transpose();
  const MatrixXd& A = s.map.A;
  const MatrixXd frame = root * A;
  Tensor3 constants(space.nw());
  for (int j = 0; j < space.nw(); ++j) {
    // Column k is A_j(A_k) − A_k(A_j) + [A_j, A_k] of the tree's frame.
    MatrixXd brackets = dA[static_cast<std::size_t>(j)] + Contract(c, A.col(j)) * A;
    for (int k = 0; k < space.nw(); ++k) {
      brackets.col(k) -= dA[static_cast<std::size_t>(k)].col(j);
    }
    constants.Direction(j) = internal::SolveLeastSquares(frame, root * brackets);
  }
  return constants;
}

Tensor3 CalcMetricRates(const VelocitySpace& space, SpaceWorkspace<double>& workspace) {
  auto& s = internal::RequireSpace<double>(space, workspace, Stage::kPosition, "CalcMetricRates");
  const Tensor3 h = CalcMetricRates(space.tree(), s.tree.q());
  if (space.is_tree()) return h;
  CalcMassMatrix<double>(space.tree(), s.tree, s.H);
  VelocityMap<double> along = s.map;
  Tensor3 rates(space.nw());
  for (int b = 0; b < space.nw(); ++b) {
    internal::CalcMapRate<double>(space, b, s);
    along.Adot = s.dA;
    ChangeMassMatrixRate<double>(along, s.H, Contract(h, along.A.col(b)), s.products,
                                 rates.Direction(b));
  }
  return rates;
}

}  // namespace civita
