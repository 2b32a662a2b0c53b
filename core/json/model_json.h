#pragma once

#include <string>
#include <vector>

#include "civita/constraint.h"
#include "civita/model.h"

// Models as JSON: the description of ModelBuilder and the closed loops, all numbers to the bit, in
// the keys of docs/model.schema.json. Keys that have their default are left out.

namespace civita {

/// A model as it was read.
struct LoadedModel {
  Model model;                            ///< without its loops
  std::vector<std::string> notices = {};  ///< for the user, one line each
  Constraints loops = {};                 ///< its closed loops and coupled joints, if requested
};

/// Without Baumgarte terms. @throws UserError if a name is not UTF-8.
std::string WriteModelJson(const Model& model, const Constraints& loops = {});

/// The model that was written: the same bits of H, C and all else. `name` is that of the file in
/// messages. Without `bounded` it may be larger than models for MuJoCo are. @throws UserError with
/// file and line, or file and key, and the valid values.
LoadedModel ReadModelJson(const std::string& text, const std::string& name, bool bounded = true);

/// The JSON schema of these texts, docs/model.schema.json.
std::string ModelSchema();

}  // namespace civita
