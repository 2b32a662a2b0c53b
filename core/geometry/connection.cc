#include "civita/geometry/connection.h"

#include "civita/coriolis.h"
#include "civita/kinematics.h"
#include "civita/velocity_map.h"

namespace civita {

Tensor3 CalcConnection(const Model& model, const Factorization& factorization,
                       const Eigen::Ref<const Eigen::VectorXd>& q, Workspace<double>& workspace) {
  const int nv = model.nv();
  Tensor3 Gamma(nv);
  Eigen::MatrixXd C(nv, nv), H(nv, nv);
  for (int j = 0; j < nv; ++j) {
    UpdateKinematics(model, q, Eigen::VectorXd::Unit(nv, j), workspace);
    CalcCoriolisMatrix(model, factorization, workspace, {.C = C, .H = H});
    Gamma.Direction(j) = C;
  }
  return Gamma;
}

Tensor3 KoszulConnection(const Tensor3& metric_rates, const Tensor3& s) {
  const Tensor3& h = metric_rates;
  CIVITA_CHECK(h.n() == s.n(), h.n() << " and " << s.n());
  return MakeTensor3(h.n(), [&](int i, int j, int k) {
    return 0.5 * (h(i, k, j) + h(i, j, k) - h(j, i, k) + s(k, i, j) + s(j, i, k) + s(i, j, k));
  });
}

Tensor3 ProjectConnection(const Tensor3& Gamma, const Eigen::Ref<const Eigen::MatrixXd>& H,
                          const Eigen::Ref<const Eigen::MatrixXd>& A,
                          std::span<const Eigen::MatrixXd> A_rates) {
  const int n = Gamma.n(), m = static_cast<int>(A.cols());
  CIVITA_CHECK(A.rows() == n && H.rows() == n && H.cols() == n,
               "A " << A.rows() << " x " << A.cols() << ", H " << H.rows() << " x " << H.cols());
  CIVITA_CHECK(static_cast<int>(A_rates.size()) == m, A_rates.size() << " rates of A");
  VelocityMap<double> map(n, m);
  map.A = A;
  Eigen::MatrixXd products;
  Tensor3 projected(m);
  for (int b = 0; b < m; ++b) {
    const Eigen::MatrixXd& A_rate = A_rates[static_cast<size_t>(b)];
    CIVITA_CHECK(A_rate.rows() == n && A_rate.cols() == m, "A_rates[" << b << "]");
    map.Adot = A_rate;
    ChangeCoriolisMatrix<double>(map, {.C = Contract(Gamma, A.col(b)), .H = H}, products,
                                 projected.Direction(b));
  }
  return projected;
}

}  // namespace civita
