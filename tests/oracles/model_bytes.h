#pragma once

#include <string>

#include "civita/loop_closures.h"
#include "civita/model.h"

namespace civita {

/// All numbers and names that a model was made of, as bytes that tests compare.
std::string ModelBytes(const Model& model);
std::string ClosuresBytes(const LoopClosures& closures);

}  // namespace civita
