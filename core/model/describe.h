#pragma once

#include <string>

#include "civita/model.h"

namespace civita {

/// A table for people, one line a body in the order of Model::bodies(): its name, what carries it,
/// the joint with its first coordinates in q and v, and its mass in kg.
std::string Describe(const Model& model);

}  // namespace civita
