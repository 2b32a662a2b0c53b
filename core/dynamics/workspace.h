#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "civita/model.h"
#include "civita/spatial.h"
#include "civita/types.h"

namespace civita {

namespace internal {
template <typename T>
struct Scratch;
}

/// What the last UpdateKinematics has set.
enum class Stage { kNone, kPosition, kVelocity };

/// What UpdateKinematics has computed, in world axes about the present position of the tree's root
/// body, held fixed for the evaluation, so that no digits are lost on a mechanism that has moved
/// far from the world's origin. Arrays of the Workspace that it is of, valid until that computes
/// another state; those of velocities from Stage::kVelocity on.
template <typename T>
struct Kinematics {
  struct Body {
    M3<T> R_WB;    ///< orientation
    V3<T> r;       ///< position of the body's origin from the tree's reference point, m
    V3<T> origin;  ///< root bodies: the tree's reference point in the world, m
    Inertia<T> I;  ///< inertia about the reference point
    Motion<T> V;   ///< velocity ξ
  };
  const Body* bodies;       ///< by index in Model::bodies()
  const Motion<T>* Phi;     ///< by velocity coordinate: column Φ_k of the joint's motion
  const Motion<T>* Phidot;  ///< Φ̇_k
};

/// The state of a Model and room for what is computed of it: sized once, nothing allocates after
/// that. One a thread. Filled by UpdateKinematics (civita/kinematics.h), the only reader of the
/// state. It serves every model of the same structure (Model::structure); other models are refused.
///
/// With T = double, vector kernels serve what they can straight from q and v where the machine has
/// them, and the Kinematics are computed when the first plain algorithm asks for them.
template <typename T>
class Workspace {
 public:
  /// `instruction_set`: one of InstructionSets(), double only. Empty stands for what the
  /// environment variable CIVITA_INSTRUCTION_SET says and, where that is not set, for the fastest;
  /// "plain" for the plain algorithms alone. @throws UserError that lists the valid names.
  explicit Workspace(const Model& model, std::string_view instruction_set = {});
  ~Workspace();
  Workspace(Workspace&& other) noexcept;
  Workspace& operator=(Workspace&& other) noexcept;

  /// The one chosen.
  const char* instruction_set() const;

  Stage stage() const;
  const VectorX<T>& q() const;  ///< the state as given, nq and nv numbers
  const VectorX<T>& v() const;

  /// Of the state. Needs Stage::kPosition.
  Kinematics<T> kinematics(const Model& model);

  /// For core alone.
  internal::Scratch<T>& scratch() { return *scratch_; }
  const internal::Scratch<T>& scratch() const { return *scratch_; }

 private:
  std::unique_ptr<internal::Scratch<T>> scratch_;
};

/// What this machine has kernels for, the fastest first ("avx512", "avx2"), and "plain" last: the
/// templated algorithms, which serve everywhere.
std::vector<std::string> InstructionSets();

}  // namespace civita
