#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace civita {

/// A file that is written through a buffer of our own and can be cut back. Failures throw UserError
/// with the path and the system's reason; the destructor closes without a word.
class OutputFile {
 public:
  enum class Kind {
    kKept,
    kScratch,  ///< has no name any more once open, so that it vanishes with the process
  };
  explicit OutputFile(std::filesystem::path path, Kind kind = Kind::kKept);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void Write(std::string_view bytes);
  /// Hands the buffer to the system, which keeps it even if the process is killed.
  void Flush();
  /// Flush() when the last one is longer ago than this.
  void FlushEvery(std::chrono::milliseconds period);
  /// Bytes written so far, buffered ones included.
  std::uint64_t size() const { return flushed_ + buffer_.size(); }
  /// Drops everything from that byte on.
  void Truncate(std::uint64_t size);
  /// The bytes at `offset`. Flushes.
  void Read(std::uint64_t offset, std::span<char> bytes);

  const std::filesystem::path& path() const { return path_; }

 private:
  [[noreturn]] void Fail(const char* what) const;

  std::filesystem::path path_;
  int fd_ = -1;
  std::string buffer_;
  std::uint64_t flushed_ = 0;
  std::chrono::steady_clock::time_point last_flush_;
};

/// Replaces the file as a whole: a reader sees the old or the new one. @throws UserError.
void WriteWhole(const std::filesystem::path& path, std::string_view text);

/// A table of numbers as CSV. Numbers are the shortest that read back to the same bits.
class CsvFile {
 public:
  CsvFile(std::filesystem::path path, const std::vector<std::string>& columns);

  void AddRow(std::span<const double> values);
  /// Drops rows from number `row` on. Reads what it drops.
  void Truncate(std::size_t row);
  void FlushEvery(std::chrono::milliseconds period) { file_.FlushEvery(period); }
  void Flush() { file_.Flush(); }

 private:
  OutputFile file_;
  std::string line_;
  std::size_t rows_ = 0;
};

/// The shortest text that reads back to the same bits; nan, inf, -inf.
void AppendNumber(double x, std::string* text);

}  // namespace civita
