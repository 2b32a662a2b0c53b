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

/// An array that every state has: a number (no shape), a vector of `shape[0]` numbers, a matrix, a
/// tensor (row-major).
struct EvalArray {
  std::string name;
  std::vector<std::size_t> shape;

  std::size_t size() const;
};

/// A file that others see only when it is whole: written beside it under another name, which is
/// removed unless it was committed. Devices and pipes are written directly.
class ReplacedFile {
 public:
  /// @throws UserError with the flag when there can be no such file.
  ReplacedFile(std::string flag, const std::filesystem::path& path);
  ~ReplacedFile();
  ReplacedFile(const ReplacedFile&) = delete;
  ReplacedFile& operator=(const ReplacedFile&) = delete;

  /// Where to write. The same as the final one for devices.
  const std::filesystem::path& temporary() const { return temporary_; }
  /// Puts what was written (and closed or flushed) into its place.
  void Commit();

 private:
  std::string flag_;
  std::filesystem::path path_, temporary_;
};

/// Writes what `civita eval` computed as JSON: the header's keys, then "states", one line a state,
/// as they come.
class EvalJsonWriter {
 public:
  /// An empty `out` is standard output. @throws UserError.
  EvalJsonWriter(const std::string& out, const nlohmann::ordered_json& header,
                 std::vector<EvalArray> arrays);
  ~EvalJsonWriter();
  EvalJsonWriter(const EvalJsonWriter&) = delete;
  EvalJsonWriter& operator=(const EvalJsonWriter&) = delete;

  /// The arrays' numbers, one span each, of the next state. What is not finite becomes null.
  void AddState(std::span<const std::span<const double>> values);
  void Finish(bool interrupted);

 private:
  void Write();
  [[noreturn]] void Fail() const;

  std::optional<ReplacedFile> file_;
  std::string name_;
  int fd_;
  std::vector<EvalArray> arrays_;
  std::string text_;  ///< not written yet
  std::size_t num_states_ = 0;
};

/// The same for numpy.load: an array of float64 a name, states along its first axis, and the header
/// as `header.json`.
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
