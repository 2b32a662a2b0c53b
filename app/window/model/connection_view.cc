#include "app/window/model/connection_view.h"

#include <cmath>

#include "base/max_abs.h"
#include "civita/geometry/metric.h"

namespace civita {

ConnectionView::ConnectionView(const SceneData& scene)
    : geometry_(scene.control_model, scene.closed.get()),
      names_(scene.closed ? scene.closed->IndependentNames() : scene.velocity_names),
      torsion_(geometry_.size()) {}

bool ConnectionView::Update(const Eigen::Ref<const Eigen::VectorXd>& q,
                            const Factorization& factorization) {
  const int n = size();
  if (n == 0) return true;  // the loops leave no velocity, and no torsion
  Tensor3 Gamma(n), rates(n);
  Eigen::MatrixXd C(n, n), H(n, n), Hdot(n, n);
  for (int j = 0; j < n; ++j) {
    if (!geometry_.UpdateSelected(q, Eigen::VectorXd::Unit(n, j))) return false;
    geometry_.CalcCoriolisMatrix(factorization, C, H);
    geometry_.CalcMassMatrixDerivative(Hdot);
    Gamma.Direction(j) = C;
    rates.Direction(j) = Hdot;
  }
  const Tensor3 s = LowerFirstIndex(H, geometry_.CalcStructureConstants());
  // Coordinates are of the order of 1 rad or 1 m.
  constexpr double kRounding = 1e-10;
  floor_ = kRounding * (internal::MaxAbs(H) + Gamma.MaxAbs() + rates.MaxAbs());
  residuals_ = CalcConnectionResiduals(Gamma, rates, s);
  torsion_ = IsZero(residuals_.torsion) ? Tensor3(n) : Torsion(Gamma, s);
  return true;
}

TensorIndex FindLargest(const Tensor3& T) {
  TensorIndex at;
  for (int i = 0; i < T.n(); ++i) {
    for (int j = 0; j < T.n(); ++j) {
      for (int k = 0; k < T.n(); ++k) {
        // Entries that are equal but for rounding must not take turns.
        if (std::abs(T(i, j, k)) > (1 + 1e-9) * std::abs(T(at.i, at.j, at.k))) at = {i, j, k};
      }
    }
  }
  return at;
}

}  // namespace civita
