#include "civita/sim/plant_geometry.h"

#include "civita/coriolis.h"
#include "civita/geometry/structure_constants.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/rnea.h"
#include "civita/space_dynamics.h"

namespace civita {

PlantGeometry::Chain::Chain(const VelocitySpace& closed)
    : workspace(closed),
      w(Eigen::VectorXd::Zero(closed.nw())),
      H(Eigen::MatrixXd::Zero(closed.nv(), closed.nv())),
      Hdot(H),
      products(Eigen::MatrixXd::Zero(closed.nv(), closed.nw())) {}

PlantGeometry::PlantGeometry(const Model& model, const VelocitySpace* closed) : model_(model) {
  if (closed == nullptr) {
    tree_.emplace(model);
    return;
  }
  closed_ = std::make_shared<const VelocitySpace>(*closed, model);
  chain_.emplace(*closed_);
}

void PlantGeometry::Select(VectorIn<double> x, Eigen::VectorXd& out) const {
  if (!closed_) {
    out = x;
    return;
  }
  for (Eigen::Index a = 0; a < out.size(); ++a) {
    out[a] = x[closed_->independent()[static_cast<size_t>(a)]];
  }
}

void PlantGeometry::CalcTreeVelocities(const Eigen::MatrixXd& w, Eigen::MatrixXd& v) {
  if (!closed_) {
    v = w;
    return;
  }
  v.noalias() = chain_->workspace.map(*closed_).A * w;
}

bool PlantGeometry::Update(VectorIn<double> q, VectorIn<double> v) {
  if (!closed_) return UpdateSelected(q, v);
  Select(v, chain_->w);
  return UpdateSelected(q, chain_->w);
}

bool PlantGeometry::UpdateSelected(VectorIn<double> q, VectorIn<double> w) {
  if (closed_) return UpdateKinematics<double>(*closed_, q, w, chain_->workspace).ok();
  UpdateKinematics<double>(model_, q, w, *tree_);
  return true;
}

void PlantGeometry::CalcMassMatrix(Eigen::MatrixXd& H) {
  if (closed_) {
    civita::CalcMassMatrix<double>(*closed_, chain_->workspace, H);
  } else {
    civita::CalcMassMatrix<double>(model_, *tree_, H);
  }
}

void PlantGeometry::CalcMassMatrixDerivative(Eigen::MatrixXd& Hdot) {
  if (!closed_) {
    civita::CalcMassMatrixDerivative<double>(model_, *tree_, Hdot);
    return;
  }
  Chain& own = *chain_;
  civita::CalcMassMatrix<double>(closed_->tree(), own.workspace.tree(), own.H);
  civita::CalcMassMatrixDerivative<double>(closed_->tree(), own.workspace.tree(), own.Hdot);
  ChangeMassMatrixRate<double>(own.workspace.map(*closed_), own.H, own.Hdot, own.products, Hdot);
}

void PlantGeometry::CalcCoriolisMatrix(const Factorization& factorization,
                                       CoriolisOut<double> out) {
  if (closed_) {
    civita::CalcCoriolisMatrix<double>(*closed_, factorization, chain_->workspace, out);
  } else {
    civita::CalcCoriolisMatrix<double>(model_, factorization, *tree_, out);
  }
}

void PlantGeometry::CalcGravityForces(Eigen::VectorXd& g) {
  if (closed_) {
    civita::CalcGravityForces<double>(*closed_, chain_->workspace, g);
  } else {
    civita::CalcGravityForces<double>(model_, *tree_, g);
  }
}

void PlantGeometry::CalcBiasForces(Eigen::VectorXd& bias) {
  if (closed_) {
    civita::CalcBiasForces<double>(*closed_, chain_->workspace, bias);
  } else {
    civita::CalcBiasForces<double>(model_, *tree_, bias);
  }
}

Tensor3 PlantGeometry::CalcStructureConstants() {
  const Tensor3 c = civita::CalcStructureConstants(model_);
  if (!closed_) return c;
  // Row i of A is constant where velocity i is independent: [A_j, A_k] has the part [A_j, A_k]^i =
  // Σ c^i_ab A_aj A_bk along it.
  const Eigen::MatrixXd& A = chain_->workspace.map(*closed_).A;
  Tensor3 reduced(size());
  for (int i = 0; i < size(); ++i) {
    const int velocity = closed_->independent()[static_cast<size_t>(i)];
    Eigen::MatrixXd row(model_.nv(), model_.nv());
    for (int a = 0; a < row.rows(); ++a) {
      for (int b = 0; b < row.cols(); ++b) row(a, b) = c(velocity, a, b);
    }
    row = A.transpose() * row * A;
    for (int j = 0; j < size(); ++j) {
      for (int k = 0; k < size(); ++k) reduced(i, j, k) = row(j, k);
    }
  }
  return reduced;
}

}  // namespace civita
