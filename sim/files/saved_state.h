#pragma once

#include <cstdint>
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

/// Checks what FromBytes read of a file that others may have written: every count, index and flag
/// is one that a run of this simulation's scene can have had at its step, and every number of the
/// motion is finite. @throws UserError.
void CheckSaved(const Simulation& simulation, const Simulation::Saved& saved);

/// The sum that ends a state's bytes, of those before it.
std::uint64_t CalcStateSum(std::string_view bytes);

}  // namespace civita
