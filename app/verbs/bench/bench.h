#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace civita {

struct Registry;

/// `civita bench`.
struct BenchOptions {
  std::vector<std::string> models = {"chain20", "tree20", "biped20", "quadruped20"};
  bool scaling = false;
  bool peer = false;
  double seconds = 0.2;  ///< a measurement
  std::string json;      ///< file; empty: none
  std::string out;       ///< folder; empty: none
};

/// The verb's options and help, see Verb::add.
std::function<int()> AddBench(CLI::App* command, const Registry& registry);

/// Times, prints and writes. @returns an ExitCode: kExitFailed when a peer computes other numbers.
/// @throws UserError.
int RunBench(const BenchOptions& options);

}  // namespace civita
