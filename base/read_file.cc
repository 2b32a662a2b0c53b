#include "base/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/utf8.h"
#include "civita/error.h"

namespace civita::internal {
namespace {

[[noreturn]] void Refuse(const std::string& name, const std::string& why) {
  throw UserError(name + ": " + why);
}

[[noreturn]] void RefuseUnread(const std::string& name) {
  Refuse(name, std::string("cannot be read: ") + std::strerror(errno));
}

[[noreturn]] void RefuseLong(const std::string& name, std::size_t most_bytes) {
  Refuse(name, "holds more than " + std::to_string(most_bytes >> 20) + " MiB");
}

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

/// Like read(2), again after a signal.
std::size_t ReadSome(int fd, char* bytes, std::size_t size, const std::string& name) {
  while (true) {
    const ssize_t n = ::read(fd, bytes, size);
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno != EINTR) RefuseUnread(name);
  }
}

}  // namespace

std::string ReadDescriptor(int fd, const std::string& name, std::size_t most_bytes) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) RefuseUnread(name);
  if (S_ISDIR(status.st_mode)) Refuse(name, "is a folder, not a file");
  // A device such as /dev/zero never ends.
  const bool is_device = S_ISBLK(status.st_mode) || (S_ISCHR(status.st_mode) && ::isatty(fd) == 0);
  if (is_device) Refuse(name, "is a device, not a file");
  const auto known = static_cast<std::size_t>(S_ISREG(status.st_mode) ? status.st_size : 0);
  if (known > most_bytes) RefuseLong(name, most_bytes);
  std::string text;
  std::size_t used = 0;
  while (true) {
    // Some files, such as those in /proc, do not know their size.
    if (used == text.size())
      text.resize(used == 0 ? std::max<std::size_t>(known + 1, 1 << 16) : 2 * used);
    const std::size_t n = ReadSome(fd, text.data() + used, text.size() - used, name);
    if (n == 0) break;
    used += n;
    if (used > most_bytes) RefuseLong(name, most_bytes);
  }
  text.resize(used);
  return text;
}

std::string ReadFile(const std::string& file, std::size_t most_bytes) {
  if (FindNoUtf8(file) != file.npos) Refuse(file, "a file's name must be UTF-8 text");
  const Descriptor descriptor{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  if (descriptor.fd < 0) RefuseUnread(file);
  return ReadDescriptor(descriptor.fd, file, most_bytes);
}

std::string ReadText(const std::string& file, std::size_t most_bytes) {
  std::string text = ReadFile(file, most_bytes);
  CheckUtf8(text, file);
  return text;
}

}  // namespace civita::internal
