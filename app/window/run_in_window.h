#pragma once

#include "app/verbs/run/run.h"

namespace civita {

/// `civita run` with the window. @returns an ExitCode. @throws UserError, also when there is no
/// display.
int RunInWindow(const RunOptions& options);

}  // namespace civita
