#pragma once

#include <array>

#include "app/window/model/window_state.h"

namespace civita {

/// Ask for the verdict on the edited run's settings, or the tracking errors predicted of the
/// compared runs, if they are of others than those at hand. Call in frames that show them; what is
/// computed comes in a later one.
void UpdateVerdict(WindowState* state);
void UpdateForecast(WindowState* state);

/// Until when the figures of a comparison are measured, s.
double EndOfFigures(const Snapshot& snapshot);

/// The predicted RMS of a part of the tracking error of A and B, over the time of the figures; NaN
/// where there is none. `part`: ErrorPart::name.
std::array<double, 2> PredictedErrors(const WindowState& state, std::string_view part = "all");

}  // namespace civita
