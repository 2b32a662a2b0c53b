#pragma once

#include <string>
#include <string_view>

#include "civita/loop_closures.h"
#include "civita/model.h"

// Models as bytes, for other processes with the same build of civita.

namespace civita::internal {

std::string WriteModel(const Model& model);
std::string WriteClosures(const LoopClosures& closures);

/// The model with the same numbers, to the bit. @throws UserError if these are no bytes of
/// WriteModel.
Model ReadModel(std::string_view bytes);
/// @throws UserError if these are no bytes of WriteClosures.
LoopClosures ReadClosures(std::string_view bytes);

}  // namespace civita::internal
