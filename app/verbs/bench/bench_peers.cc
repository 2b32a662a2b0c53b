#include "app/verbs/bench/bench_peers.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include "app/verbs/bench/bench_models.h"
#include "app/verbs/bench/mujoco_peer.h"

namespace civita {
namespace {

/// A program's lines of standard output, as they come.
class Child {
 public:
  explicit Child(std::vector<std::string> command) : name_(command.front()) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe for " + name_);
    std::vector<char*> argv;
    argv.reserve(command.size() + 1);
    for (std::string& word : command) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      close(ends[1]);
      execv(argv[0], argv.data());
      _exit(127);
    }
    close(ends[1]);
    out_ = fdopen(ends[0], "r");
    if (pid_ < 0 || out_ == nullptr) throw std::runtime_error(name_ + " cannot be started");
  }
  ~Child() {
    if (pid_ > 0) {
      kill(pid_, SIGTERM);
      waitpid(pid_, nullptr, 0);
    }
    std::fclose(out_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool ReadLine(std::string* line) {
    line->clear();
    for (int c = std::fgetc(out_); c != EOF; c = std::fgetc(out_)) {
      if (c == '\n') return true;
      line->push_back(static_cast<char>(c));
    }
    return false;
  }

  /// To be called at the end of its output. @throws std::runtime_error when it failed.
  void Finish() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error(name_ + " failed");
  }

 private:
  std::string name_;
  pid_t pid_ = 0;
  std::FILE* out_ = nullptr;
};

}  // namespace

bool RunPeers(const std::vector<std::string>& models, double seconds,
              const std::function<bool(PeerResult)>& take) {
  bool go_on = true;
  const auto keep = [&](PeerResult result) { return go_on = take(std::move(result)); };
  for (const std::string& model : models) {
    if (go_on) TimeMujoco(MakeBenchModel(model).value(), seconds, keep);
  }
  // A program of its own: built only where Pinocchio is.
  const std::filesystem::path program =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "civita_peer_pinocchio";
  if (!std::filesystem::exists(program)) return false;
  if (!go_on) return true;
  std::vector<std::string> command = {program, std::to_string(seconds)};
  command.insert(command.end(), models.begin(), models.end());
  Child child(command);
  std::string line;
  while (go_on && child.ReadLine(&line)) keep(ParsePeerResult(line));
  if (go_on) child.Finish();
  return true;
}

}  // namespace civita
