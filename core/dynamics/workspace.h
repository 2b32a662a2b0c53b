#pragma once

#include <string_view>
#include <vector>

#include "civita/model.h"
#include "civita/spatial.h"
#include "civita/types.h"
#include "core/kernels/scratch.h"

namespace civita {

/// The Coriolis factor of a body or of a composite: what a body-level factorization B(ξ, I) needs,
/// a linear function of I and thus a plain sum over subtrees ([WES], section VI; [EW], (10)).
///   B = [B11 0; −f× 0] + D,   D = [d× M; −Mᵀ e×] skew,
/// the first part the Christoffel-consistent one, D the torsion (absent unless a factorization has
/// it).
template <typename T>
struct CoriolisFactor {
  Matrix3<T> B11;
  Vector3<T> f;

  Force<T> operator*(const Motion<T>& x) const { return {B11 * x.w, Cross(x.w, f)}; }
  Force<T> TransposeTimes(const Motion<T>& x) const {
    return {B11.transpose() * x.w + Cross(f, x.u), Vector3<T>::Zero()};
  }
};
template <typename T>
struct TorsionFactor {
  Vector3<T> d;
  Matrix3<T> M;
  Vector3<T> e;

  Force<T> operator*(const Motion<T>& x) const {
    return {Cross(d, x.w) + M * x.u, Cross(e, x.u) - M.transpose() * x.w};
  }
};

/// Two motions a coordinate, by component: ω u of one, then of the other.
template <typename T>
using PathColumns = Eigen::Matrix<T, Eigen::Dynamic, 12>;

/// What the last UpdateKinematics has set.
enum class Stage { kNone, kPosition, kVelocity };

/// Scratch of all algorithms for one Model: sized once, nothing allocates after that. One a thread.
/// Filled by UpdateKinematics (civita/kinematics.h), the only reader of the state; members are read
/// by the algorithms, and by nobody else without care. Spatial quantities are in world axes about
/// the present position of the tree's root body, held fixed for the evaluation, so that no digits
/// are lost on a mechanism that has moved far from the world's origin.
///
/// With T = double, vector kernels (core/kernels) serve what they can straight from q and v. Where
/// the machine has them UpdateKinematics keeps only the state, and `bodies`, `Phi` and `Phidot` are
/// filled when the first plain algorithm asks for them (internal::RequireBodies).
template <typename T>
struct Workspace {
  /// `instruction_set`: one of InstructionSets(), double only. Empty stands for what the
  /// environment variable CIVITA_INSTRUCTION_SET says and, where that is not set, for the fastest;
  /// "plain" for the plain algorithms alone. @throws UserError that lists the valid names.
  explicit Workspace(const Model& model, std::string_view instruction_set = {});

  /// The one chosen.
  const char* instruction_set() const { return scratch.instruction_set(); }

  Stage stage = Stage::kNone;
  VectorX<T> q, v;  ///< the state as given

  struct Body {
    Matrix3<T> R_WB;       ///< orientation
    Vector3<T> r;          ///< position of the body's origin from the tree's reference point
    Vector3<T> origin;     ///< root bodies: the tree's reference point in the world
    Motion<T> V;           ///< velocity ξ
    Inertia<T> I;          ///< inertia in world axes about the reference point
    Inertia<T> Ic;         ///< composite inertia of the subtree
    CoriolisFactor<T> Bc;  ///< composite Coriolis factor
    TorsionFactor<T> Dc;   ///< composite torsion factor
    Inertia<T> Idot;  ///< rate of the composite inertia, (ξ×*)I − I(ξ×) summed (mass rate 0)
    Motion<T> Vr;     ///< J v_r of a second velocity v_r
    Motion<T> A;      ///< RNEA: acceleration
    Force<T> F;       ///< RNEA: force on the subtree
    Force<T> P;       ///< momentum of the subtree
  };
  mutable std::vector<Body> bodies;

  mutable std::vector<Motion<T>> Phi;  ///< by velocity coordinate: column Φ_k of the joint's motion
  mutable std::vector<Motion<T>> Phidot;  ///< Φ̇_k
  mutable bool bodies_pending = false;    ///< these three are still to be filled from q and v

  /// Derivatives of inverse dynamics: ψ̇_k and ψ̈_k, Φ_k's rates were it carried by the motion before
  /// its joint.
  std::vector<Motion<T>> Psidot, Psiddot;

  kernels::Scratch scratch;

  std::vector<Matrix6<T>> articulated;  ///< by body: articulated-body inertia, [angular; linear]
  std::vector<Force<T>> gain;  ///< by velocity coordinate: I^A Φ_k / (Φ_kᵀ I^A Φ_k + a_k)

  /// Coordinates on the path from the world to the one at hand, and their Φ, Φ̇ by component
  /// (6 rows each), held contiguously so that a loop over ancestors is a loop over adjacent
  /// numbers.
  std::vector<int> path;
  PathColumns<T> path_columns;
  PathColumns<T> path_flows;  ///< derivatives of inverse dynamics: ψ̇, ψ̈
  Eigen::Matrix<T, Eigen::Dynamic, 5> path_products;
  VectorX<T> path_block;  ///< a block of ChristoffelLayout: max_depth · (max_depth + 3) at most
};

extern template struct Workspace<double>;

}  // namespace civita
