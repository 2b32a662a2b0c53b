#include "civita/geometry/metric.h"

#include "base/decompositions.h"
#include "civita/dual.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/mass_matrix.h"

namespace civita {
namespace {

using Columns = Eigen::Map<Eigen::MatrixXd>;
using ConstColumns = Eigen::Map<const Eigen::MatrixXd>;

/// The tensor as a matrix of n rows: its first index, and all the others.
Columns ByFirstIndex(Tensor3& tensor) {
  return {tensor.numbers().data(), tensor.n(), tensor.n() * tensor.n()};
}
ConstColumns ByFirstIndex(const Tensor3& tensor) {
  return {tensor.numbers().data(), tensor.n(), tensor.n() * tensor.n()};
}

void CheckMetric(const Eigen::Ref<const Eigen::MatrixXd>& H, const Tensor3& tensor) {
  CIVITA_CHECK(H.rows() == tensor.n() && H.cols() == tensor.n(),
               "H is " << H.rows() << " x " << H.cols() << ", the tensor has n = " << tensor.n());
}

}  // namespace

Tensor3 CalcMetricRates(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q) {
  const int nv = model.nv();
  Workspace<Dual> workspace(model);
  VectorX<Dual> q_moving(model.nq());
  MatrixX<Dual> H(nv, nv);
  Tensor3 rates(nv);
  for (int j = 0; j < nv; ++j) {
    const VectorX<Dual> e_j = Eigen::VectorXd::Unit(nv, j).cast<Dual>();
    IntegratePosition<Dual>(model, q.cast<Dual>(), e_j, Dual(0, 1), q_moving);
    UpdateKinematics(model, q_moving, workspace);
    CalcMassMatrix(model, workspace, H);
    rates.Direction(j) = Derivatives(H);
  }
  return rates;
}

Tensor3 LowerFirstIndex(const Eigen::Ref<const Eigen::MatrixXd>& H, const Tensor3& c) {
  CheckMetric(H, c);
  Tensor3 s(c.n());
  ByFirstIndex(s) = H * ByFirstIndex(c);
  return s;
}

std::optional<Tensor3> RaiseFirstIndex(const Eigen::Ref<const Eigen::MatrixXd>& H,
                                       const Tensor3& Gamma) {
  CheckMetric(H, Gamma);
  const auto metric = internal::DecomposePositiveDefinite(H);
  if (!metric) return std::nullopt;
  Tensor3 raised(Gamma.n());
  ByFirstIndex(raised) = metric->Solve(ByFirstIndex(Gamma));
  return raised;
}

}  // namespace civita
