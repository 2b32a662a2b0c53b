#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "civita/scenes/motion/motion_context.h"
#include "civita/scenes/motion/reference_config.h"

namespace civita {

/// A type of desired motion that a config can name.
struct ReferenceType {
  std::string_view name;  ///< value of reference.type
  std::string_view doc;   ///< what moves and how
  std::span<const std::string_view>
      keys;                  ///< below "reference.", besides `type`; others are refused
  bool moves_frame = false;  ///< for laws of the task space only

  /// The reference that `config` describes. Fills in what it leaves open. @throws UserError for
  /// what no robot could follow.
  std::unique_ptr<Reference> (*make)(ReferenceConfig& config, const MotionContext& context);

  bool Has(std::string_view key) const;
};

/// The types: this library's, then those that were registered. Safe to call from any thread.
std::vector<const ReferenceType*> ReferenceTypes();

/// Adds a type for the whole process, as RegisterLaw does. The row must live as long as the
/// process.
/// @throws UserError when another type has that name.
void RegisterReferenceType(const ReferenceType& type);

/// The row of `name`, or nullptr.
const ReferenceType* FindReferenceType(std::string_view name);

}  // namespace civita
