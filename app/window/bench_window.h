#pragma once

namespace civita {

struct BenchOptions;  // app/verbs/bench/bench.h

/// Measures the window under the present display: the work of a frame, the first frame, the control
/// step beside a run without window, the CPU while hidden, memory. Prints a table and writes JSON.
/// @returns an ExitCode. @throws UserError: no display.
int BenchWindow(const BenchOptions& options);

}  // namespace civita
