#include "civita/sim/output_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/number_text.h"
#include "civita/error.h"

namespace civita {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBufferSize = 1 << 18;
constexpr std::string_view kTemporaryPrefix = ".civita-", kTemporarySuffix = ".tmp";

fs::path NewTemporaryName(const fs::path& folder) {
  static std::atomic<int> count = 0;
  std::string name(kTemporaryPrefix);
  name += std::to_string(::getpid()) + "-" + std::to_string(count++);
  return folder / name.append(kTemporarySuffix);
}

}  // namespace

bool IsFull(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

bool IsTemporary(const fs::path& name) {
  const std::string text = name.filename().string();
  return text.starts_with(kTemporaryPrefix) && text.ends_with(kTemporarySuffix);
}

OutputFile::OutputFile(fs::path path, Kind kind, std::string label)
    : path_(std::move(path)),
      label_(label.empty() ? path_.string() : std::move(label)),
      last_flush_(std::chrono::steady_clock::now()) {
  std::error_code error;
  if (kind == Kind::kScratch) {
    OpenTemporary(path_.parent_path());
    ::unlink(temporary_.c_str());
    temporary_.clear();
  } else if (kind == Kind::kGrowing) {
    Open(O_NOFOLLOW);
  } else if (kind == Kind::kContinued) {
    fd_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    struct stat info {};
    const off_t end = fd_ < 0 || ::fstat(fd_, &info) != 0 ? -1 : ::lseek(fd_, 0, SEEK_END);
    if (end < 0) Refuse();
    if (info.st_nlink > 1) {
      ::close(fd_);
      throw UserError(label_ + ": has another name, too, and is left alone");
    }
    flushed_ = static_cast<std::uint64_t>(end);
  } else {
    const bool follows = kind == Kind::kNamed;
    const fs::file_type type =
        (follows ? fs::status(path_, error) : fs::symlink_status(path_, error)).type();
    if (type == fs::file_type::directory) throw UserError(label_ + ": is a directory");
    if (type == fs::file_type::none) {
      throw UserError(label_ + ": cannot be written: " + error.message());
    }
    const bool is_file = type == fs::file_type::regular || type == fs::file_type::not_found ||
                         type == fs::file_type::symlink;
    const fs::path named = follows ? fs::weakly_canonical(path_, error) : path_;
    if (!error) path_ = named;
    if (is_file) {
      OpenTemporary(path_.parent_path());
    } else {
      Open(follows ? 0 : O_NOFOLLOW);
    }
  }
  buffer_.reserve(kBufferSize);
}

void OutputFile::Open(int more_flags) {
  const int flags = O_CLOEXEC | more_flags;
  fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | flags, 0666);
  if (fd_ < 0 && errno == EACCES) fd_ = ::open(path_.c_str(), O_WRONLY | flags);
  if (fd_ < 0) Refuse();
}

void OutputFile::Refuse() const {
  if (IsFull(errno)) Fail("cannot be written");
  throw UserError(errno == ELOOP ? label_ + ": is a link, which is not followed"
                                 : Reason("cannot be written"));
}

void OutputFile::OpenTemporary(const fs::path& folder) {
  do {
    temporary_ = NewTemporaryName(folder);
    fd_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (fd_ < 0 && errno == EEXIST);
  if (fd_ >= 0) return;
  temporary_.clear();
  if (errno != ENOENT) Refuse();
  throw UserError(label_ + ": there is no directory " + folder.string());
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

std::string OutputFile::Reason(const char* what) const {
  return label_ + ": " + what + ": " + std::strerror(errno);
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
    if (n < 0) break;
    done += static_cast<std::size_t>(n);
  }
  const bool is_written = done == buffer_.size();
  flushed_ += done;
  buffer_.clear();
  if (!is_written) Fail("cannot be written");
}

void OutputFile::FlushEvery(std::chrono::milliseconds period) {
  if (std::chrono::steady_clock::now() - last_flush_ >= period) Flush();
}

void OutputFile::Resize(std::uint64_t size) {
  Flush();
  const auto end = static_cast<off_t>(size);
  if (::ftruncate(fd_, end) != 0 || ::lseek(fd_, end, SEEK_SET) < 0) Fail("cannot be resized");
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

std::shared_ptr<char> OutputFile::Map(std::uint64_t offset, std::size_t size) {
  if (!buffer_.empty()) Flush();
  void* bytes = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd_, static_cast<off_t>(offset));
  if (bytes == MAP_FAILED) Fail("cannot be mapped");
  return {static_cast<char*>(bytes), [size](char* begin) { ::munmap(begin, size); }};
}

void OutputFile::WriteAt(std::uint64_t offset, std::string_view bytes) {
  if (!buffer_.empty()) Flush();
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) Fail("cannot be written");
    bytes.remove_prefix(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
}

void OutputFile::Commit() {
  Flush();
  // Some file systems refuse a write only here.
  if (::close(std::exchange(fd_, -1)) != 0) Fail("cannot be written");
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) Fail("cannot be written");
  temporary_.clear();
}

void WriteWhole(const fs::path& path, std::string_view text, OutputFile::Kind kind) {
  OutputFile file(path, kind);
  file.Write(text);
  file.Commit();
}

CsvFile::CsvFile(fs::path path, OutputFile::Kind kind, const std::vector<std::string>& columns)
    : file_(std::move(path), kind) {
  for (const std::string& column : columns) {
    if (!line_.empty()) line_ += ',';
    line_ += column;
  }
  line_ += '\n';
  file_.Write(line_);
}

CsvFile::CsvFile(fs::path path, std::size_t rows)
    : file_(path, OutputFile::Kind::kContinued), rows_(rows) {
  std::vector<char> block(kBufferSize);
  std::size_t ends = rows + 1;  // of the header, too
  for (std::uint64_t begin = 0; begin < file_.size(); begin += block.size()) {
    const std::size_t size = std::min<std::uint64_t>(block.size(), file_.size() - begin);
    file_.Read(begin, std::span(block).first(size));
    for (std::size_t i = 0; i < size; ++i) {
      if (block[i] != '\n' || --ends > 0) continue;
      file_.Resize(begin + i + 1);
      return;
    }
  }
  throw UserError(path.string() + ": has fewer rows than " + std::to_string(rows));
}

void CsvFile::AddRow(std::span<const double> values, std::span<const double> more) {
  ++rows_;
  line_.clear();
  for (const std::span<const double> part : {values, more}) {
    for (const double x : part) {
      internal::AppendNumber(x, &line_);
      line_ += ',';
    }
  }
  line_.back() = '\n';
  file_.Write(line_);
}

void CsvFile::Truncate(std::size_t row) {
  if (row >= rows_) return;
  CutAfter(rows_ - row + 1);
  rows_ = row;
}

void CsvFile::DropHalfRow() { CutAfter(1); }

void CsvFile::CutAfter(std::size_t ends) {
  std::vector<char> block(kBufferSize);
  std::uint64_t begin = file_.size();
  while (ends > 0 && begin > 0) {
    const std::size_t size = std::min<std::uint64_t>(block.size(), begin);
    begin -= size;
    file_.Read(begin, std::span(block).first(size));
    for (std::size_t i = size; i > 0 && ends > 0; --i) {
      if (block[i - 1] == '\n' && --ends == 0) file_.Resize(begin + i);
    }
  }
}

}  // namespace civita
