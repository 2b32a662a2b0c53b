// civita_large_inputs [LIMIT [SEED]]: the readers of doors.cc with inputs of up to 4 MiB, made of
// the corpus by repeating a piece of it, or a bracket, very often: what is recursive runs out of
// stack and what is quadratic out of time. Each in a process of its own. Prints the number of
// inputs, and the slowest; exits with 1 if one crashes, misbehaves or takes longer than 60 s of a
// processor, and keeps it in the working folder.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "tests/campaign/doors.h"
#include "tests/campaign/limit.h"

namespace civita {
namespace {

constexpr unsigned kSlowestS = 60;  // of a processor
constexpr unsigned kHangsAfterS = 1200;
constexpr double kLeastBytes = 1e4, kMostBytes = 4 << 20;

/// `text` with a part of it, or one of the grammars' openings, inserted many times.
std::string Enlarge(const std::string& text, std::mt19937* random) {
  static const std::vector<std::string> kOpenings = {
      "[", "{",   "(",  "- ", "{a: ", "[[",  "-",      "+", "\"", "a", "1", " ",  "\n",  ",",
      ".", "&a ", "? ", "#",  "!",    "<a>", "<body>", "'", ":",  "e", "*", "1,", "1\n", "\\"};
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(*random);
  };
  const std::size_t at = below(text.size() + 1);
  const std::string piece = below(2) || at == text.size() ? kOpenings[below(kOpenings.size())]
                                                          : text.substr(at, 1 + below(120));
  const double exponent = std::uniform_real_distribution<double>(0, 1)(*random);
  const double bytes = kLeastBytes * std::pow(kMostBytes / kLeastBytes, exponent);
  std::string many;
  while (static_cast<double>(many.size() + piece.size()) < bytes) many += piece;
  return text.substr(0, at) + many + text.substr(at);
}

/// How a reader fails at an input; empty if it accepts or refuses it.
std::string FaultOf(const Door& door, const std::string& input) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit slowest = {.rlim_cur = kSlowestS, .rlim_max = kSlowestS + 1};
    setrlimit(RLIMIT_CPU, &slowest);
    alarm(kHangsAfterS);
    try {
      Knock(door, input);
    } catch (const std::exception& error) {
      std::printf("%s\n", error.what());
      std::fflush(stdout);
      _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    const bool is_late = signal == SIGXCPU || signal == SIGALRM;
    return is_late ? "takes too long" : "ends by signal " + std::to_string(signal);
  }
  return WEXITSTATUS(status) == 0 ? "" : "misbehaves";
}

int TryAll(const Limit& limit, unsigned seed) {
  using Clock = std::chrono::steady_clock;
  const auto passed_s = [](Clock::time_point since) {
    return std::chrono::duration<double>(Clock::now() - since).count();
  };
  Knock(Doors().front(), "");  // makes the folder for files, which this process removes at its end
  std::mt19937 random(seed);
  long cases = 0;
  int bad = 0;
  double slowest_s = 0;
  std::string slowest;
  while (limit.Allows(cases)) {
    for (const Door& door : Doors()) {
      const std::vector<std::string> inputs = CorpusOf(door);
      const std::string input = Enlarge(inputs[random() % inputs.size()], &random);
      const Clock::time_point before = Clock::now();
      const std::string fault = FaultOf(door, input);
      ++cases;
      if (const double s = passed_s(before); s > slowest_s) {
        slowest_s = s;
        slowest = door.name;
      }
      if (fault.empty()) continue;
      const std::string file = "large_" + std::to_string(bad++);
      std::ofstream(file, std::ios::binary) << input;
      std::printf("%s %s: %s\n", std::string(door.name).c_str(), file.c_str(), fault.c_str());
    }
  }
  std::printf("%ld inputs\nslowest %.1f s, %s\n", cases, slowest_s, slowest.c_str());
  return bad == 0 ? 0 : 1;
}

}  // namespace
}  // namespace civita

int main(int argc, char** argv) {
  const civita::Limit limit(argc > 1 ? argv[1] : "10s");
  return civita::TryAll(limit, argc > 2 ? static_cast<unsigned>(std::atol(argv[2])) : 1);
}
