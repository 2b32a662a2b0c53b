#pragma once

#include <vector>

#include "app/verbs/bench/bench_report.h"
#include "tests/peers/peer.h"

namespace civita {

/// Adds the peers' columns and calls to what is written of the report.
void AddPeers(const BenchReport& report, const std::vector<PeerResult>& peers, BenchRecord* record);

}  // namespace civita
