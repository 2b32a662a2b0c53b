#include "app/line_server.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "civita/error.h"

namespace civita {
namespace {

[[noreturn]] void RefusePath(const std::filesystem::path& path, const std::string& why) {
  throw UserError(path.string() + ": " + why);
}

sockaddr_un AddressOf(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = path.string();
  if (name.size() >= sizeof address.sun_path) {
    RefusePath(path, "a socket's path has at most " + std::to_string(sizeof address.sun_path - 1) +
                         " bytes; " + "XDG_RUNTIME_DIR names another folder");
  }
  std::copy(name.begin(), name.end(), std::begin(address.sun_path));
  return address;
}

const sockaddr* Generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

bool IsServed(const sockaddr_un& address) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const bool is_served = connect(fd, Generic(address), sizeof address) == 0;
  close(fd);
  return is_served;
}

bool IsOfThisUser(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

bool WouldWait(ssize_t result) {
  return result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

std::string ErrorLine(const std::string& why) {
  return nlohmann::json{{"error", why}}.dump() + "\n";
}

}  // namespace

std::filesystem::path RuntimeFolder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime == '/') return runtime;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("civita-" + std::to_string(geteuid()));
  struct stat info {};
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    RefusePath(folder, std::strerror(errno));
  }
  // Another user may have made it first.
  if (lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid() ||
      (info.st_mode & 077) != 0) {
    RefusePath(folder, "not a folder of yours with mode 0700; XDG_RUNTIME_DIR names another one");
  }
  return folder;
}

LineServer::LineServer(std::filesystem::path path) : path_(std::move(path)) {
  const sockaddr_un address = AddressOf(path_);
  std::error_code ignored;
  if (std::filesystem::exists(std::filesystem::symlink_status(path_, ignored))) {
    if (!std::filesystem::is_socket(path_, ignored)) RefusePath(path_, "exists and is no socket");
    if (IsServed(address)) RefusePath(path_, "another program serves it");
    std::filesystem::remove(path_, ignored);
  }
  fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  // Nobody can connect before it listens.
  if (fd_ < 0 || bind(fd_, Generic(address), sizeof address) != 0 ||
      chmod(path_.c_str(), 0600) != 0 || listen(fd_, static_cast<int>(kMostClients)) != 0) {
    const std::string why = std::strerror(errno);
    if (fd_ >= 0) close(fd_);
    RefusePath(path_, why);
  }
}

LineServer::~LineServer() {
  for (const Client& client : clients_) close(client.fd);
  close(fd_);
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

void LineServer::Poll() {
  Accept();
  constexpr std::size_t kMostForgotten = 1 << 26;
  for (auto client = clients_.begin(); client != clients_.end();) {
    Receive(&*client);
    const bool is_sent = Send(&*client) && client->out.empty();
    const bool has_line = client->in.find('\n') != std::string::npos;
    const bool is_done = client->has_ended && !client->waits && !has_line && is_sent;
    const bool is_lost = client->fd < 0 || client->forgotten > kMostForgotten;
    if (!is_done && !is_lost) {
      ++client;
      continue;
    }
    if (client->fd >= 0) close(client->fd);
    client = clients_.erase(client);
  }
}

void LineServer::Accept() {
  while (true) {
    const int fd = accept4(fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    if (!IsOfThisUser(fd)) {
      close(fd);
      continue;
    }
    if (clients_.size() >= kMostClients) {
      const std::string text =
          ErrorLine("there are " + std::to_string(kMostClients) + " clients already");
      (void)send(fd, text.data(), text.size(), MSG_NOSIGNAL);
      close(fd);
      continue;
    }
    clients_.push_back({.fd = fd, .id = next_id_++});
  }
}

void LineServer::Receive(Client* client) {
  constexpr int kMostParts = 16;  // at a time: one client does not hold up the others
  std::vector<char> part(kMostBytes);
  for (int i = 0; i < kMostParts && !client->has_ended; ++i) {
    if (!client->is_refused && client->in.size() > kMostBytes) {
      if (client->in.find('\n') <= kMostBytes) return;  // lines that have to wait
      return Refuse(client, "a line has at most " + std::to_string(kMostBytes) + " bytes");
    }
    const ssize_t size = recv(client->fd, part.data(), part.size(), 0);
    if (size == 0) client->has_ended = true;
    if (size <= 0) {
      if (size < 0 && !WouldWait(size)) client->has_ended = client->is_refused = true;
      return;
    }
    if (client->is_refused) {
      client->forgotten += static_cast<std::size_t>(size);
    } else {
      client->in.append(part.data(), static_cast<std::size_t>(size));
    }
  }
}

void LineServer::Refuse(Client* client, const std::string& why) {
  client->is_refused = true;
  client->waits = false;
  client->in.clear();
  client->out += ErrorLine(why);
}

bool LineServer::Send(Client* client) {
  while (!client->out.empty()) {
    const ssize_t size =
        send(client->fd, client->out.data(), client->out.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (WouldWait(size)) return true;
    if (size < 0) {
      close(std::exchange(client->fd, -1));
      return false;
    }
    client->out.erase(0, static_cast<std::size_t>(size));
  }
  if (client->is_refused) shutdown(client->fd, SHUT_WR);
  return true;
}

std::optional<LineServer::Line> LineServer::Next() {
  for (auto client = clients_.begin(); client != clients_.end(); ++client) {
    if (client->waits || client->is_refused || !client->out.empty()) continue;
    const std::size_t end = client->in.find('\n');
    if (end == std::string::npos) continue;
    Line line{client->id, client->in.substr(0, end)};
    client->in.erase(0, end + 1);
    client->waits = true;
    clients_.splice(clients_.end(), clients_, client);  // the others are next
    return line;
  }
  return std::nullopt;
}

void LineServer::Answer(int client, const std::string& line) {
  const auto found = std::ranges::find(clients_, client, &Client::id);
  if (found == clients_.end() || !found->waits) return;
  found->waits = false;
  found->out += line + "\n";
  Send(&*found);
}

}  // namespace civita
