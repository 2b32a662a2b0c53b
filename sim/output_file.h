#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace civita {

/// A file written through its own buffer that can be truncated. @throws UserError with the path
/// and the system's reason on failure; the destructor ignores failures.
class OutputFile {
 public:
  enum class Kind {
    kKept,
    kScratch,  ///< is unlinked once open, so that it vanishes with the process
  };
  explicit OutputFile(std::filesystem::path path, Kind kind = Kind::kKept);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void Write(std::string_view bytes);
  /// Hands the buffer to the operating system, which keeps it even if the process is killed.
  void Flush();
  /// Flushes if the last Flush was longer ago than `period`.
  void FlushEvery(std::chrono::milliseconds period);
  /// Bytes written so far, buffered ones included.
  std::uint64_t size() const { return flushed_ + buffer_.size(); }
  /// Drops everything from byte `size` on.
  void Truncate(std::uint64_t size);
  /// Reads bytes.size() bytes from `offset`. Flushes first.
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

/// Replaces the file atomically: a reader sees the old or the new content. @throws UserError.
void WriteWhole(const std::filesystem::path& path, std::string_view text);

/// A table of numbers as CSV, each the shortest text that reads back to the same bits.
class CsvFile {
 public:
  CsvFile(std::filesystem::path path, const std::vector<std::string>& columns);

  void AddRow(std::span<const double> values);
  /// Drops the rows from number `row` on; reads back what it drops.
  void Truncate(std::size_t row);
  void FlushEvery(std::chrono::milliseconds period) { file_.FlushEvery(period); }
  void Flush() { file_.Flush(); }

 private:
  OutputFile file_;
  std::string line_;
  std::size_t rows_ = 0;
};

/// Appends the shortest text that reads back to the same bits; nan, inf, -inf.
void AppendNumber(double x, std::string* text);

}  // namespace civita
