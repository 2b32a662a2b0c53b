#pragma once

#include "civita/scenes/motion/reference_types.h"

// This library's types of references: a struct of its keys, their rows, and the function that makes
// the reference.

namespace civita {

extern const ReferenceType kHoldReference, kSinusoidReference, kQuinticReference, kLineReference,
    kWaypointsReference, kExcitationReference, kFileReference, kTaskLineReference,
    kTaskCircleReference, kTaskEightReference, kBodyReference;

}  // namespace civita
