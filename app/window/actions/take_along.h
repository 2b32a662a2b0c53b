#pragma once

#include "app/window/model/settings_text.h"
#include "app/window/model/window_state.h"

namespace civita {

/// All that is set now, see TakenRuns. Not of a replay.
TakenRuns TakeRuns(const WindowState& state);

/// Copy what is set now: as a command for a terminal, as the config of the edited run, as a script
/// in Python.
void CopyAsCommand(WindowState* state);
void CopyAsConfig(WindowState* state);
void CopyAsPython(WindowState* state);

/// Save H, C, Γ and torsion of the run that Matrix and Geometry show, at the shown state, to where
/// recordings go: an archive that numpy.load opens, with the arrays of `civita eval`; or rows of
/// quantity, indices and value.
void SaveMatricesNpz(WindowState* state);
void SaveMatricesCsv(WindowState* state);

}  // namespace civita
