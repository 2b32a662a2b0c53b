#include "tests/oracles/dual_dynamics.h"

#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/mass_matrix.h"
#include "tests/oracles/slow_dynamics.h"

namespace civita {

VectorX<Dual> DualAlong(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  VectorX<Dual> moved(model.nq());
  IntegratePosition<Dual>(model, q.cast<Dual>(), v.cast<Dual>(), Dual(0, 1), moved);
  return moved;
}

MatrixX<Dual> DualMassMatrix(const Model& model, const Eigen::VectorXd& q,
                             const Eigen::VectorXd& v) {
  Workspace<Dual> workspace(model);
  MatrixX<Dual> H(model.nv(), model.nv());
  UpdateKinematics(model, DualAlong(model, q, v), workspace);
  CalcMassMatrix(model, workspace, H);
  return H;
}

/// With X = e_j, Y = e_k, Z = e_i:
///   2⟨Z, ∇_X Y⟩ = X⟨Y,Z⟩ + Y⟨X,Z⟩ − Z⟨X,Y⟩ + ⟨[X,Y],Z⟩ − ⟨[X,Z],Y⟩ − ⟨[Y,Z],X⟩.
std::vector<Eigen::MatrixXd> DualKoszulSymbols(const Model& model, const TreeSpec& spec,
                                               const Eigen::VectorXd& q) {
  const int n = model.nv();
  const size_t count = static_cast<size_t>(n);
  std::vector<Eigen::MatrixXd> dH;
  Eigen::MatrixXd H;
  for (int j = 0; j < n; ++j) {
    const MatrixX<Dual> dual = DualMassMatrix(model, q, Eigen::VectorXd::Unit(n, j));
    H = Values(dual);
    dH.push_back(Derivatives(dual));
  }
  const std::vector<Eigen::MatrixXd> c = SlowStructureConstants(spec);
  std::vector<Eigen::MatrixXd> bracket(count, Eigen::MatrixXd::Zero(n, n));  // ⟨[e_j, e_k], e_i⟩
  for (int i = 0; i < n; ++i) {
    for (int l = 0; l < n; ++l) {
      bracket[static_cast<size_t>(i)] += H(i, l) * c[static_cast<size_t>(l)];
    }
  }
  std::vector<Eigen::MatrixXd> symbols(count, Eigen::MatrixXd::Zero(n, n));
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        const size_t z = static_cast<size_t>(i), x = static_cast<size_t>(j),
                     y = static_cast<size_t>(k);
        symbols[x](i, k) = 0.5 * (dH[x](k, i) + dH[y](j, i) - dH[z](j, k) + bracket[z](j, k) -
                                  bracket[y](j, i) - bracket[x](k, i));
      }
    }
  }
  return symbols;
}

}  // namespace civita
