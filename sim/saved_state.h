#pragma once

#include <string>
#include <string_view>

#include "civita/sim/simulation.h"

namespace civita {

/// The file of a run folder that holds the last saved state of a run that has not ended.
inline constexpr std::string_view kStateFile = "state.bin";

/// A saved state as bytes that this machine and build read back to the same bits; its inputs, which
/// a config gives, are left out.
std::string ToBytes(const Simulation::Saved& saved);

/// Inverse of ToBytes. `saved` is a state of a simulation of the same scene, whose inputs stay.
/// @throws UserError when the bytes are not those of such a state.
void FromBytes(std::string_view bytes, Simulation::Saved* saved);

}  // namespace civita
