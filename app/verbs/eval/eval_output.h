#pragma once

#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

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
                 std::vector<EvalArray> arrays);

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
                std::vector<EvalArray> arrays);

  void AddState(std::span<const std::span<const double>> values);
  void Finish(bool interrupted);

 private:
  NpzFile file_;
  nlohmann::ordered_json header_;
  std::vector<EvalArray> arrays_;
  std::deque<OutputFile> scratch_;  ///< by array
  std::size_t num_states_ = 0;
};

}  // namespace civita
