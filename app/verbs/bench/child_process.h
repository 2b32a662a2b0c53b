#pragma once

#include <sys/types.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace civita {

/// Where a program that is built and installed beside this one is, or would be.
std::filesystem::path BesideThisProgram(const std::string& name);

/// A program's lines of standard output, as they come. It ends with this object at the latest.
class ChildProcess {
 public:
  /// Starts command.front(), a path. @throws std::runtime_error.
  explicit ChildProcess(std::vector<std::string> command);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// @returns false at the end of its output.
  bool ReadLine(std::string* line);

  /// To be called at the end of its output. @throws std::runtime_error when it failed.
  void Finish();

 private:
  std::string name_;
  pid_t pid_ = 0;
  std::FILE* out_ = nullptr;
};

}  // namespace civita
