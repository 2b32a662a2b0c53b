#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "civita/error.h"

namespace civita {

/// The system refused a write: the disk is full, a quota or the limit on a file's size is reached.
/// what() is one line that names the file; programs end with exit code 1.
class WriteError : public Error {
 public:
  using Error::Error;
};

/// A file written through its own buffer that can be truncated. Its functions @throw WriteError;
/// the destructor ignores failures.
class OutputFile {
 public:
  enum class Kind {
    kGrowing,  ///< has its name from the start and what was flushed so far
    kWhole,    ///< gets its name by Commit, in the place of an earlier file or link; otherwise
               ///< nothing is left. Devices and pipes are written directly.
    kNamed,    ///< like kWhole, named by the user as a file: a link stays, and what it leads to is
               ///< replaced. All others follow no link, as the folder may be anybody's.
    kContinued,  ///< exists, has no other name, and is written on from its end
    kScratch,    ///< never has a name and vanishes with the process; in the folder of `path`
  };
  /// `label` stands for the path in messages. @throws UserError when it cannot be opened,
  /// WriteError when the disk is full.
  OutputFile(std::filesystem::path path, Kind kind, std::string label = {});
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void Write(std::string_view bytes);
  /// The bytes of numbers, as they are in memory.
  void Write(std::span<const double> numbers) {
    Write(std::string_view(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()));
  }
  /// Hands the buffer to the operating system, which keeps it even if the process is killed.
  void Flush();
  /// Flushes if the last Flush was longer ago than `period`.
  void FlushEvery(std::chrono::milliseconds period);
  /// Bytes written so far, buffered ones included.
  std::uint64_t size() const { return flushed_ + buffer_.size(); }
  /// Drops everything from byte `size` on, or appends zeros up to there.
  void Resize(std::uint64_t size);
  /// Reads bytes.size() bytes from `offset`. Flushes first.
  void Read(std::uint64_t offset, std::span<char> bytes);
  void Read(std::uint64_t offset, std::span<double> numbers) {
    Read(offset, std::span(reinterpret_cast<char*>(numbers.data()), numbers.size_bytes()));
  }
  /// Bytes from `offset`, which must be at a page's begin, as they lie in the file; they stay valid
  /// when the file is gone, but not when it is resized below them. Flushes first.
  std::shared_ptr<char> Map(std::uint64_t offset, std::size_t size);
  /// Overwrites bytes that were written. Flushes first.
  void WriteAt(std::uint64_t offset, std::string_view bytes);
  /// Flushes; a file of the kind kWhole then gets its name. Nothing can be written afterwards.
  void Commit();

 private:
  void Open(int more_flags);
  /// Opens a new file of a name that no other process uses.
  void OpenTemporary(const std::filesystem::path& folder);
  std::string Reason(const char* what) const;
  [[noreturn]] void Fail(const char* what) const { throw WriteError(Reason(what)); }
  [[noreturn]] void Refuse() const;

  std::filesystem::path path_;
  std::string label_;
  std::filesystem::path temporary_;  ///< its present name, if that is not its final one
  int fd_ = -1;
  std::string buffer_;
  std::uint64_t flushed_ = 0;
  std::chrono::steady_clock::time_point last_flush_;
};

/// Whether an error of the system, an errno, tells that there is no room.
bool IsFull(int error);

/// Whether a name is one of those that a file has before Commit.
bool IsTemporary(const std::filesystem::path& name);

/// Replaces the file atomically: a reader sees the old or the new content, or, after a kill, none.
/// @throws UserError or WriteError.
void WriteWhole(const std::filesystem::path& path, std::string_view text,
                OutputFile::Kind kind = OutputFile::Kind::kWhole);

/// A table of numbers as CSV, each the shortest text that reads back to the same bits.
class CsvFile {
 public:
  CsvFile(std::filesystem::path path, OutputFile::Kind kind,
          const std::vector<std::string>& columns);

  /// Continues a file after its first `rows` rows, without those that follow. @throws UserError if
  /// it has fewer.
  CsvFile(std::filesystem::path path, std::size_t rows);

  /// A row of the values, followed by `more`.
  void AddRow(std::span<const double> values, std::span<const double> more = {});
  /// Drops the rows from number `row` on; reads back what it drops.
  void Truncate(std::size_t row);
  /// After a failed write: drops the row that is not whole.
  void DropHalfRow();
  void FlushEvery(std::chrono::milliseconds period) { file_.FlushEvery(period); }
  void Flush() { file_.Flush(); }
  void Commit() { file_.Commit(); }

 private:
  /// Drops what follows the newline that is the `ends`-th from the end.
  void CutAfter(std::size_t ends);

  OutputFile file_;
  std::string line_;
  std::size_t rows_ = 0;
};

}  // namespace civita
