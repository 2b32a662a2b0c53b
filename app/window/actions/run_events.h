#pragma once

#include "app/window/model/window_state.h"

namespace civita {

/// Tells in the log, and marks in the plots, what happened to the run since the last call: falls,
/// limits, missed deadlines, failures, each once and with its cause.
void NoteRunEvents(WindowState* state);

}  // namespace civita
