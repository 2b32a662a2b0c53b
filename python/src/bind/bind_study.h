#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "civita/study/survive/survival.h"

namespace civita::python {

/// What sweeps need; see bind.h.
void BindStudy(nanobind::module_& module);

/// The figures of a trial, see FiguresOf.
nanobind::dict DescribeTrial(const SurvivalTrial& trial, std::optional<bool> gait);

}  // namespace civita::python
