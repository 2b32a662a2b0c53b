#pragma once

#include <Eigen/Core>
#include <span>

namespace civita {

inline Eigen::Map<Eigen::VectorXd> AsVector(std::span<double> out) {
  return {out.data(), static_cast<Eigen::Index>(out.size())};
}

/// Copies a matrix row by row.
inline void StoreMatrix(const Eigen::MatrixXd& matrix, std::span<double> out) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<RowMajor>(out.data(), matrix.rows(), matrix.cols()) = matrix;
}

}  // namespace civita
