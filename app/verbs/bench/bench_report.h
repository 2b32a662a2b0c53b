#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/verbs/bench/measure.h"
#include "app/verbs/bench/peer.h"
#include "app/verbs/bench/scaling.h"

namespace civita {

/// A quantity of a model, timed.
struct BenchRow {
  std::string model, quantity;
  int batch = 1;            ///< states a call
  int threads = 1;          ///< that share them
  CallTimes times;          ///< of one state, s
  double flops = 0;         ///< of the plain algorithm, a state
  double kernel_flops = 0;  ///< what the kernel's vectors do; that of the plain one if it has none
  double write = 0;         ///< the time that merely writing as many numbers takes, s
  std::vector<PeerResult> peers;
};

/// All that `civita bench` finds out.
struct BenchReport {
  nlohmann::ordered_json machine;
  double peak = 0;  ///< of one core, flop/s
  std::vector<BenchRow> rows;
  std::vector<ScalingSeries> scaling;
  std::vector<PeerResult> scaling_peers;

  /// Of the peak of the cores that are used, and of the time that merely writing takes.
  double ShareOfPeak(const BenchRow& row) const;
  static double ShareOfWriting(const BenchRow& row);

  /// The peer's fastest way to this quantity, nullptr if it has none.
  const PeerResult* FastestPeer(const BenchRow& row, const std::string& peer) const;
};

/// CPU, compiler, flags, version, instruction set of the kernels; measures the peak.
void DescribeBenchMachine(BenchReport* report);

nlohmann::ordered_json ToJson(const BenchReport& report);
/// A record for docs.
std::string ToMarkdown(const BenchReport& report);
/// Times over the number of joints, chain and tree, beside the peers'.
std::string ToSvg(const BenchReport& report);

}  // namespace civita
