#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/verbs/bench/bench_report.h"

namespace CLI {
class App;
}

namespace civita {

/// Options of `civita bench`.
struct BenchOptions {
  std::vector<std::string> models = {"chain20", "tree20", "biped20", "quadruped20"};
  std::vector<std::string> runs = {};     ///< scenes whose runs are timed instead; "": RunScenes
  std::optional<double> duration_s = {};  ///< of these runs
  double seconds = 0.2;                   ///< per measurement
  std::string json;                       ///< file; empty: none
  std::string out;                        ///< folder; empty: none
};

void AddBenchOptions(CLI::App* command, BenchOptions* options);

/// Shows the text as progress. @returns false when stopped.
using ShowProgress = std::function<bool(const std::string&)>;
/// What another program measures beside the report's rows, and adds to its record.
using AddToRecord =
    std::function<void(const BenchReport& report, const ShowProgress& show, BenchRecord* record)>;

/// Measures, prints and writes. @returns an ExitCode. @throws UserError.
int RunBench(const BenchOptions& options, const AddToRecord& add = {});

}  // namespace civita
