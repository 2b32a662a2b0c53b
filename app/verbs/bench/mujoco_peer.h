#pragma once

#include <functional>
#include <vector>

#include "app/verbs/bench/peer.h"

namespace civita {

/// Times MuJoCo's H, C v + g and H v̇ + C v + g against ours, running only the stages of
/// mj_forward that each needs. `take` receives each result; returning false stops. @throws as
/// PeerBench::Time.
void TimeMujoco(const BenchModel& model, double seconds,
                const std::function<bool(PeerResult)>& take);

}  // namespace civita
