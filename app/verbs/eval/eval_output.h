#pragma once

#include <deque>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
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

/// A file that appears only when complete: written beside its path under another name, which is
/// removed unless it was committed. Devices and pipes are written directly.
class ReplacedFile {
 public:
  /// @throws UserError with the flag when the file cannot be created.
  ReplacedFile(std::string flag, const std::filesystem::path& path);
  ~ReplacedFile();
  ReplacedFile(const ReplacedFile&) = delete;
  ReplacedFile& operator=(const ReplacedFile&) = delete;

  /// The path to write to; the final one for devices.
  const std::filesystem::path& temporary() const { return temporary_; }
  /// Moves the file, once closed or flushed, to its path.
  void Commit();

 private:
  std::string flag_;
  std::filesystem::path path_, temporary_;
};

/// Writes the results of `civita eval` as JSON: the header's keys, then "states", one line for
/// each state as it comes.
class EvalJsonWriter {
 public:
  /// An empty `out` is standard output. @throws UserError.
  EvalJsonWriter(const std::string& out, const nlohmann::ordered_json& header,
                 std::vector<EvalArray> arrays);
  ~EvalJsonWriter();
  EvalJsonWriter(const EvalJsonWriter&) = delete;
  EvalJsonWriter& operator=(const EvalJsonWriter&) = delete;

  /// Adds the next state: the arrays' numbers, one span each. Non-finite numbers become null.
  void AddState(std::span<const std::span<const double>> values);
  void Finish(bool interrupted);

 private:
  void Write();
  [[noreturn]] void Fail() const;

  std::optional<ReplacedFile> file_;
  std::string name_;
  int fd_;
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
  ReplacedFile file_;
  nlohmann::ordered_json header_;
  std::vector<EvalArray> arrays_;
  std::deque<OutputFile> scratch_;  ///< by array
  std::size_t num_states_ = 0;
};

}  // namespace civita
