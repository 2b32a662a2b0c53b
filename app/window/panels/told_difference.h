#pragma once

#include <string>
#include <vector>

#include "app/window/model/window_state.h"

namespace civita {

/// What two compared runs differ in, sentences for large type.
const std::vector<std::string>& TellDifference(WindowState* state);

/// Of a run that failed or fell the figures do not count.
bool IsWhole(const Snapshot& snapshot, Slot slot);
/// NaN of a metric that the run does not have.
double ValueOf(const MetricInfo& info, const std::vector<MetricInfo>& metrics,
               const Figures& figures);

}  // namespace civita
