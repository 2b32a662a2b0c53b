#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "civita/factorization.h"

namespace civita::python {

/// A quantity's name, or several. @throws nb::type_error.
std::vector<std::string> ReadNames(nanobind::handle quantities);

/// A factorization as Python gives it: text in the grammar of ParseFactorization, or a
/// civita.Factorization. @throws UserError, nb::type_error.
Factorization ReadFactorization(nanobind::handle factorization, const Model& model);

}  // namespace civita::python
