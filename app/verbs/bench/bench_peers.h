#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/verbs/bench/peer.h"

namespace civita {

/// Times MuJoCo's H, C v + g and H v̇ + C v + g against ours, running only the stages of
/// mj_forward that each needs. `take` receives each result; returning false stops. @throws as
/// PeerBench::Time.
void TimeMujoco(const BenchModel& model, double seconds,
                const std::function<bool(PeerResult)>& take);

/// Runs MuJoCo and, if it is installed beside this program, civita_peer_pinocchio (built by
/// scripts/peers) on models of MakeBenchModel. `take` receives each result as it comes; returning
/// false stops.
/// @returns whether Pinocchio was there.
/// @throws std::runtime_error when a peer fails, also because its numbers differ.
bool RunPeers(const std::vector<std::string>& models, double seconds,
              const std::function<bool(PeerResult)>& take);

}  // namespace civita
