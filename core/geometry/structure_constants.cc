#include "core/geometry/structure_constants.h"

#include <Eigen/Cholesky>

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

Tensor3 CalcStructureConstants(const Model& model) {
  Tensor3 c(model.nv());
  for (int k = 0; k < model.nv(); ++k) {
    if (model.rotation_triple(k) != k) continue;
    for (int a = 0; a < 3; ++a) {
      const int l = k + a, i = k + (a + 1) % 3, j = k + (a + 2) % 3;
      c(l, i, j) = 1;
      c(l, j, i) = -1;
    }
  }
  return c;
}

Tensor3 LowerFirstIndex(const Eigen::Ref<const Eigen::MatrixXd>& H, const Tensor3& c) {
  CheckMetric(H, c);
  Tensor3 s(c.n());
  ByFirstIndex(s) = H * ByFirstIndex(c);
  return s;
}

Tensor3 RaiseFirstIndex(const Eigen::Ref<const Eigen::MatrixXd>& H, const Tensor3& Gamma) {
  CheckMetric(H, Gamma);
  const Eigen::LLT<Eigen::MatrixXd> factor(H);
  CIVITA_CHECK(factor.info() == Eigen::Success, "H is not positive definite");
  Tensor3 raised(Gamma.n());
  ByFirstIndex(raised) = factor.solve(ByFirstIndex(Gamma));
  return raised;
}

}  // namespace civita
