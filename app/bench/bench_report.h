#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/bench/measure.h"
#include "app/bench/peer.h"
#include "app/bench/scaling.h"

namespace civita {

/// A quantity of a model, timed.
struct BenchRow {
  std::string model, quantity;
  int batch = 1;     ///< states a call
  CallTimes times;   ///< of one state, s
  double flops = 0;  ///< of the plain algorithm, a state
  double write = 0;  ///< the time that merely writing as many numbers takes, s
  std::vector<PeerResult> peers;
};

/// All that `civita bench` finds out.
struct BenchReport {
  nlohmann::ordered_json machine;
  double peak = 0;  ///< of one core, flop/s
  std::vector<BenchRow> rows;
  std::vector<ScalingSeries> scaling;
  std::vector<PeerResult> scaling_peers;

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
