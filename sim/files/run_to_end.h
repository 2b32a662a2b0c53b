#pragma once

#include <functional>
#include <memory>

#include "civita/sim/recorder.h"
#include "civita/sim/run_record.h"
#include "civita/sim/simulation.h"

namespace civita {

/// Takes and records the steps from the present one, initially 0, up to the end of the scene's
/// duration, until a failure, or until `go_on`, called after each of them, is false. @returns
/// whether `go_on`, or the flag of Simulation::set_stop, ended it. Every second and when it is
/// ended so, the recorder saves the state.
bool RunToEnd(Simulation* simulation, Recorder* recorder, const std::function<bool()>& go_on);

/// Moves a new simulation of a folder's config to the last saved state of its run. @returns the
/// recorder with which RunToEnd completes the folder, with the bits of a run without interruption.
/// @throws UserError when there is no state, or it does not fit.
std::unique_ptr<Recorder> ResumeRun(RunRecord record, Simulation* simulation);

}  // namespace civita
