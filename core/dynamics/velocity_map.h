#pragma once

#include <memory>
#include <span>
#include <vector>

#include "civita/model.h"
#include "civita/types.h"
#include "civita/workspace.h"

// Change of velocities v = A(q) w in the equations H v̇ + C v + g = τ, which become
//   H̄ ẇ + C̄ w + ḡ = τ̄.
// A is nv × nw of full column rank: square for a change of frame, tall for a constraint submanifold
// with its induced connection ([WES], (16) and (17)), such as that of closed chains. C̄ inherits the
// properties of C: Ḣ̄ = C̄ + C̄ᵀ if Ḣ = C + Cᵀ, the correct C̄ w if C v is correct, and a torsion-free
// connection if that of C is. H, C and g need not belong to a Model.
//
// Costs: those of products of matrices, of which the zeros of A are left out where its rows have a
// RowSupport: H̄ and C̄ are then O(nv²) if supports are of bounded size.

namespace civita {

/// The numbers of w that each number of v depends on: the rows of A(q) are zero elsewhere at every
/// q. Immutable.
class RowSupport {
 public:
  /// By number of v: the indices of numbers of w, of nw many.
  RowSupport(const std::vector<std::vector<int>>& rows, int nw);

  int nv() const { return nv_; }  ///< rows of A
  int nw() const { return nw_; }  ///< columns of A
  /// A number of A that may differ from zero.
  struct Entry {
    int row, column;  ///< of A
  };
  /// First, column by column, a row that has this number alone, where there is one; then all other
  /// rows.
  std::span<const Entry> entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
  int nv_, nw_;
};

/// A change of velocities v = A(q) w at a state. The constructors alone allocate.
template <typename T>
struct VelocityMap {
  /// Every number of v may depend on every number of w.
  VelocityMap(int nv, int nw) : A(MatrixX<T>::Zero(nv, nw)), Adot(A) {}
  /// Numbers of A and Ȧ outside of the support must remain zero.
  explicit VelocityMap(std::shared_ptr<const RowSupport> rows)
      : A(MatrixX<T>::Zero(rows->nv(), rows->nw())), Adot(A), support(std::move(rows)) {}

  MatrixX<T> A;                               ///< nv × nw
  MatrixX<T> Adot;                            ///< nv × nw, rate of A along v = A w
  std::shared_ptr<const RowSupport> support;  ///< null: unknown
};

/// Velocity v = A w (nv numbers) for any w (nw numbers).
template <typename T>
void ChangeVelocity(const VelocityMap<T>& map, VectorIn<T> w, VectorOut<T> v);

/// Acceleration A ẇ + Ȧ w (nv numbers) for any w and ẇ (nw numbers each).
template <typename T>
void ChangeAcceleration(const VelocityMap<T>& map, VectorIn<T> w, VectorIn<T> wdot,
                        VectorOut<T> vdot);

/// Generalized forces τ̄ = Aᵀτ (nw numbers) on the velocities w, v = A w, from τ (nv numbers);
/// gravity forces ḡ = Aᵀg and momenta p̄ = Aᵀp likewise.
template <typename T>
void ChangeForces(const VelocityMap<T>& map, VectorIn<T> tau, VectorOut<T> tau_w);

/// Rate Aᵀṗ + Ȧᵀp (nw numbers) of the momentum p̄ = Aᵀp, from p and ṗ (nv numbers each).
template <typename T>
void ChangeMomentumRate(const VelocityMap<T>& map, VectorIn<T> p, VectorIn<T> pdot,
                        VectorOut<T> pdot_w);

/// Jacobian J A (any × nw) of w from the Jacobian J of v (any × nv).
template <typename T>
void ChangeJacobian(const VelocityMap<T>& map, MatrixIn<T> J, MatrixOut<T> J_w);

/// Rate J̇ A + J Ȧ (any × nw) of the Jacobian of w from J and J̇ (any × nv each).
template <typename T>
void ChangeJacobianRate(const VelocityMap<T>& map, MatrixIn<T> J, MatrixIn<T> Jdot,
                        MatrixOut<T> Jdot_w);

/// Mass matrix H̄ = AᵀHA (nw × nw) in the velocities w, v = A w, from H (nv × nv), in O(nv²·nw) if A
/// is dense. `products` is scratch memory, nv × nw: of another size it is resized.
template <typename T>
void ChangeMassMatrix(const VelocityMap<T>& map, MatrixIn<T> H, MatrixX<T>& products,
                      MatrixOut<T> H_w);

/// Rate AᵀḢA + AᵀHȦ + ȦᵀHA (nw × nw) of the mass matrix H̄, from H and Ḣ (nv × nv each); cost and
/// `products` as of ChangeMassMatrix.
template <typename T>
void ChangeMassMatrixRate(const VelocityMap<T>& map, MatrixIn<T> H, MatrixIn<T> Hdot,
                          MatrixX<T>& products, MatrixOut<T> Hdot_w);

/// Coriolis matrix C̄ = AᵀCA + AᵀHȦ (nw × nw) in the velocities w, v = A w, from C and H (nv × nv
/// each), in O(nv²·nw) if A is dense ([WES], (17)). C may be of any factorization; C̄ inherits its
/// properties. `products` as of ChangeMassMatrix.
///
/// A connection Γ changes likewise, direction by direction ([WES], (16)): Γ̄_abc over a and c is C̄
/// of C_ik = Σ_j Γ_ijk A_jb (Contract), with the rate of A along its column b as Ȧ.
template <typename T>
void ChangeCoriolisMatrix(const VelocityMap<T>& map, const CoriolisIn<T>& in, MatrixX<T>& products,
                          MatrixOut<T> C_w);

/// Sets A and Ȧ of v = A w where w gives each free joint by its body twist [ω; u], both expressed
/// in body axes, u the velocity of the body's origin, and v by MuJoCo's velocities: A = [0 R; 1 0]
/// and Ȧ = [0 Rω×; 0 0] on each free joint, the identity elsewhere. Generalized forces on w are
/// [moment; force], expressed in body axes. Needs Stage::kVelocity.
template <typename T>
void SetFromBodyTwists(const Model& model, Workspace<T>& workspace, VelocityMap<T>* map);

}  // namespace civita
