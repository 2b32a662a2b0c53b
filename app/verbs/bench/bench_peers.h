#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/verbs/bench/peer.h"

namespace civita {

/// Runs MuJoCo and, if it stands beside this program, civita_peer_pinocchio (made by scripts/peers)
/// on models of MakeBenchModel. `take` gets every
/// result as it comes; goes on while it returns true. @returns whether Pinocchio was there.
/// @throws std::runtime_error when a peer fails, also because its numbers are not ours.
bool RunPeers(const std::vector<std::string>& models, double seconds,
              const std::function<bool(PeerResult)>& take);

}  // namespace civita
