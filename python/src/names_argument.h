#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

namespace civita::python {

/// A quantity's name, or several. @throws nb::type_error.
std::vector<std::string> ReadNames(nanobind::handle quantities);

}  // namespace civita::python
