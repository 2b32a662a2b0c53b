#include "python/src/support/arrays.h"

#include "civita/error.h"

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>

namespace civita::python {
namespace {

PyArrayObject* AsArray(nb::handle object) { return reinterpret_cast<PyArrayObject*>(object.ptr()); }

std::string ShapeText(PyArrayObject* array) {
  internal::MessageStream text;
  text << '(';
  for (int axis = 0; axis < PyArray_NDIM(array); ++axis) {
    text << (axis > 0 ? ", " : "") << PyArray_DIM(array, axis);
  }
  text << (PyArray_NDIM(array) == 1 ? ",)" : ")");
  return text.str();
}

[[noreturn]] void Refuse(const std::string& message) { throw nb::value_error(message.c_str()); }

bool IsPlain(nb::handle object) {
  return PyArray_CheckExact(object.ptr()) && PyArray_TYPE(AsArray(object)) == NPY_DOUBLE &&
         PyArray_ISCARRAY_RO(AsArray(object));
}

/// @throws nb::type_error for an array that hides some of its numbers, as NumPy's masked arrays do.
void CheckUnmasked(nb::handle argument, const char* name) {
  if (PyArray_CheckExact(argument.ptr()) || !PyArray_Check(argument.ptr())) return;
  if (nb::cast<bool>(nb::module_::import_("numpy.ma").attr("is_masked")(argument))) {
    throw nb::type_error((std::string(name) + ": a masked array with masked numbers").c_str());
  }
}

/// The argument itself if that is plain, else a copy that is.
nb::object Plain(nb::handle argument, const char* name) {
  if (IsPlain(argument)) return nb::borrow(argument);
  CheckUnmasked(argument, name);
  const nb::object any = nb::steal(PyArray_FromAny(argument.ptr(), nullptr, 0, 0, 0, nullptr));
  if (!any.is_valid()) {
    PyErr_Clear();
    throw nb::type_error((std::string(name) + ": not an array of numbers").c_str());
  }
  PyArray_Descr* const wanted = PyArray_DescrFromType(NPY_DOUBLE);
  if (PyArray_CanCastArrayTo(AsArray(any), wanted, NPY_SAME_KIND_CASTING) == 0 ||
      PyArray_TYPE(AsArray(any)) == NPY_BOOL) {
    Py_DECREF(wanted);
    throw nb::type_error((std::string(name) + ": not an array of real numbers").c_str());
  }
  PyObject* const plain =
      PyArray_FromArray(AsArray(any), wanted, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST);
  if (plain == nullptr) throw nb::python_error();
  return nb::steal(plain);
}

/// By the exponents' bits, as compilers use vectors for sums of integers alone; wide ones where the
/// machine has them, for what is tested costs less than twice as much to compute with.
__attribute__((target_clones("avx2", "default"))) bool AllFinite(const double* numbers,
                                                                 Index count) {
  constexpr std::uint64_t kExponent = 0x7ff0'0000'0000'0000;
  std::uint64_t others = 0;
  for (Index i = 0; i < count; ++i) {
    const std::uint64_t exponent = std::bit_cast<std::uint64_t>(numbers[i]) & kExponent;
    others |= static_cast<std::uint64_t>(exponent == kExponent);
  }
  return others == 0;
}

}  // namespace

void ImportNumpy() {
  if (PyArray_ImportNumPyAPI() < 0) throw nb::python_error();
}

namespace {

/// Without `allows_batch` a vector alone is allowed.
ArrayIn Read(nb::handle argument, const char* name, Index size, bool allows_batch) {
  ArrayIn in;
  in.name = name;
  in.owner = Plain(argument, name);
  PyArrayObject* const array = AsArray(in.owner);
  const int axes = PyArray_NDIM(array);
  if (axes < 1 || axes > (allows_batch ? 2 : 1) || PyArray_DIM(array, axes - 1) != size) {
    const std::string number = std::to_string(size);
    Refuse(std::string(name) + ": its shape is " + ShapeText(array) + ", not (" + number + ",)" +
           (allows_batch ? " or (N, " + number + ")" : ""));
  }
  in.data = static_cast<const double*>(PyArray_DATA(array));
  in.size = size;
  if (axes == 2) in.count = PyArray_DIM(array, 0);
  if (!AllFinite(in.data, size * in.count.value_or(1))) {
    Refuse(std::string(name) + ": not all of its numbers are finite");
  }
  return in;
}

}  // namespace

ArrayIn ReadArray(nb::handle argument, const char* name, Index size) {
  return Read(argument, name, size, true);
}

Eigen::VectorXd ReadVector(nb::handle argument, const char* name, Index size) {
  return Read(argument, name, size, false)[0];
}

Eigen::MatrixXd ReadMatrix(nb::handle argument, const char* name, Index rows, Index columns) {
  const ArrayIn in = ReadArray(argument, name, columns);
  if (in.count != rows) {
    Refuse(std::string(name) + ": its shape is " + ShapeText(AsArray(in.owner)) + ", not (" +
           std::to_string(rows) + ", " + std::to_string(columns) + ")");
  }
  return in.columns().transpose();
}

ArrayOut MakeArray(std::optional<Index> count, const Shape& shape, nb::handle out,
                   const char* name) {
  constexpr int kMaxAxes = 4;
  std::array<npy_intp, kMaxAxes> dimensions{};
  int axes = 0;
  if (count) dimensions.at(static_cast<std::size_t>(axes++)) = *count;
  ArrayOut result;
  result.name = name;
  result.states = count.value_or(1);
  result.size = 1;
  for (std::size_t axis = 0; axis < shape.axes; ++axis) {
    dimensions.at(static_cast<std::size_t>(axes++)) = shape.size.at(axis);
    result.size *= shape.size.at(axis);
  }
  if (out.is_none()) {
    result.object = nb::steal(PyArray_SimpleNew(axes, dimensions.data(), NPY_DOUBLE));
    if (!result.object.is_valid()) throw nb::python_error();
  } else {
    const bool fits = PyArray_Check(out.ptr()) && PyArray_TYPE(AsArray(out)) == NPY_DOUBLE &&
                      PyArray_ISCARRAY(AsArray(out)) && PyArray_NDIM(AsArray(out)) == axes &&
                      std::memcmp(PyArray_DIMS(AsArray(out)), dimensions.data(),
                                  static_cast<std::size_t>(axes) * sizeof(npy_intp)) == 0;
    if (!fits) {
      internal::MessageStream wanted;
      for (int axis = 0; axis < axes; ++axis) {
        wanted << dimensions.at(static_cast<std::size_t>(axis)) << ", ";
      }
      Refuse(std::string(name) + ": not a writable, C-contiguous float64 array of shape (" +
             wanted.str().substr(0, wanted.str().size() - (axes > 1 ? 2 : 1)) + ")");
    }
    result.object = nb::borrow(out);
  }
  result.data = static_cast<double*>(PyArray_DATA(AsArray(result.object)));
  return result;
}

std::optional<Index> CountOf(std::span<ArrayIn* const> arguments) {
  const ArrayIn* batch = nullptr;
  for (const ArrayIn* each : arguments) {
    if (!each->count) continue;
    if (batch != nullptr && each->count != batch->count) {
      Refuse(std::string(batch->name) + " and " + each->name +
             ": either one is a vector, or both have the same number of rows; their shapes are " +
             ShapeText(AsArray(batch->owner)) + " and " + ShapeText(AsArray(each->owner)));
    }
    if (batch == nullptr) batch = each;
  }
  if (batch == nullptr) return std::nullopt;
  for (ArrayIn* each : arguments) {
    if (each->count || each->data == nullptr) continue;
    const ArrayOut copies = MakeArray(batch->count, {each->size});
    for (Index s = 0; s < copies.states; ++s) std::copy_n(each->data, each->size, copies[s]);
    each->owner = copies.object;
    each->data = copies.data;
    each->count = batch->count;
  }
  return batch->count;
}

void CheckApart(std::initializer_list<const ArrayOut*> results,
                std::initializer_list<const ArrayIn*> arguments) {
  const auto check = [](const ArrayOut& result, const char* name, const double* begin, Index size) {
    const std::less<const double*> before;
    const double* const end = result.data + result.states * result.size;
    if (before(result.data, begin + size) && before(begin, end)) {
      Refuse(std::string(result.name) + ": shares memory with " + name);
    }
  };
  for (const ArrayOut* const* result = results.begin(); result != results.end(); ++result) {
    for (const ArrayIn* in : arguments) {
      check(**result, in->name, in->data, in->size * in->count.value_or(1));
    }
    for (const ArrayOut* const* other = results.begin(); other != result; ++other) {
      check(**result, (*other)->name, (*other)->data, (*other)->size * (*other)->states);
    }
  }
}

/// By squares of two, each two loads and two stores.
void CopyByRows(const Eigen::MatrixXd& matrix, double* to) {
  const Index rows = matrix.rows(), columns = matrix.cols();
  const double* from = matrix.data();
  Index j = 0;
  for (; j + 2 <= columns; j += 2, from += 2 * rows) {
    double* at = to + j;
    Index i = 0;
    for (; i + 2 <= rows; i += 2, at += 2 * columns) {
      const double a = from[i], b = from[i + 1], c = from[rows + i], d = from[rows + i + 1];
      at[0] = a;
      at[1] = c;
      at[columns] = b;
      at[columns + 1] = d;
    }
    if (i == rows) continue;
    at[0] = from[i];
    at[1] = from[rows + i];
  }
  if (j == columns) return;
  for (Index i = 0; i < rows; ++i) to[i * columns + j] = from[i];
}

nb::object ToNumber(double x) {
  PyArray_Descr* const type = PyArray_DescrFromType(NPY_DOUBLE);
  PyObject* const number = PyArray_Scalar(&x, type, nullptr);
  Py_DECREF(type);
  if (number == nullptr) throw nb::python_error();
  return nb::steal(number);
}

nb::object ToArray(const Eigen::Ref<const Eigen::MatrixXd>& matrix) {
  const ArrayOut out = MakeArray({}, {matrix.rows(), matrix.cols()});
  Eigen::Map<Eigen::MatrixXd>(out.data, matrix.cols(), matrix.rows()) = matrix.transpose();
  return out.object;
}

nb::object ToArray(const Eigen::VectorXd& vector) {
  const ArrayOut out = MakeArray({}, {vector.size()});
  Eigen::Map<Eigen::VectorXd>(out.data, vector.size()) = vector;
  return out.object;
}

nb::object ToArray(const std::vector<double>& numbers, const std::vector<std::size_t>& shape) {
  std::vector<npy_intp> dimensions(shape.begin(), shape.end());
  const nb::object array = nb::steal(
      PyArray_SimpleNew(static_cast<int>(dimensions.size()), dimensions.data(), NPY_DOUBLE));
  if (!array.is_valid()) throw nb::python_error();
  std::memcpy(PyArray_DATA(AsArray(array)), numbers.data(), numbers.size() * sizeof(double));
  return array;
}

}  // namespace civita::python
