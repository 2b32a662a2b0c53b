// Child processes: one in the background that is never waited for, and one that is left alone.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace civita {

/// The path of a program that is built and installed beside this one; it need not exist.
std::filesystem::path BesideThisProgram(const std::string& name);

/// The command that starts this program, to be followed by a verb: this executable, or what was set
/// where the program is part of another one.
const std::vector<std::string>& ProgramCommand();
void SetProgramCommand(std::vector<std::string> command);

/// A child process with a low priority whose standard error is read by lines; it has no input, and
/// its standard output is dropped. It ends with this program, and as a group with its own children.
/// Only the destructor waits: it cancels the process and leaves it kMercy.
class BackgroundProcess {
 public:
  /// Starts command.front(), a path, with "NAME=value" added to the environment. @throws Error.
  BackgroundProcess(std::vector<std::string> command, const std::vector<std::string>& environment);
  ~BackgroundProcess();
  BackgroundProcess(const BackgroundProcess&) = delete;
  BackgroundProcess& operator=(const BackgroundProcess&) = delete;

  /// Its exit code once it has ended, 128 + the signal that ended it, kUnknownCode where this
  /// process ignores SIGCHLD and the system keeps no code; nullopt while it runs.
  std::optional<int> Poll();
  /// The lines since the last call, whole ones while it runs. After Poll has told the end they are
  /// the last ones.
  std::vector<std::string> TakeLines();
  /// Interrupts it; Poll kills it if it still runs after kMercy.
  void Cancel();
  static constexpr std::chrono::seconds kMercy{2};
  static constexpr int kUnknownCode = -1;

  pid_t pid() const { return pid_; }

 private:
  using Clock = std::chrono::steady_clock;

  pid_t pid_ = 0;
  int err_ = -1;
  std::optional<int> code_;
  std::optional<Clock::time_point> cancelled_;
  std::string text_;  ///< read, but not yet taken
};

/// Starts a program, found on PATH, that neither ends with this one nor is waited for. @returns
/// false if there is none of that name.
bool StartDetached(std::vector<std::string> command);

}  // namespace civita
