#pragma once

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "app/interrupt.h"
#include "app/program.h"
#include "app/progress_line.h"
#include "app/terminal.h"

namespace civita {

inline bool AllFinite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
}

/// Evaluates `size` states one by one and writes each as it is computed, with progress on standard
/// error, until Ctrl-C, which a guard of the caller keeps. `evaluate(state, &values)` sets the
/// state's arrays and returns what of it is no number, empty if all are; the first one is told at
/// the end. `to_file`: the output is not standard output. @returns an ExitCode.
template <typename Writer, typename Evaluate>
int WriteEachState(std::size_t size, bool to_file, Writer* writer, Evaluate evaluate) {
  ProgressLine progress(to_file || isatty(STDOUT_FILENO) == 0);
  std::string failure;
  std::size_t done = 0;
  for (; done < size && !InterruptGuard::raised(); ++done) {
    std::vector<std::span<const double>> values;
    const std::string trouble = evaluate(done, &values);
    if (failure.empty() && !trouble.empty()) {
      failure = "states[" + std::to_string(done) + "]: " + trouble;
    }
    writer->AddState(values);
    if (progress.Due()) {
      progress.Show(std::to_string(done + 1) + " of " + std::to_string(size) + " states");
    }
  }
  writer->Finish(done < size);
  if (done < size) {
    PrintError("interrupted after " + std::to_string(done) + " of " + std::to_string(size) +
               " states");
    return kExitInterrupted;
  }
  if (failure.empty()) return kExitDone;
  PrintError(failure);
  return kExitFailed;
}

}  // namespace civita
