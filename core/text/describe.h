#pragma once

#include <string>

#include "civita/model.h"

namespace civita {

/// Readable table of a model with a line per body in the order of Model::bodies(): name, parent,
/// joint with its first indices in q and v, and mass in kg.
std::string Describe(const Model& model);

}  // namespace civita
