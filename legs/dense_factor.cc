#include "civita/controllers/legs/dense_factor.h"

#include <cmath>

namespace civita {

// Column after column, less its products with those before it, of which four are taken at once.
void DenseFactor::Compute() {
  const Eigen::Index n = L_.rows();
  for (Eigen::Index j = 0; j < n; ++j) {
    double* __restrict column = L_.data() + j * n;
    const double* before = L_.data();
    Eigen::Index k = 0;
    for (; k + 4 <= j; k += 4, before += 4 * n) {
      const double* __restrict a = before, * __restrict b = a + n, * __restrict c = b + n, * __restrict d = c + n;
      const double a_j = a[j], b_j = b[j], c_j = c[j], d_j = d[j];
      for (Eigen::Index i = j; i < n; ++i) {
        column[i] -= a_j * a[i] + b_j * b[i] + c_j * c[i] + d_j * d[i];
      }
    }
    for (; k < j; ++k, before += n) {
      const double* __restrict a = before;
      const double a_j = a[j];
      for (Eigen::Index i = j; i < n; ++i) column[i] -= a_j * a[i];
    }
    column[j] = std::sqrt(column[j]);
    const double inverse = inverse_[j] = 1 / column[j];
    for (Eigen::Index i = j + 1; i < n; ++i) column[i] *= inverse;
  }
}

void DenseFactor::SolveLower(Eigen::VectorXd& x) const {
  const Eigen::Index n = L_.rows();
  double* __restrict to = x.data();
  for (Eigen::Index j = 0; j < n; ++j) {
    const double* __restrict column = L_.data() + j * n;
    const double x_j = to[j] *= inverse_[j];
    for (Eigen::Index i = j + 1; i < n; ++i) to[i] -= x_j * column[i];
  }
}

void DenseFactor::SolveUpper(Eigen::VectorXd& x) const {
  const Eigen::Index n = L_.rows();
  for (Eigen::Index j = n - 1; j >= 0; --j) {
    const Eigen::Index below = n - 1 - j;
    x[j] = inverse_[j] * (x[j] - L_.col(j).tail(below).dot(x.tail(below)));
  }
}

}  // namespace civita
