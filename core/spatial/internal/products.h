#pragma once

#include "civita/types.h"

/// Products of matrices column by column: they take no scratch from the heap.
namespace civita::internal {

template <typename T, typename A, typename B>
void SetProduct(const A& a, const B& b, MatrixX<T>& out) {
  for (Eigen::Index c = 0; c < b.cols(); ++c) out.col(c).noalias() = a * b.col(c);
}

template <typename T, typename A, typename B>
void AddProduct(const A& a, const B& b, MatrixX<T>& out) {
  for (Eigen::Index c = 0; c < b.cols(); ++c) out.col(c).noalias() += a * b.col(c);
}

}  // namespace civita::internal
