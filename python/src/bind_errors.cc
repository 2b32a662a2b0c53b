#include <nanobind/nanobind.h>

#include "civita/error.h"
#include "civita/sim/output_file.h"
#include "python/src/bind.h"

namespace civita::python {

void BindErrors() {
  nanobind::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const UserError& user_error) {
      PyErr_SetString(PyExc_ValueError, user_error.what());
    } catch (const WriteError& write_error) {
      PyErr_SetString(PyExc_OSError, write_error.what());
    } catch (const ContractError& contract_error) {
      PyErr_SetString(PyExc_ValueError, contract_error.what());
    }
  });
}

}  // namespace civita::python
