#pragma once

#include <memory>

#include "app/verbs/run/run.h"
#include "app/verbs/run/run_film.h"

namespace civita {

struct Registry;  // scenes/registry.h

/// Gives a program its window.
void AddWindow(Registry* registry);

/// `civita run` with the window. @returns an ExitCode. @throws UserError, also when there is no
/// display.
int RunInWindow(const RunOptions& options);

/// A film of the 3-D view, drawn without a display: `--video`, `--light`, `--width` and `--height`
/// of the options. Pictures are evenly spaced in the time of the run. @throws UserError when the
/// machine has no OpenGL, or the file cannot be written.
std::unique_ptr<RunFilm> MakeSceneFilm(const RunOptions& options, const Simulation& simulation);

}  // namespace civita
