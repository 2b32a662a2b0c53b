#include <CLI/CLI.hpp>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "app/program.h"
#include "app/terminal.h"
#include "app/verbs/bench/bench.h"
#include "app/verbs/bench/bench_models.h"
#include "app/verbs/bench/scaling.h"
#include "tests/peers/peers.h"
#include "tests/peers/peers_record.h"
#include "tests/peers/verbs.h"

namespace civita {
namespace {

constexpr const char* kAbout =
    "`civita bench` beside MuJoCo's and, if scripts/peers built what calls them, Pinocchio's own "
    "functions, timed in turn with ours after a comparison of the numbers.";

/// Up to sizes whose tensors fit in memory.
void MeasureGrowth(double seconds, const ShowProgress& show, PeerResults* results) {
  std::vector<std::string> models;
  for (const std::string kind : {"chain", "tree"}) {
    for (const int joints : ScalingSizes()) {
      if (joints <= 80) models.push_back(kind + std::to_string(joints));
    }
  }
  TimePinocchio(models, "C+H,Gamma", 0.1 * seconds, [&](const PeerResult& result) {
    PeerResult& fastest = results->growth[{result.model, result.quantity}];
    if (fastest.peer.empty() || result.ratio() < fastest.ratio()) fastest = result;
    return show("growth: " + result.peer + ", " + result.model);
  });
}

void MeasurePeers(const BenchOptions& options, const ShowProgress& show, PeerResults* results) {
  bool goes_on = true;
  const auto take = [&](const PeerResult& result) {
    results->rows.push_back(result);
    goes_on = show(result.peer + ", " + result.model + ", " + result.quantity);
    return goes_on;
  };
  std::vector<std::string> models;
  for (const std::string& name : options.models) {
    if (MakeBenchModel(name)) models.push_back(name);
  }
  for (const std::string& model : models) {
    if (goes_on) TimeMujoco(MakeBenchModel(model).value(), options.seconds, take);
  }
  if (!goes_on) return;
  if (!TimePinocchio(models, "", options.seconds, take)) {
    PrintNote(
        "Pinocchio is left out: scripts/peers installs it below .cache and builds what compares "
        "with it");
  } else if (options.scaling && goes_on) {
    MeasureGrowth(options.seconds, show, results);
  }
}

int RunWithPeers(const BenchOptions& options) {
  std::string failure;
  const int code = RunBench(
      options, [&](const BenchReport& report, const ShowProgress& show, BenchRecord* record) {
        PeerResults results;
        try {
          MeasurePeers(options, show, &results);
        } catch (const std::exception& error) {
          failure = error.what();
        }
        AddPeers(report, results, record);
      });
  if (code != kExitDone || failure.empty()) return code;
  PrintError(failure);
  return kExitFailed;
}

}  // namespace

std::function<int()> AddBenchWithPeers(CLI::App* command, const Registry& /*registry*/) {
  const auto options = std::make_shared<BenchOptions>();
  AddBenchOptions(command, options.get());
  command->description(kAbout);
  return [options] { return RunWithPeers(*options); };
}

}  // namespace civita
