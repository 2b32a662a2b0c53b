#pragma once

#include <Eigen/Core>
#include <any>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "civita/controllers/legs/leg_options.h"
#include "civita/model.h"
#include "civita/scenes/motion/reference.h"
#include "civita/scenes/motion/reference_config.h"
#include "civita/scenes/plant/actuation.h"
#include "civita/scenes/schema/key_row.h"
#include "civita/velocity_space.h"

namespace civita {

/// Input of a reference besides its own section of the config.
struct MotionContext {
  const mjModel& mj;
  const Model& plant;
  /// nq: the configuration at which the motion starts, or about which it oscillates
  const Eigen::VectorXd& center;
  const Actuation& actuation;
  const std::vector<Coupling>& couplings;
  const VelocitySpace* closed;       ///< loops, gears and coupled joints; null: none
  const LegOptions* legs;            ///< null: the config names no feet
  const std::vector<int>& undriven;  ///< coordinates that motors reach, but not on their own
  double duration_s;                 ///< length of the run
  int seed;
  std::vector<std::string>* notices;  ///< adaptations, one line each, for the user
};

/// A type of desired motion that a config can name, made by ReferenceTypeOf. Its keys are a struct
/// of the type, held as std::any.
struct ReferenceType {
  std::string_view name;  ///< value of reference.type
  std::string_view doc;   ///< description of the motion

  std::any (*defaults)();
  /// The keys, "reference.…", bound to the members of `keys`.
  std::vector<internal::BoundKey> (*bind)(std::any& keys);
  /// Makes the reference that `keys` describe. Fills in defaults. @throws UserError for a motion
  /// that no robot could follow.
  std::unique_ptr<Reference> (*make)(std::any& keys, const MotionContext& context);
  /// The frame that a task-space type moves; null for joint-space types.
  const MovedFrame* (*moved_frame)(const std::any& keys) = nullptr;
};

/// For types without keys.
struct NoKeys {};
inline constexpr std::array<KeyRow<NoKeys>, 0> kNoKeys{};

namespace internal {
template <typename Keys>
Keys KeysOf(std::unique_ptr<Reference> (*)(Keys&, const MotionContext&));  // to deduce Keys
}

/// Makes a type. Its keys are the rows `kRows` (below "reference.", besides `type`) of the struct
/// that the function `kMake`(keys, context) takes; kMake is ReferenceType::make. The type moves a
/// frame if the struct derives from MovedFrame.
template <const auto& kRows, auto kMake>
constexpr ReferenceType ReferenceTypeOf(std::string_view name, std::string_view doc) {
  using Keys = decltype(internal::KeysOf(kMake));
  ReferenceType type = {
      .name = name,
      .doc = doc,
      .defaults = [] { return std::any(Keys()); },
      .bind =
          [](std::any& keys) {
            std::vector<internal::BoundKey> bound;
            internal::Bind<Keys>("reference", kRows, &std::any_cast<Keys&>(keys), &bound);
            return bound;
          },
      .make = [](std::any& keys, const MotionContext& context) -> std::unique_ptr<Reference> {
        return kMake(std::any_cast<Keys&>(keys), context);
      }};
  if constexpr (std::is_base_of_v<MovedFrame, Keys>) {
    type.moved_frame = [](const std::any& keys) -> const MovedFrame* {
      return &std::any_cast<const Keys&>(keys);
    };
  }
  return type;
}

/// The names of the type's keys below "reference.", besides `type`.
std::vector<std::string> KeyNames(const ReferenceType& type);

/// All types: this library's, then the registered ones. Thread-safe.
std::vector<const ReferenceType*> ReferenceTypes();

/// Registers a type for the whole process. The row must live as long as the process. Thread-safe;
/// registering the same row again has no effect.
/// @throws UserError when another type has that name.
void RegisterReferenceType(const ReferenceType& type);

/// The row of `name`, or nullptr.
const ReferenceType* FindReferenceType(std::string_view name);

}  // namespace civita
