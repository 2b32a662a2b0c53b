#pragma once

#include <nanobind/nanobind.h>

namespace civita::python {

/// What sweeps need; see bind.h.
void BindStudy(nanobind::module_& module);

}  // namespace civita::python
