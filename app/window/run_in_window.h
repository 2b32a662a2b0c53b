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

struct BenchOptions;  // app/verbs/bench/bench.h

/// Measures the window under the present display: the work of a frame, the first frame, the control
/// step beside a run without window, the CPU while hidden, memory. Prints a table and writes JSON.
/// @returns an ExitCode. @throws UserError: no display.
int BenchWindow(const BenchOptions& options);

/// A film of the 3-D view, drawn without a display: `--video`, `--light`, `--width` and `--height`
/// of the options. Pictures are evenly spaced in the time of the run. @throws UserError when the
/// machine has no OpenGL, or the file cannot be written.
std::unique_ptr<RunFilm> MakeSceneFilm(const RunOptions& options, const Simulation& simulation);

}  // namespace civita
