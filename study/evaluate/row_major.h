#pragma once

#include <Eigen/Core>
#include <vector>

#include "civita/tensor3.h"

namespace civita {

/// Numbers of a quantity in the order of the output, the last index fastest. Without numbers it
/// does not exist at this state.
struct RowMajor {
  std::vector<double> numbers;

  RowMajor() = default;
  RowMajor(double number)  // NOLINT(google-explicit-constructor): what a quantity returns
      : numbers{number} {}
  template <typename Derived>
  RowMajor(const Eigen::MatrixBase<Derived>& matrix) {  // NOLINT(google-explicit-constructor)
    const auto& values = matrix.eval();
    numbers.reserve(static_cast<std::size_t>(values.size()));
    for (Eigen::Index i = 0; i < values.rows(); ++i) {
      for (Eigen::Index k = 0; k < values.cols(); ++k) numbers.push_back(values(i, k));
    }
  }
  RowMajor(const Tensor3& tensor) {  // NOLINT(google-explicit-constructor)
    numbers.reserve(tensor.numbers().size());
    for (int i = 0; i < tensor.n(); ++i) {
      for (int j = 0; j < tensor.n(); ++j) {
        for (int k = 0; k < tensor.n(); ++k) numbers.push_back(tensor(i, j, k));
      }
    }
  }
};

}  // namespace civita
