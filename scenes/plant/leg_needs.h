#pragma once

#include <string>

#include "civita/scenes/plant/leg_proposal.h"
#include "civita/scenes/schema/config.h"

namespace civita {

/// Checks that a config gives a law of legged robots what it needs: a free base, feet that exist,
/// contacts and something to stand on. @throws KeyError that names all that is missing, and a
/// config with it as one line of YAML.
void CheckLegNeeds(const SceneConfig& config, const mjModel& m);

/// A map of the proposed angles as YAML, "{knee: -1.2}", for `initial.joints`; empty: none found.
std::string WriteAngles(const LegProposal& proposal);

}  // namespace civita
