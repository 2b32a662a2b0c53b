#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace civita {

/// A program at a Unix socket that sends and receives lines without waiting.
class LinkClient {
 public:
  explicit LinkClient(const std::filesystem::path& path)
      : fd_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = path.string();
    std::copy(name.begin(), name.end(), std::begin(address.sun_path));
    EXPECT_EQ(connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0) << path;
  }
  ~LinkClient() { Leave(); }
  LinkClient(const LinkClient&) = delete;
  LinkClient& operator=(const LinkClient&) = delete;

  /// @returns how much of the text could be sent.
  std::size_t Send(const std::string& text) const {
    const ssize_t size = send(fd_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return size < 0 ? 0 : static_cast<std::size_t>(size);
  }
  /// The next line, if it is there.
  std::optional<std::string> Receive() {
    char part[4096];
    while (true) {
      const std::size_t end = received_.find('\n');
      if (end != std::string::npos) {
        std::string line = received_.substr(0, end);
        received_.erase(0, end + 1);
        return line;
      }
      const ssize_t size = recv(fd_, part, sizeof part, MSG_DONTWAIT);
      if (size == 0) has_ended_ = true;
      if (size <= 0) return std::nullopt;
      received_.append(part, static_cast<std::size_t>(size));
    }
  }
  /// Whether the other side sends no more; known after Receive.
  bool has_ended() const { return has_ended_; }
  void EndSending() const { shutdown(fd_, SHUT_WR); }
  void Leave() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
  bool has_ended_ = false;
  std::string received_;
};

}  // namespace civita
