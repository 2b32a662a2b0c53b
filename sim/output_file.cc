#include "civita/sim/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <system_error>
#include <utility>

#include "civita/error.h"

namespace civita {
namespace {

constexpr std::size_t kBufferSize = 1 << 18;

}  // namespace

OutputFile::OutputFile(std::filesystem::path path, Kind kind)
    : path_(std::move(path)), last_flush_(std::chrono::steady_clock::now()) {
  fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd_ < 0) Fail("cannot be written");
  if (kind == Kind::kScratch) ::unlink(path_.c_str());
  buffer_.reserve(kBufferSize);
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
}

void OutputFile::Fail(const char* what) const {
  throw UserError(path_.string() + ": " + what + ": " + std::strerror(errno));
}

void OutputFile::Write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kBufferSize) Flush();
  buffer_.append(bytes);
}

void OutputFile::Flush() {
  last_flush_ = std::chrono::steady_clock::now();
  std::size_t done = 0;
  while (done < buffer_.size()) {
    const ssize_t n = ::write(fd_, buffer_.data() + done, buffer_.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) Fail("cannot be written");
    done += static_cast<std::size_t>(n);
  }
  flushed_ += buffer_.size();
  buffer_.clear();
}

void OutputFile::FlushEvery(std::chrono::milliseconds period) {
  if (std::chrono::steady_clock::now() - last_flush_ >= period) Flush();
}

void OutputFile::Truncate(std::uint64_t size) {
  Flush();
  const auto end = static_cast<off_t>(size);
  if (::ftruncate(fd_, end) != 0 || ::lseek(fd_, end, SEEK_SET) < 0) Fail("cannot be cut");
  flushed_ = size;
}

void OutputFile::Read(std::uint64_t offset, std::span<char> bytes) {
  if (!buffer_.empty()) Flush();
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n =
        ::pread(fd_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) Fail("cannot be read back");
    done += static_cast<std::size_t>(n);
  }
}

void WriteWhole(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path temporary = path.string() + ".tmp";
  std::error_code error;
  try {
    OutputFile file(temporary);
    file.Write(text);
    file.Flush();
  } catch (...) {
    std::filesystem::remove(temporary, error);
    throw;
  }
  std::filesystem::rename(temporary, path, error);
  if (error) throw UserError(path.string() + ": cannot be written: " + error.message());
}

CsvFile::CsvFile(std::filesystem::path path, const std::vector<std::string>& columns)
    : file_(std::move(path)) {
  for (const std::string& column : columns) {
    if (!line_.empty()) line_ += ',';
    line_ += column;
  }
  line_ += '\n';
  file_.Write(line_);
}

void CsvFile::AddRow(std::span<const double> values) {
  ++rows_;
  line_.clear();
  for (const double x : values) {
    AppendNumber(x, &line_);
    line_ += ',';
  }
  line_.back() = '\n';
  file_.Write(line_);
}

void CsvFile::Truncate(std::size_t row) {
  if (row >= rows_) return;
  // Searches backwards for the end of the last row to keep, or of the header.
  std::size_t ends = rows_ - row + 1;
  std::vector<char> block(kBufferSize);
  std::uint64_t begin = file_.size();
  while (ends > 0) {
    const std::size_t size = std::min<std::uint64_t>(block.size(), begin);
    begin -= size;
    file_.Read(begin, std::span(block).first(size));
    for (std::size_t i = size; i > 0 && ends > 0; --i) {
      if (block[i - 1] == '\n' && --ends == 0) file_.Truncate(begin + i);
    }
  }
  rows_ = row;
}

void AppendNumber(double x, std::string* text) {
  char digits[32];
  const std::to_chars_result result = std::to_chars(digits, digits + sizeof digits, x);
  text->append(digits, result.ptr);
}

}  // namespace civita
