// A socket in the file system that answers lines of text, for programs of the same user on the same
// machine.
#pragma once

#include <cstddef>
#include <filesystem>
#include <list>
#include <optional>
#include <string>

namespace civita {

/// The user's folder for sockets: $XDG_RUNTIME_DIR, or where that is not set civita-UID in the
/// folder of temporary files, which is made with mode 0700. @throws UserError where that folder is
/// not the user's own.
std::filesystem::path RuntimeFolder();

/// Takes lines at a Unix socket of mode 0600 and sends a line for each. Nothing waits: Poll does
/// what can be done at once, and is to be called often. A client is answered line by line; one that
/// breaks the rules (a line of more than kMostBytes, another user) gets a line that says so and is
/// dropped, one that is gone is dropped.
class LineServer {
 public:
  /// Listens at `path`, in place of a socket there that nobody serves. @throws UserError.
  explicit LineServer(std::filesystem::path path);
  /// Removes the socket.
  ~LineServer();
  LineServer(const LineServer&) = delete;
  LineServer& operator=(const LineServer&) = delete;

  static constexpr std::size_t kMostBytes = 1 << 16;  ///< of a line
  static constexpr std::size_t kMostClients = 8;

  const std::filesystem::path& path() const { return path_; }
  std::size_t num_clients() const { return clients_.size(); }

  /// Sends and receives.
  void Poll();
  struct Line {
    int client;
    std::string text;  ///< without its end
  };
  /// The next line of a client that has its answers to all before; nullopt: there is none.
  std::optional<Line> Next();
  /// Answers the client's last line; nothing happens if it is gone.
  void Answer(int client, const std::string& line);

 private:
  struct Client {
    int fd, id;
    std::string in = {}, out = {};
    bool waits = false;       ///< for an answer
    bool is_refused = false;  ///< what it says is read and forgotten until it leaves
    bool has_ended = false;   ///< nothing more comes from it
    std::size_t forgotten = 0;
  };

  void Accept();
  void Receive(Client* client);
  void Refuse(Client* client, const std::string& why);
  bool Send(Client* client);

  std::filesystem::path path_;
  int fd_;
  int next_id_ = 0;
  std::list<Client> clients_;
};

}  // namespace civita
