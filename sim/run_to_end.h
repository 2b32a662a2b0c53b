#pragma once

#include <functional>

#include "civita/sim/recorder.h"
#include "civita/sim/simulation.h"

namespace civita {

/// Takes and records the steps at 0, dt, … up to the end of the scene's duration, until a failure,
/// or until `go_on`, called after each of them, is false. @returns whether `go_on` ended it.
bool RunToEnd(Simulation* simulation, Recorder* recorder, const std::function<bool()>& go_on);

}  // namespace civita
