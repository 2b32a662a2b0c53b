#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/verbs/bench/measure.h"
#include "app/verbs/bench/peer.h"
#include "app/verbs/bench/scaling.h"
#include "civita/study/table.h"

namespace civita {

/// Timing of a quantity of a model.
struct BenchRow {
  std::string model, quantity;
  int batch = 1;     ///< states per call
  int threads = 1;   ///< number of threads that share them
  CallTimes times;   ///< per state, s
  double flops = 0;  ///< of the plain algorithm, per state
  /// of the kernel's vectors; of the plain algorithm if there is no kernel
  double kernel_flops = 0;
  double write = 0;  ///< time for merely writing as many numbers, s
  std::vector<PeerResult> peers;
};

/// The results of `civita bench`.
struct BenchReport {
  nlohmann::ordered_json machine;
  double peak = 0;  ///< of one core, flop/s
  std::vector<BenchRow> rows;
  std::vector<ScalingSeries> scaling;
  /// Pinocchio's faster code by model and quantity.
  std::map<std::pair<std::string, std::string>, PeerResult> scaling_peers;

  /// Share of the peak of the cores in use, and of the time for merely writing.
  double ShareOfPeak(const BenchRow& row) const;
  static double ShareOfWriting(const BenchRow& row);

  /// The peer's fastest code for this quantity; nullptr if it has no call for it.
  const PeerResult* FastestPeer(const BenchRow& row, const std::string& peer) const;
};

/// CPU, compiler, flags, version, instruction set of the kernels; measures the peak.
void DescribeBenchMachine(BenchReport* report);

nlohmann::ordered_json ToJson(const BenchReport& report);
/// A row for each quantity of each model, in µs a state; ×8: of eight states in a call.
Table BenchTable(const BenchReport& report);
/// A row for each series, of which there is one at least.
Table ScalingTable(const BenchReport& report);
/// The report as Markdown, for docs.
std::string ToMarkdown(const BenchReport& report);
/// Times over the number of joints, chain and tree, with the peers'.
std::string ToSvg(const BenchReport& report);

}  // namespace civita
