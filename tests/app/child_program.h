#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "tests/scenes/temporary_folder.h"

namespace civita {

struct ChildResult {
  int code = -1;
  std::string out, err;
};

inline std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The built program as a child process in its own folder.
class ChildProgram {
 public:
  enum class Display { kNone, kInherit };

  explicit ChildProgram(const std::vector<std::string>& arguments,
                        Display display = Display::kNone) {
    pid_ = fork();
    if (pid_ != 0) return;
    if (display == Display::kNone) {
      unsetenv("DISPLAY");
      unsetenv("WAYLAND_DISPLAY");
    }
    // A program under test neither reads nor writes the user's settings.
    setenv("XDG_CONFIG_HOME", (folder_.path() / "config").c_str(), 1);
    const bool ready = chdir(folder_.path().c_str()) == 0 &&
                       freopen("out.txt", "w", stdout) != nullptr &&
                       freopen("err.txt", "w", stderr) != nullptr;
    std::vector<char*> argv = {const_cast<char*>(CIVITA_PROGRAM)};
    for (const std::string& argument : arguments) {
      argv.push_back(const_cast<char*>(argument.c_str()));
    }
    argv.push_back(nullptr);
    if (ready) execv(CIVITA_PROGRAM, argv.data());
    _exit(127);
  }
  ~ChildProgram() {
    if (running_) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;

  const std::filesystem::path& folder() const { return folder_.path(); }
  void Interrupt() const { kill(pid_, SIGINT); }

  /// Its exit code and output; −1 if it was killed, which happens after two minutes.
  ChildResult Wait() {
    int status = 0;
    for (int tries = 0; waitpid(pid_, &status, WNOHANG) == 0; ++tries) {
      if (tries == 12000) kill(pid_, SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    running_ = false;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadAll(folder() / "out.txt"),
            ReadAll(folder() / "err.txt")};
  }

 private:
  TemporaryFolder folder_;
  pid_t pid_;
  bool running_ = true;
};

}  // namespace civita
