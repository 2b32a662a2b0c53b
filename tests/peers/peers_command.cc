#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/program.h"
#include "app/terminal.h"
#include "app/verbs/bench/bench.h"
#include "app/verbs/bench/bench_models.h"
#include "civita/sim/output_file.h"
#include "tests/peers/growth.h"
#include "tests/peers/peers.h"
#include "tests/peers/peers_record.h"
#include "tests/peers/verbs.h"

namespace civita {
namespace {

constexpr const char* kAbout =
    "`civita bench` beside MuJoCo's and, if scripts/peers built what calls them, Pinocchio's own "
    "functions, timed in turn with ours after a comparison of the numbers.";

struct PeersOptions {
  BenchOptions bench;
  bool scaling = false;
};

std::vector<PeerResult> MeasurePeers(const BenchOptions& options, const ShowProgress& show,
                                     std::string* failure) {
  std::vector<PeerResult> results;
  bool goes_on = true;
  const auto take = [&](const PeerResult& result) {
    results.push_back(result);
    goes_on = show(result.peer + ", " + result.model + ", " + result.quantity);
    return goes_on;
  };
  std::vector<std::string> models;
  for (const std::string& name : options.models) {
    if (MakeBenchModel(name)) models.push_back(name);
  }
  try {
    for (const std::string& model : models) {
      if (goes_on) TimeMujoco(MakeBenchModel(model).value(), options.seconds, take);
    }
    if (goes_on && !TimePinocchio(models, "", options.seconds, take)) {
      PrintNote(
          "Pinocchio is left out: scripts/peers installs it below .cache and builds what compares "
          "with it");
    }
  } catch (const std::exception& error) {
    *failure = error.what();
  }
  return results;
}

/// @returns an ExitCode: kExitFailed when a peer's numbers differ. @throws UserError.
int RunWithPeers(const PeersOptions& options) {
  std::string failure;
  Growth growth;
  const int code = RunBench(
      options.bench, [&](const BenchReport& report, const ShowProgress& show, BenchRecord* record) {
        AddPeers(report, MeasurePeers(options.bench, show, &failure), record);
        if (options.scaling) growth = MeasureGrowth(options.bench.seconds, show);
        if (!growth.series.empty()) AddGrowth(growth, record);
      });
  if (!growth.series.empty()) {
    PrintOut("\n" + ToTerminal(GrowthTable(growth), kAnyWidth));
    const std::filesystem::path out = options.bench.out;
    if (!out.empty()) WriteWhole(out / "benchmarks.svg", FormatSvg(GrowthFigure(growth)));
  }
  if (code != kExitDone || failure.empty()) return code;
  PrintError(failure);
  return kExitFailed;
}

}  // namespace

std::function<int()> AddBenchWithPeers(CLI::App* command, const Registry& /*registry*/) {
  const auto options = std::make_shared<PeersOptions>();
  AddBenchOptions(command, &options->bench);
  command->description(kAbout);
  command->add_flag("--scaling", options->scaling, "also C+H and Gamma for 5 to 200 joints");
  return [options] { return RunWithPeers(*options); };
}

}  // namespace civita
