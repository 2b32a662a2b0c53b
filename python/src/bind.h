#pragma once

#include <nanobind/nanobind.h>

// What each file adds to the extension module civita._civita, in the order in which module.cc calls
// them.

namespace civita::python {

void BindErrors(nanobind::module_& module);
void BindProgram(nanobind::module_& module);

}  // namespace civita::python
