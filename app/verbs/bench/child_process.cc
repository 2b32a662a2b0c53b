#include "app/verbs/bench/child_process.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace civita {

std::filesystem::path BesideThisProgram(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

ChildProcess::ChildProcess(std::vector<std::string> command) : name_(command.front()) {
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

ChildProcess::~ChildProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
  }
  std::fclose(out_);
}

bool ChildProcess::ReadLine(std::string* line) {
  line->clear();
  for (int c = std::fgetc(out_); c != EOF; c = std::fgetc(out_)) {
    if (c == '\n') return true;
    line->push_back(static_cast<char>(c));
  }
  return false;
}

void ChildProcess::Finish() {
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = 0;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error(name_ + " failed");
}

}  // namespace civita
