#pragma once

#include "app/verbs/verb.h"

namespace civita {

/// `civita_peers bench`: `civita bench` beside other libraries.
AddVerb AddBenchWithPeers;
/// `civita_peers window`: what the window's frames, control steps and memory take under the present
/// display.
AddVerb AddWindowTimes;

}  // namespace civita
