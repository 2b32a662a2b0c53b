#pragma once

#include <nanobind/nanobind.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

// NumPy arrays by NumPy's C API, which takes a tenth of the time of nanobind's ndarray.

namespace civita::python {

namespace nb = nanobind;
using Eigen::Index;

/// Must be called before all else. @throws nb::python_error without NumPy.
void ImportNumpy();

/// Numbers of an argument: a vector, or a batch with a row for each of `count` states.
struct ArrayIn {
  nb::object owner;
  const char* name = "";
  const double* data = nullptr;
  Index size = 0;
  std::optional<Index> count;  ///< none: a vector

  /// The vector of a state.
  Eigen::Map<const Eigen::VectorXd> operator[](Index state) const {
    return {data + state * size, size};
  }
  /// A column for each state, as BatchDynamics wants them.
  Eigen::Map<const Eigen::MatrixXd> columns() const { return {data, size, count.value_or(1)}; }
};

/// Reads an argument of `size` numbers, (size,) or (N, size); what is not a C-contiguous float64
/// array is converted to one if that loses nothing (integers, lists). @throws nb::value_error if it
/// has another shape, or numbers that are not finite, nb::type_error for anything else.
ArrayIn ReadArray(nb::handle argument, const char* name, Index size);

/// A vector of `size` numbers. @throws as ReadArray.
Eigen::VectorXd ReadVector(nb::handle argument, const char* name, Index size);
/// A matrix of this shape. @throws as ReadArray.
Eigen::MatrixXd ReadMatrix(nb::handle argument, const char* name, Index rows, Index columns);

/// The common number of states of arguments; where some have states, a vector becomes a batch of as
/// many copies of it. Those without data are none. @throws nb::value_error if numbers differ.
std::optional<Index> CountOf(std::span<ArrayIn* const> arguments);
inline std::optional<Index> CountOf(std::initializer_list<ArrayIn*> arguments) {
  return CountOf(std::span(arguments.begin(), arguments.size()));
}

/// Up to three dimensions.
struct Shape {
  Shape(std::initializer_list<Index> of) : axes(of.size()) {
    std::copy(of.begin(), of.end(), size.begin());
  }

  std::array<Index, 3> size{};
  std::size_t axes;
};

/// An array for results: C-contiguous and float64.
struct ArrayOut {
  nb::object object;
  const char* name = "";
  double* data = nullptr;
  Index size = 0;  ///< numbers a state
  Index states = 1;

  double* operator[](Index state) const { return data + state * size; }
};

/// The array for a result of this shape, with a first axis of states if there is a count: `out`
/// itself unless that is None. @throws nb::value_error if `out` is no writable, C-contiguous
/// float64 array of that shape. CheckApart is the caller's.
ArrayOut MakeArray(std::optional<Index> count, const Shape& shape, nb::handle out = nb::none(),
                   const char* name = "out");

/// @throws nb::value_error if a result shares memory with an argument or another result.
void CheckApart(std::initializer_list<const ArrayOut*> results,
                std::initializer_list<const ArrayIn*> arguments);

/// Writes a matrix as arrays have it, one row after the other.
void CopyByRows(const Eigen::MatrixXd& matrix, double* to);

/// NumPy's float64.
nb::object ToNumber(double x);
/// A new array with the numbers of a matrix.
nb::object ToArray(const Eigen::Ref<const Eigen::MatrixXd>& matrix);
nb::object ToArray(const Eigen::VectorXd& vector);
/// A new array of any shape with these numbers, the last index fastest.
nb::object ToArray(const std::vector<double>& numbers, const std::vector<std::size_t>& shape);

}  // namespace civita::python
