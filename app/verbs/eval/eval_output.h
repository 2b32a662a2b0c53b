#pragma once

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/interrupt.h"
#include "app/program.h"
#include "app/terminal.h"
#include "civita/sim/npz_file.h"
#include "civita/sim/output_file.h"

namespace civita {

/// An array that every state has: a number (empty shape), a vector of `shape[0]` numbers, a
/// matrix, a tensor (row-major).
struct EvalArray {
  std::string name;
  std::vector<std::size_t> shape;

  std::size_t size() const;
};

/// Writes the results of `civita eval` as JSON: the header's keys, then "states", one line for
/// each state as it comes.
class EvalJsonWriter {
 public:
  /// An empty `out` is standard output. @throws UserError; the other functions WriteError.
  EvalJsonWriter(const std::string& out, const nlohmann::ordered_json& header,
                 std::vector<EvalArray> arrays, OutputFile::Kind kind = OutputFile::Kind::kNamed);

  /// Adds the next state: the arrays' numbers, one span each. Non-finite numbers become null.
  void AddState(std::span<const std::span<const double>> values);
  void Finish(bool interrupted);

 private:
  void Write();

  std::optional<OutputFile> file_;
  std::vector<EvalArray> arrays_;
  std::string text_;  ///< not yet written
  std::size_t num_states_ = 0;
};

/// Writes the results of `civita eval` for numpy.load: named arrays of float64 with states along
/// the first axis, and the header as `header.json`.
class EvalNpzWriter {
 public:
  EvalNpzWriter(const std::string& out, nlohmann::ordered_json header,
                std::vector<EvalArray> arrays, OutputFile::Kind kind = OutputFile::Kind::kNamed);

  void AddState(std::span<const std::span<const double>> values);
  void Finish(bool interrupted);

 private:
  NpzFile file_;
  nlohmann::ordered_json header_;
  std::vector<EvalArray> arrays_;
  std::deque<OutputFile> scratch_;  ///< by array
  std::size_t num_states_ = 0;
};

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
