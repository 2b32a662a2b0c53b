#include <nanobind/nanobind.h>

#include <exception>
#include <string_view>
#include <typeinfo>

#include "civita/error.h"
#include "civita/sim/output_file.h"
#include "python/src/bind/bind.h"

namespace civita::python {

namespace {

/// As PyErr_SetString, which would make no error at all of a text that is no UTF-8.
void Raise(PyObject* type, const std::exception& error) {
  const std::string_view what = error.what();
  PyObject* text =
      PyUnicode_DecodeUTF8(what.data(), static_cast<Py_ssize_t>(what.size()), "backslashreplace");
  if (text == nullptr) return;  // with the error of memory
  PyErr_SetObject(type, text);
  Py_DECREF(text);
}

}  // namespace

void BindErrors() {
  nanobind::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const UserError& user_error) {
      Raise(PyExc_ValueError, user_error);
    } catch (const WriteError& write_error) {
      Raise(PyExc_OSError, write_error);
    } catch (const ContractError& contract_error) {
      Raise(PyExc_ValueError, contract_error);
    } catch (const std::bad_cast&) {
      PyErr_SetString(PyExc_TypeError,
                      "an argument, or a part of one, has a type that is not taken");
    } catch (const Error& other) {
      Raise(PyExc_RuntimeError, other);
    }
  });
}

}  // namespace civita::python
