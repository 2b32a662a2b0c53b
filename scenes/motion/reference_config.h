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

/// The frame that a reference of the task space moves: the keys of such a type derive from it.
struct MovedFrame {
  std::string frame = "ee";                ///< site or body
  std::vector<double> offset = {0, 0, 0};  ///< m, in the frame's axes
};

/// The desired motion: `reference`. A type, and values of the keys that this type has.
class ReferenceConfig {
 public:
  /// A sinusoid with its defaults.
  ReferenceConfig();
  /// With the defaults of the type's keys.
  explicit ReferenceConfig(const ReferenceType& type);

  const ReferenceType& type() const { return *type_; }

  /// The type's keys with the values that they set here, which live as long as this type.
  std::vector<internal::BoundKey> BindKeys();

  /// The numbers that a key of the type has (one of a number); empty for a key that is not set, has
  /// none, or is none of the type.
  std::vector<double> Numbers(std::string_view key) const;

  /// The frame that moves; null where the type moves joints.
  const MovedFrame* moved_frame() const;

  /// The motion. Fills in what is left open. @throws UserError, see ReferenceType.
  std::unique_ptr<Reference> Make(const MotionContext& context);

 private:
  const ReferenceType* type_;
  std::any keys_;  // the type's own struct
};
/// The key of every reference, `type`.
std::span<const KeyRow<ReferenceConfig>> ReferenceKeys();

}  // namespace civita
