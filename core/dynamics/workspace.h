#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "civita/model.h"
#include "civita/spatial.h"
#include "civita/types.h"

namespace civita {

namespace internal {
struct Access;
template <typename T>
struct Scratch;
/// An X that is complete only where it is made, and its deletion.
template <typename X>
using Owned = std::unique_ptr<X, void (*)(X*)>;
}  // namespace internal

/// Content of a Workspace since its last UpdateKinematics: nothing, the quantities of q, or those
/// of q and v.
enum class Stage { kNone, kPosition, kVelocity };

/// Kinematics of a state, expressed in world axes about a reference point per tree: the present
/// position of the tree's root body, taken as fixed in the world, so that a mechanism far from the
/// world's origin loses no digits. The arrays belong to a Workspace and are valid until its next
/// UpdateKinematics; V and Phidot need Stage::kVelocity.
template <typename T>
struct Kinematics {
  /// What belongs to one body at this state.
  struct Body {
    M3<T> R_WB;    ///< orientation: rotates body axes into world axes
    V3<T> r;       ///< position of the body's origin from the tree's reference point, m
    V3<T> origin;  ///< root bodies: the tree's reference point in the world, m
    Inertia<T> I;  ///< spatial inertia about the reference point
    Motion<T> V;   ///< spatial velocity ξ about the reference point, rad/s and m/s
  };
  const Body* bodies;       ///< by index in Model::bodies()
  const Motion<T>* Phi;     ///< by velocity coordinate: column Φ_k of the joint's motion
  const Motion<T>* Phidot;  ///< Φ̇_k
};

/// State of a Model and memory of all algorithms, allocated by the constructor. Each thread
/// needs its own. UpdateKinematics (civita/kinematics.h) sets the state, of any model of the
/// structure for which the Workspace was made (Model::structure). The algorithms then take that
/// model and its copies (Model::id); with another they throw ContractError.
///
/// With T = double, vector kernels compute their results directly from q and v where the machine
/// has the instruction set; the Kinematics are computed when an algorithm without a kernel needs
/// them.
template <typename T>
class Workspace {
 public:
  /// `instruction_set` is one of InstructionSets(), for T = double only. Empty means the value of
  /// the environment variable CIVITA_INSTRUCTION_SET and, where that is not set, the fastest one;
  /// "plain" means the algorithms without kernels. @throws UserError for an unknown name; it lists
  /// the valid ones.
  explicit Workspace(const Model& model, std::string_view instruction_set = {});

  /// Name of the instruction set in use, one of InstructionSets().
  const char* instruction_set() const;

  Stage stage() const;  ///< how far the state has been computed
  /// Model::id of the model whose state it has; 0 before the first UpdateKinematics.
  std::uint64_t model() const;
  const VectorX<T>& q() const;  ///< configuration as given to UpdateKinematics, nq numbers
  const VectorX<T>& v() const;  ///< velocity as given to UpdateKinematics, nv numbers

  /// Kinematics of the state. Needs Stage::kPosition.
  Kinematics<T> kinematics(const Model& model);

 private:
  friend struct internal::Access;
  internal::Owned<internal::Scratch<T>> scratch_;
};

/// Instruction sets with vector kernels that this machine supports, the fastest first ("avx512",
/// "avx2", "baseline"), the last of vectors of two numbers, which every machine has; then "plain":
/// the templated algorithms.
std::vector<std::string> InstructionSets();

}  // namespace civita
