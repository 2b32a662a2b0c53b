#pragma once

#include <any>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "civita/scenes/schema/key_row_fwd.h"

namespace civita {

class Reference;
struct MotionContext;
struct ReferenceType;
namespace internal {
struct BoundKey;
}

/// The frame that a task-space reference moves: base class of such a type's keys.
struct MovedFrame {
  std::string frame = "ee";                ///< site or body
  std::vector<double> offset = {0, 0, 0};  ///< m, in the frame's axes
};

/// The desired motion: `reference`. A type, and the values of its keys.
class ReferenceConfig {
 public:
  /// A sinusoid with default values.
  ReferenceConfig();
  /// A type with the defaults of its keys.
  explicit ReferenceConfig(const ReferenceType& type);

  const ReferenceType& type() const { return *type_; }

  /// The type's keys bound to the values stored here; valid while this object exists.
  std::vector<internal::BoundKey> BindKeys();

  /// The numbers of a key of the type (one for a scalar); empty for a key that is unset, not
  /// numeric or not of the type.
  std::vector<double> Numbers(std::string_view key) const;

  /// The frame that moves; null for a joint-space type.
  const MovedFrame* moved_frame() const;

  /// Makes the reference. Fills in defaults. @throws UserError, see ReferenceType.
  std::unique_ptr<Reference> Make(const MotionContext& context);

 private:
  const ReferenceType* type_;
  std::any keys_;  // the type's own struct
};
/// The key that every reference has, `type`.
std::span<const KeyRow<ReferenceConfig>> ReferenceKeys();

}  // namespace civita
