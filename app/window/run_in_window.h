#pragma once

#include "app/verbs/run/run.h"

namespace civita {

struct Registry;  // scenes/registry.h

/// Gives a program its window.
void AddWindow(Registry* registry);

/// `civita run` with the window. @returns an ExitCode. @throws UserError, also when there is no
/// display.
int RunInWindow(const RunOptions& options);

}  // namespace civita
