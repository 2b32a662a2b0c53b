#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/verbs/bench/bench.h"
#include "app/verbs/reproduce/scaling.h"
#include "tests/peers/peer.h"

namespace civita {

/// Times over the number of joints.
struct Growth {
  std::vector<ScalingSeries> series;
  /// Pinocchio's faster code, by model and quantity.
  std::map<std::pair<std::string, std::string>, PeerResult> peers;
};

/// C+H and Gamma for 5 to 200 joints, then Pinocchio's up to sizes whose tensors fit in memory.
Growth MeasureGrowth(double seconds, const ShowProgress& show);

/// A row for each series, of which there is one at least.
Table GrowthTable(const Growth& growth);
/// Chain and tree, with the peers'.
SvgFigure GrowthFigure(const Growth& growth);
/// Adds it to what is written.
void AddGrowth(const Growth& growth, BenchRecord* record);

}  // namespace civita
