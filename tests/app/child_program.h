#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/scenes/read_all.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {

struct ChildResult {
  int code = -1;
  std::string out, err;
  double cpu_s = 0;  ///< processor time of all its threads
};

/// The built program as a child process in its own folder.
class ChildProgram {
 public:
  enum class Display { kNone, kInherit };

  explicit ChildProgram(const std::vector<std::string>& arguments, Display display = Display::kNone,
                        const char* program = CIVITA_PROGRAM) {
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
    std::vector<char*> argv = {const_cast<char*>(program)};
    for (const std::string& argument : arguments) {
      argv.push_back(const_cast<char*>(argument.c_str()));
    }
    argv.push_back(nullptr);
    if (ready) execv(program, argv.data());
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

  /// Processor time so far of a running program.
  double CpuSeconds() const {
    const std::string stat = ReadAll("/proc/" + std::to_string(pid_) + "/stat");
    const std::size_t name_end = stat.rfind(')');
    if (name_end == stat.npos) return 0;
    std::istringstream fields(stat.substr(name_end + 1));
    std::string skipped;
    for (int i = 0; i < 11; ++i) fields >> skipped;
    double user = 0, system = 0;
    fields >> user >> system;
    return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  }

  /// Its exit code and output; −1 if it was killed, which happens after twenty minutes.
  ChildResult Wait() {
    int status = 0;
    rusage used{};
    for (int tries = 0; wait4(pid_, &status, WNOHANG, &used) == 0; ++tries) {
      if (tries == 120000) kill(pid_, SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    running_ = false;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadAll(folder() / "out.txt"),
            ReadAll(folder() / "err.txt"), Seconds(used.ru_utime) + Seconds(used.ru_stime)};
  }

 private:
  static double Seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }

  TemporaryFolder folder_;
  pid_t pid_;
  bool running_ = true;
};

}  // namespace civita
