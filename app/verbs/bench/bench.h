#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace civita {

struct Registry;

/// Options of `civita bench`.
struct BenchOptions {
  std::vector<std::string> models = {"chain20", "tree20", "biped20", "quadruped20"};
  bool scaling = false;
  bool peer = false;
  double seconds = 0.2;  ///< per measurement
  bool window = false;   ///< the window instead
  int switches = 12;     ///< of the scene in the window
  std::string json;      ///< file; empty: none
  std::string out;       ///< folder; empty: none
};

/// Adds the verb's options and help, see Verb::add.
std::function<int()> AddBench(CLI::App* command, const Registry& registry);

/// Measures, prints and writes. @returns an ExitCode: kExitFailed when a peer's numbers differ.
/// @throws UserError.
int RunBench(const BenchOptions& options);

}  // namespace civita
