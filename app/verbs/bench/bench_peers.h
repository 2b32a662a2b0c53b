#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/verbs/bench/peer.h"

namespace civita {

/// Runs MuJoCo and, if it is installed beside this program, civita_peer_pinocchio (built by
/// scripts/peers) on models of MakeBenchModel. `take` receives each result as it comes; returning
/// false stops.
/// @returns whether Pinocchio was there.
/// @throws std::runtime_error when a peer fails, also because its numbers differ.
bool RunPeers(const std::vector<std::string>& models, double seconds,
              const std::function<bool(PeerResult)>& take);

}  // namespace civita
