#include "civita/sim/output_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string>
#include <system_error>
#include <utility>

#include "civita/error.h"
#include "civita/sim/output_file.h"

namespace civita {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLock = ".lock";

[[noreturn]] void RefuseFolder(const fs::path& directory, const std::string& why) {
  throw UserError("--out " + directory.string() + ": " + why);
}

/// For an errno.
[[noreturn]] void RefuseFolder(const fs::path& directory, const std::string& why, int error) {
  const std::string reason = why + ": " + std::strerror(error);
  if (IsFull(error)) throw WriteError("--out " + directory.string() + ": " + reason);
  RefuseFolder(directory, reason);
}

/// Whether nothing has this name, not even a dangling link.
bool HasNoName(const fs::path& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type() == fs::file_type::not_found;
}

std::string ThisProcess() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return "process " + std::to_string(::getpid()) + " on " + host.data() + " since " + UtcNow();
}

std::string ReadHolder(int fd) {
  std::array<char, 512> text{};
  const ssize_t n = ::pread(fd, text.data(), text.size(), 0);
  const std::string holder(text.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
  // It is empty between the lock and the writing of the name.
  return holder.empty() ? "another process" : holder;
}

}  // namespace

std::string UtcNow() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

OutputFolder::OutputFolder(const fs::path& directory) : directory_(directory) {
  constexpr int kTries = 100;
  try {
    for (int i = 0; i < kTries; ++i) {
      Make();
      if (!Lock()) continue;
      LookAround();
      return;
    }
    RefuseFolder(directory_, "is removed by another process again and again");
  } catch (...) {
    Unlock();
    RemoveEmpty();
    throw;
  }
}

OutputFolder::~OutputFolder() {
  Unlock();
  RemoveEmpty();
}

void OutputFolder::Make() {
  std::error_code error;
  const fs::file_status status = fs::status(directory_, error);
  if (fs::is_directory(status)) return;
  if (fs::exists(status)) RefuseFolder(directory_, "is not a directory");
  for (fs::path path = directory_; !path.empty() && HasNoName(path); path = path.parent_path()) {
    made_ = path;
  }
  fs::create_directories(directory_, error);
  if (error) RefuseFolder(directory_, "cannot be made", error.value());
}

bool OutputFolder::Lock() {
  const fs::path path = directory_ / kLock;
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd_ < 0 && errno == ENOENT) return false;
  if (fd_ < 0 && errno == ELOOP) RefuseFolder(directory_, ".lock in it is a link");
  if (fd_ < 0) RefuseFolder(directory_, "cannot be written", errno);
  // Where the file system knows no locks, the folder is used without one.
  if (::flock(fd_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    const std::string holder = ReadHolder(fd_);
    ::close(std::exchange(fd_, -1));
    RefuseFolder(directory_, "is being written by " + holder);
  }
  struct stat ours {
  }, named{};
  if (::fstat(fd_, &ours) != 0 || ::stat(path.c_str(), &named) != 0 ||
      ours.st_ino != named.st_ino) {
    ::close(std::exchange(fd_, -1));
    return false;
  }
  if (ours.st_nlink > 1) {
    ::close(std::exchange(fd_, -1));
    RefuseFolder(directory_, ".lock in it is a file that has another name, too");
  }
  const std::string text = ThisProcess();
  if (::ftruncate(fd_, 0) != 0 ||
      ::pwrite(fd_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    RefuseFolder(directory_, "cannot be written", errno);
  }
  return true;
}

void OutputFolder::LookAround() {
  std::error_code error;
  for (auto entry = fs::directory_iterator(directory_, error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const fs::path name = entry->path().filename();
    std::error_code ignored;
    if (IsTemporary(name)) {
      fs::remove(entry->path(), ignored);
    } else if (name != kLock) {
      is_empty_ = false;
    }
  }
  if (error) RefuseFolder(directory_, "cannot be read: " + error.message());
}

void OutputFolder::Unlock() {
  if (fd_ < 0) return;
  ::unlink((directory_ / kLock).c_str());
  ::close(std::exchange(fd_, -1));
}

void OutputFolder::RemoveEmpty() const {
  if (made_.empty()) return;
  // Those that hold something stay.
  std::error_code ignored;
  for (fs::path path = directory_;; path = path.parent_path()) {
    fs::remove(path, ignored);
    if (path == made_) return;
  }
}

}  // namespace civita
