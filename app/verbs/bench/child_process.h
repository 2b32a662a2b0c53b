#pragma once

#include <sys/types.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace civita {

/// The path of a program that is built and installed beside this one; it need not exist.
std::filesystem::path BesideThisProgram(const std::string& name);

/// A child process whose standard output is read by lines. The destructor ends it.
class ChildProcess {
 public:
  /// Starts command.front(), a path. @throws std::runtime_error.
  explicit ChildProcess(std::vector<std::string> command);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Reads the next line. @returns false at the end of the output.
  bool ReadLine(std::string* line);

  /// Waits for the process, after the end of its output. @throws std::runtime_error when it
  /// failed.
  void Finish();

 private:
  std::string name_;
  pid_t pid_ = 0;
  std::FILE* out_ = nullptr;
};

}  // namespace civita
