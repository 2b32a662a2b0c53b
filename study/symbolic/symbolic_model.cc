#include "study/symbolic/symbolic_model.h"

#include <string>

#include "civita/christoffel.h"
#include "civita/coriolis.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/rnea.h"
#include "study/symbolic/expression.h"

namespace civita {
namespace {

VectorX<Expression> Symbols(const char* name, int number, Formulas* formulas) {
  VectorX<Expression> symbols(number);
  for (int k = 0; k < number; ++k) {
    symbols[k] = {&formulas->graph, formulas->graph.Symbol(name + std::to_string(k))};
  }
  return symbols;
}

Workspace<Expression> AtPosition(const Model& model, Formulas* formulas) {
  Workspace<Expression> workspace(model);
  UpdateKinematics(model, Symbols("q", model.nq(), formulas), workspace);
  return workspace;
}

Workspace<Expression> AtVelocity(const Model& model, Formulas* formulas) {
  Workspace<Expression> workspace(model);
  UpdateKinematics(model, Symbols("q", model.nq(), formulas), Symbols("v", model.nv(), formulas),
                   workspace);
  return workspace;
}

/// Appends a matrix row by row, a column as it is.
void Append(const MatrixX<Expression>& M, Formulas* formulas) {
  for (Eigen::Index i = 0; i < M.rows(); ++i) {
    for (Eigen::Index k = 0; k < M.cols(); ++k) formulas->entries.push_back(M(i, k).term());
  }
}

/// Appends Γ_ijk = f(i, j, k).
template <typename F>
void AppendTensor(int n, Formulas* formulas, F f) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) formulas->entries.push_back(f(i, j, k).term());
    }
  }
}

}  // namespace

Formulas SymbolicModel::H() const {
  Formulas formulas;
  Workspace<Expression> workspace = AtPosition(model_, &formulas);
  MatrixX<Expression> H(model_.nv(), model_.nv());
  CalcMassMatrix(model_, workspace, H);
  Append(H, &formulas);
  return formulas;
}

Formulas SymbolicModel::C() const {
  Formulas formulas;
  Workspace<Expression> workspace = AtVelocity(model_, &formulas);
  MatrixX<Expression> C(model_.nv(), model_.nv()), H(model_.nv(), model_.nv());
  CalcCoriolisMatrix(model_, factorization_, workspace, {.C = C, .H = H});
  Append(C, &formulas);
  return formulas;
}

Formulas SymbolicModel::Gamma() const {
  const int nv = model_.nv();
  Formulas formulas;
  Workspace<Expression> workspace = AtPosition(model_, &formulas);
  if (factorization_.torsion_free()) {
    std::vector<Expression> Gamma(ChristoffelIndex(nv, 0, 0, nv));
    CalcChristoffelSymbols(model_, workspace, std::span<Expression>(Gamma));
    AppendTensor(nv, &formulas,
                 [&](int i, int j, int k) { return Gamma[ChristoffelIndex(nv, i, j, k)]; });
    return formulas;
  }
  const VectorX<Expression> q = workspace.q();
  std::vector<MatrixX<Expression>> C;  // at e_j
  for (int j = 0; j < nv; ++j) {
    UpdateKinematics(model_, q, VectorX<Expression>::Unit(nv, j), workspace);
    MatrixX<Expression> C_j(nv, nv), H(nv, nv);
    CalcCoriolisMatrix(model_, factorization_, workspace, {.C = C_j, .H = H});
    C.push_back(C_j);
  }
  AppendTensor(nv, &formulas,
               [&](int i, int j, int k) { return C[static_cast<std::size_t>(j)](i, k); });
  return formulas;
}

Formulas SymbolicModel::Hdot() const {
  Formulas formulas;
  Workspace<Expression> workspace = AtVelocity(model_, &formulas);
  MatrixX<Expression> Hdot(model_.nv(), model_.nv());
  CalcMassMatrixDerivative(model_, workspace, Hdot);
  Append(Hdot, &formulas);
  return formulas;
}

Formulas SymbolicModel::g() const {
  Formulas formulas;
  Workspace<Expression> workspace = AtPosition(model_, &formulas);
  VectorX<Expression> g(model_.nv());
  CalcGravityForces(model_, workspace, g);
  Append(g, &formulas);
  return formulas;
}

Formulas SymbolicModel::bias() const {
  Formulas formulas;
  Workspace<Expression> workspace = AtVelocity(model_, &formulas);
  VectorX<Expression> bias(model_.nv());
  CalcBiasForces(model_, workspace, bias);
  Append(bias, &formulas);
  return formulas;
}

Formulas SymbolicModel::tau() const {
  Formulas formulas;
  Workspace<Expression> workspace = AtVelocity(model_, &formulas);
  VectorX<Expression> tau(model_.nv());
  CalcInverseDynamics(model_, Symbols("a", model_.nv(), &formulas), workspace, tau);
  Append(tau, &formulas);
  return formulas;
}

Formulas SymbolicModel::kinetic() const {
  Formulas formulas;
  Workspace<Expression> workspace = AtVelocity(model_, &formulas);
  formulas.entries.push_back(CalcKineticEnergy(model_, workspace).term());
  return formulas;
}

Formulas SymbolicModel::potential() const {
  Formulas formulas;
  Workspace<Expression> workspace = AtPosition(model_, &formulas);
  formulas.entries.push_back(CalcPotentialEnergy(model_, workspace).term());
  return formulas;
}

}  // namespace civita
