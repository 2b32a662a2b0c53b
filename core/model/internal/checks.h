#pragma once

#include <cstdint>

#include "civita/error.h"
#include "civita/model.h"
#include "civita/types.h"

// Sizes of arguments, by name and with what is wanted, and where they lie in memory. A name follows
// each argument; the functions take any number of both.

namespace civita::internal {

/// Vectors of nv numbers.
template <typename Vector, typename... More>
void CheckLength(const Model& model, const Vector& x, const char* name, const More&... more) {
  CIVITA_CHECK(x.size() == model.nv(),
               name << " has " << x.size() << " numbers, the model has nv = " << model.nv());
  if constexpr (sizeof...(more) > 0) CheckLength(model, more...);
}

/// Of all bodies together.
template <typename T>
void CheckMass(const T& mass) {
  CIVITA_CHECK(mass > T(0), "the model has no mass");
}

template <typename Matrix>
void CheckShape(const Matrix& M, Eigen::Index rows, Eigen::Index columns, const char* name) {
  CIVITA_CHECK(M.rows() == rows && M.cols() == columns, name << " is " << M.rows() << "×"
                                                             << M.cols() << ", wanted " << rows
                                                             << "×" << columns);
}

/// The numbers of an argument in memory, in bytes: columns that begin `stride` apart; a single one
/// has no stride.
struct Extent {
  std::uintptr_t first = 0, end = 0;
  std::uintptr_t column = 0, stride = 0;
};

template <typename Matrix>
Extent ExtentOf(const Matrix& M) {
  using Size = std::uintptr_t;
  if (M.size() == 0) return {};
  constexpr Size number = sizeof(typename Matrix::Scalar);
  const Size first = reinterpret_cast<Size>(M.data());
  const Size column = number * static_cast<Size>(M.rows());
  if (M.cols() == 1) return {first, first + column, column, 0};
  const Size stride = number * static_cast<Size>(M.outerStride());
  return {first, first + stride * static_cast<Size>(M.cols() - 1) + column, column, stride};
}

/// Whether two extents that begin and end between each other have numbers in common: not where the
/// columns of one lie between those of the other, as two blocks of one matrix do.
[[gnu::cold, gnu::noinline]] inline bool ColumnsMeet(const Extent& a, const Extent& b) {
  const std::uintptr_t stride = a.stride == 0 ? b.stride : a.stride;
  const bool regular = stride > 0 && (b.stride == 0 || b.stride == stride) && a.column <= stride &&
                       b.column <= stride;
  if (!regular) return true;
  const std::uintptr_t apart = b.first >= a.first
                                   ? (b.first - a.first) % stride
                                   : (stride - (a.first - b.first) % stride) % stride;
  return apart < a.column || stride - apart < b.column;
}

template <typename A, typename B>
bool Overlap(const A& a, const B& b) {
  const Extent of_a = ExtentOf(a), of_b = ExtentOf(b);
  if (of_a.end <= of_b.first || of_b.end <= of_a.first) [[likely]]
    return false;
  return ColumnsMeet(of_a, of_b);
}

/// Of a result, and arguments or other results.
template <typename A, typename B, typename... More>
void CheckApart(const A& a, const char* name_a, const B& b, const char* name_b,
                const More&... more) {
  CIVITA_CHECK(!Overlap(a, b), name_a << " lies on " << name_b << " in memory");
  if constexpr (sizeof...(more) > 0) CheckApart(a, name_a, more...);
}

/// Results of one shape, which lie apart from each other.
template <typename Matrix, typename... More>
void CheckResults(Eigen::Index rows, Eigen::Index columns, const Matrix& M, const char* name,
                  const More&... more) {
  CheckShape(M, rows, columns, name);
  if constexpr (sizeof...(more) > 0) {
    CheckApart(M, name, more...);
    CheckResults(rows, columns, more...);
  }
}

/// The vector x, or a copy of it in `memory`, of equal size, where a result lies on it: algorithms
/// write results before they have read all of their arguments.
template <typename T, typename... Results>
Eigen::Map<const VectorX<T>> KeepArgument(VectorIn<T> x, VectorX<T>& memory,
                                          const Results&... results) {
  if (!(Overlap(x, results) || ...)) [[likely]]
    return {x.data(), x.size()};
  memory = x;
  return {memory.data(), memory.size()};
}

}  // namespace civita::internal
