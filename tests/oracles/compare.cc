#include "tests/oracles/compare.h"

#include <algorithm>
#include <cmath>

namespace civita {

double internal::RelativeErrorOf(const Eigen::Ref<const Eigen::MatrixXd>& a,
                                 const Eigen::Ref<const Eigen::MatrixXd>& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return HUGE_VAL;
  if (!a.allFinite() || !b.allFinite()) return HUGE_VAL;
  if (a.size() == 0) return 0;
  return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff());
}

double RelativeError(double a, double b) {
  using Number = Eigen::Matrix<double, 1, 1>;
  return internal::RelativeErrorOf(Number(a), Number(b));
}

}  // namespace civita
