#pragma once

#include "civita/scenes/plant/model_file.h"

namespace civita {

/// Parses scenes/common/studio.xml: floor, lights, materials, camera and options without a robot.
/// @throws UserError.
SpecPtr ParseStudio();

}  // namespace civita
