#include "app/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <sstream>
#include <thread>
#include <utility>

#include "civita/error.h"

namespace civita {
namespace {

std::vector<std::string>& TheProgramCommand() {
  static std::vector<std::string> command = {"/proc/self/exe"};
  return command;
}

/// The words as exec takes them.
std::vector<char*> Pointers(std::vector<std::string>* words) {
  std::vector<char*> pointers;
  pointers.reserve(words->size() + 1);
  for (std::string& word : *words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> EnvironmentWith(const std::vector<std::string>& more) {
  std::vector<std::string> all = more;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  return all;
}

std::string FindOnPath(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string file; std::getline(folders, file, ':');) {
    file += '/';
    file += name;
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

}  // namespace

std::filesystem::path BesideThisProgram(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

const std::vector<std::string>& ProgramCommand() { return TheProgramCommand(); }

void SetProgramCommand(std::vector<std::string> command) {
  TheProgramCommand() = std::move(command);
}

BackgroundProcess::BackgroundProcess(std::vector<std::string> command,
                                     const std::vector<std::string>& environment) {
  constexpr int kPriority = 10;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw Error("no pipe for " + command.front());
  }
  std::vector<std::string> variables = EnvironmentWith(environment);
  const std::vector<char*> argv = Pointers(&command), envp = Pointers(&variables);
  // Between fork and exec only what is safe in a copy of one of several threads.
  pid_ = fork();
  if (pid_ == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGINT);
    [[maybe_unused]] const int priority = nice(kPriority);
    const int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    closefrom(STDERR_FILENO + 1);  // an open pipe to an encoder would never end for it
    execve(argv[0], argv.data(), envp.data());
    _exit(127);
  }
  close(ends[1]);
  err_ = ends[0];
  if (pid_ < 0) {
    close(err_);
    throw Error(command.front() + " cannot be started");
  }
  setpgid(pid_, pid_);  // here too: a Cancel may come before the child's own call
  fcntl(err_, F_SETFL, O_NONBLOCK);
}

BackgroundProcess::~BackgroundProcess() {
  Cancel();
  while (!Poll()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  close(err_);
}

std::optional<int> BackgroundProcess::Poll() {
  int status = 0;
  const pid_t ended = code_ ? 0 : waitpid(pid_, &status, WNOHANG);
  if (ended == 0) {
    if (!code_ && cancelled_ && Clock::now() > *cancelled_ + kMercy) kill(-pid_, SIGKILL);
    return code_;
  }
  code_ = ended < 0           ? kUnknownCode
          : WIFEXITED(status) ? WEXITSTATUS(status)
                              : 128 + WTERMSIG(status);
  return code_;
}

std::vector<std::string> BackgroundProcess::TakeLines() {
  std::array<char, 4096> buffer;
  for (ssize_t size = 1; size > 0;) {
    size = read(err_, buffer.data(), buffer.size());
    if (size > 0) text_.append(buffer.data(), static_cast<std::size_t>(size));
  }
  if (code_ && !text_.empty() && text_.back() != '\n') text_ += '\n';
  std::vector<std::string> lines;
  for (std::size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n')) {
    lines.push_back(text_.substr(0, end));
    text_.erase(0, end + 1);
  }
  return lines;
}

void BackgroundProcess::Cancel() {
  if (code_ || cancelled_) return;
  cancelled_ = Clock::now();
  kill(-pid_, SIGINT);
}

bool StartDetached(std::vector<std::string> command) {
  command.front() = FindOnPath(command.front());
  if (command.front().empty()) return false;
  const std::vector<char*> argv = Pointers(&command);
  const pid_t pid = fork();
  if (pid == 0) {
    setsid();
    if (fork() != 0) _exit(0);  // the second child is nobody's to wait for
    closefrom(STDERR_FILENO + 1);
    execv(argv[0], argv.data());
    _exit(127);
  }
  return pid > 0 && waitpid(pid, nullptr, 0) == pid;
}

}  // namespace civita
