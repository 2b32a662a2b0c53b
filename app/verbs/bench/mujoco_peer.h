#pragma once

#include <functional>
#include <vector>

#include "app/verbs/bench/peer.h"

namespace civita {

/// MuJoCo's H, C v + g and H v̇ + C v + g beside ours, by the stages of mj_forward that they need,
/// and no others. `take` gets every result; goes on while it returns true. @throws as TimePeer.
void TimeMujoco(const BenchModel& model, double seconds,
                const std::function<bool(PeerResult)>& take);

}  // namespace civita
