#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/verbs/bench/bench_report.h"
#include "tests/peers/peer.h"

namespace civita {

/// Peers' times beside those of a report.
struct PeerResults {
  std::vector<PeerResult> rows;
  /// Pinocchio's faster code over the number of joints, by model and quantity.
  std::map<std::pair<std::string, std::string>, PeerResult> growth;
};

/// Adds the peers' columns, calls and curves to what is written of the report.
void AddPeers(const BenchReport& report, const PeerResults& peers, BenchRecord* record);

}  // namespace civita
