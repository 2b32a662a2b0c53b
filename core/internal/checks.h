#pragma once

#include "civita/error.h"
#include "civita/model.h"
#include "civita/types.h"

// Sizes of arguments, by name and with what is wanted.

namespace civita::internal {

template <typename Vector>
void CheckLength(const Model& model, const Vector& x, const char* name) {
  CIVITA_CHECK(x.size() == model.nv(),
               name << " has " << x.size() << " numbers, the model has nv = " << model.nv());
}

template <typename Matrix>
void CheckShape(const Matrix& M, Eigen::Index rows, Eigen::Index columns, const char* name) {
  CIVITA_CHECK(M.rows() == rows && M.cols() == columns, name << " is " << M.rows() << "×"
                                                             << M.cols() << ", wanted " << rows
                                                             << "×" << columns);
}

template <typename Matrix>
void CheckSquare(const Model& model, const Matrix& M, const char* name) {
  CIVITA_CHECK(
      M.rows() == model.nv() && M.cols() == model.nv(),
      name << " is " << M.rows() << "×" << M.cols() << ", the model has nv = " << model.nv());
}

}  // namespace civita::internal
