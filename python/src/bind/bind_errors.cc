#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>

#include "civita/error.h"
#include "civita/sim/output_file.h"
#include "python/src/bind/bind.h"

namespace nb = nanobind;

namespace civita::python {
namespace {

constexpr const char* kNotTaken = "an argument, or a part of one, has a type that is not taken";

/// As PyErr_SetString, which would make no error at all of a text that is no UTF-8.
void Raise(PyObject* type, const std::exception& error) {
  const std::string_view what = error.what();
  PyObject* text =
      PyUnicode_DecodeUTF8(what.data(), static_cast<Py_ssize_t>(what.size()), "backslashreplace");
  if (text == nullptr) return;  // with the error of memory
  PyErr_SetObject(type, text);
  Py_DECREF(text);
}

/// The start of all functions of nanobind, which have few ways to be called.
struct BoundFunction {
  PyVarObject head;
  vectorcallfunc call;
};
constexpr std::size_t kWays = 8;
std::array<vectorcallfunc, kWays> ways{};  // nanobind's own

/// Replaces an error of nanobind's about arguments, which tells types of C++, and Python's of
/// paths, by the sentence of civita._signatures.explain.
void ExplainError(nb::handle function, PyObject* const* args, std::size_t n, PyObject* names) {
  if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) return;
  try {
    nb::python_error error;  // takes it from the interpreter
    const std::string text = nb::str(error.value()).c_str();
    if (text != kNotTaken && !text.starts_with("expected str, bytes or os.PathLike object") &&
        text.find("(): incompatible function arguments.") == text.npos) {
      error.restore();
      return;
    }
    nb::list by_position;
    nb::dict by_name;
    const std::size_t count = static_cast<std::uint32_t>(n);  // above are flags, nanobind's, too
    for (std::size_t i = 0; i < count; ++i) by_position.append(nb::handle(args[i]));
    for (std::size_t i = 0; names != nullptr && i < nb::len(nb::handle(names)); ++i)
      by_name[nb::handle(names)[i]] = nb::handle(args[count + i]);
    const nb::object explain = nb::module_::import_("civita._signatures").attr("explain");
    PyErr_SetObject(PyExc_TypeError, explain(function, by_position, by_name).ptr());
  } catch (nb::python_error& error) {
    error.restore();
  }
}

template <std::size_t i>
PyObject* Call(PyObject* function, PyObject* const* args, std::size_t n, PyObject* names) {
  PyObject* result = ways[i](function, args, n, names);
  if (result == nullptr) ExplainError(function, args, n, names);
  return result;
}

template <std::size_t... i>
constexpr std::array<vectorcallfunc, kWays> MakeCalls(std::index_sequence<i...>) {
  return {Call<i>...};
}
constexpr auto kCalls = MakeCalls(std::make_index_sequence<kWays>());

/// Has errors about arguments of a function of nanobind's explained.
void ExplainErrors(nb::handle function) {
  auto* const bound = reinterpret_cast<BoundFunction*>(function.ptr());
  // What the stable interface of Python has in place of PyVectorcall_Function: the number there.
  const nb::object there = nb::getattr(function, "__vectorcalloffset__", nb::none());
  if (there.is_none()) return;
  const vectorcallfunc call = bound->call;
  if (reinterpret_cast<std::intptr_t>(call) != nb::cast<std::intptr_t>(there)) return;
  for (std::size_t i = 0; i < kWays && call != kCalls[i]; ++i) {
    if (ways[i] != nullptr && ways[i] != call) continue;
    ways[i] = call;
    bound->call = kCalls[i];
    return;
  }
}

}  // namespace

void BindErrors(nb::module_& module) {
  module.def("explain_errors", ExplainErrors, nb::arg("function"),
             nb::sig("def explain_errors(function: typing.Any) -> None"),
             "Has TypeErrors of a function in C++ tell what its arguments are in Python.");
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const UserError& user_error) {
      Raise(PyExc_ValueError, user_error);
    } catch (const WriteError& write_error) {
      Raise(PyExc_OSError, write_error);
    } catch (const ContractError& contract_error) {
      Raise(PyExc_ValueError, contract_error);
    } catch (const std::bad_cast&) {
      PyErr_SetString(PyExc_TypeError, kNotTaken);
    } catch (const Error& other) {
      Raise(PyExc_RuntimeError, other);
    }
  });
}

}  // namespace civita::python
