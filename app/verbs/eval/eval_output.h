#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "civita/sim/output_file.h"

namespace civita {

/// An array that every state has: a number (empty shape), a vector of `shape[0]` numbers, a
/// matrix, a tensor (row-major).
struct EvalArray {
  std::string name;
  std::vector<std::size_t> shape;

  std::size_t size() const;
};

/// Writes arrays, state by state as they come.
class EvalWriter {
 public:
  virtual ~EvalWriter() = default;

  /// Adds the next state: the arrays' numbers, one span each. @throws WriteError, as Finish.
  virtual void AddState(std::span<const std::span<const double>> values) = 0;
  virtual void Finish(bool interrupted) = 0;
};

/// A writer of a format:
/// - json: the header's keys, then "states", one line for each; non-finite numbers are null, and an
///   empty `out` is standard output;
/// - npz: for numpy.load, named arrays of float64 with states along the first axis, and the header
///   as `header.json`;
/// - csv: a line for each state; "W/1/0" is number 1, 0 of W.
/// @throws UserError.
std::unique_ptr<EvalWriter> OpenEvalWriter(const std::string& format, const std::string& out,
                                           const nlohmann::ordered_json& header,
                                           const std::vector<EvalArray>& arrays,
                                           OutputFile::Kind kind = OutputFile::Kind::kNamed);

inline bool AllFinite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
}

/// Sets the arrays of a state. @returns what of it is no number, empty if all are.
using EvaluateState =
    std::function<std::string(std::size_t state, std::vector<std::span<const double>>* values)>;

/// Evaluates `size` states one by one and writes each as it is computed, with progress on standard
/// error, until Ctrl-C, which a guard of the caller keeps; the first of them that is no number is
/// told at the end. `to_file`: the output is not standard output. @returns an ExitCode.
int WriteEachState(std::size_t size, bool to_file, EvalWriter* writer,
                   const EvaluateState& evaluate);

}  // namespace civita
