#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace civita {

/// `civita bench`.
struct BenchOptions {
  std::vector<std::string> models = {"chain20", "tree20", "biped20", "quadruped20"};
  bool scaling = false;
  bool peer = false;
  double seconds = 0.2;  ///< a measurement
  std::string json;      ///< file; empty: none
  std::string out;       ///< folder; empty: none
};

/// Adds the verb with its options and help.
CLI::App* AddBenchCommand(CLI::App* program, BenchOptions* options);

/// Times, prints and writes. @returns an ExitCode: kExitFailed when a peer computes other numbers.
/// @throws UserError.
int RunBench(const BenchOptions& options);

}  // namespace civita
