#pragma once

#include "app/window/model/window_state.h"

namespace civita {

/// The live link: while it is open, programs of this user read the run and change it by requests to
/// a Unix socket, as civita.attach() of the Python package does. A request is one line, a JSON
/// object with one of the keys of docs/python_reference.md; its answer is one line, {"ok": …} or
/// {"error": "…"}. What a request changes is the same as what panels change: it is logged, marked,
/// undone, and an event of a recording. The answer to a change comes once the simulation has taken
/// it.

/// Opens the link, at civita-PID.sock in RuntimeFolder(). @throws UserError.
void OpenLink(WindowState* state);
/// Opens or closes it.
void ToggleLink(WindowState* state);
/// Answers the requests that have come. Call once a frame.
void ServeLink(WindowState* state);

}  // namespace civita
