#pragma once

#include <string>

#include "civita/constraint.h"
#include "civita/model.h"

namespace civita {

/// All numbers and names that a model was made of, as bytes that tests compare.
std::string ModelBytes(const Model& model);
std::string ConstraintsBytes(const Constraints& constraints);

}  // namespace civita
