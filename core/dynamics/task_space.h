#pragma once

#include <vector>

#include "civita/mass_matrix_cholesky.h"
#include "civita/status.h"
#include "civita/velocity_map.h"

namespace civita {

namespace internal {
template <typename T>
struct TaskFrame;
}  // namespace internal

/// The equations of motion split into a task velocity ẋ = J v (nx numbers) and velocities n of its
/// dynamically consistent null space ([WES], remark 8, completed): w = [ẋ; n],
///   v = A w = A_x ẋ + N n,   A_x = H⁻¹JᵀΛ,   Λ = (JH⁻¹Jᵀ)⁻¹,   J N = 0,
///   blockdiag(Λ, H_nn) ẇ + [C_xx C_xn; C_nx C_nn] w + Aᵀg = Aᵀτ,
///   C_xx = Λ(JH⁻¹C − J̇)A_x,  C_xn = Λ(JH⁻¹C − J̇)N,  H_nn = NᵀHN,  C_nn = NᵀCN + NᵀHṄ,
///   C_nx = Nᵀ(C A_x + H Ȧ_x) = −C_xnᵀ + Nᵀ(C + Cᵀ − Ḣ)A_x.
/// C is any Coriolis matrix; its properties are inherited, so that Λ̇ = C_xx + C_xxᵀ and
/// C_nx = −C_xnᵀ where Ḣ = C + Cᵀ. The Coriolis force on the task is C_xx ẋ + C_xn n, which depends
/// on the null-space velocities n as well.
///
/// The basis N = [1; −J_d⁻¹J_i] is smooth in q: n are the velocities of the `independent`
/// coordinates minus their part of A_x ẋ. The constructor chooses these coordinates and allocates;
/// Update does not allocate.
template <typename T>
struct TaskSpace {
  /// Chooses the basis from J (nx × nv) at a configuration representative of the motion. A
  /// condition above `max_condition` counts as singular. @throws UserError if J lacks full row
  /// rank, or does not have fewer rows than columns.
  TaskSpace(const Model& model, const Eigen::Ref<const Eigen::MatrixXd>& J,
            double max_condition = 1e6);

  /// Computes all public members from H and C (nv × nv), J and J̇ (nx × nv) of one state; C may be
  /// of any admissible factorization, Ḣ = C + Cᵀ. @returns kSingularMassMatrix, kSingularTask or
  /// kSingularBasis where some members cannot be computed; these are unchanged.
  Status Update(const CoriolisIn<T>& in, MatrixIn<T> J, MatrixIn<T> Jdot);
  /// The same for any factorization, from Ḣ (nv × nv) too.
  Status Update(const CoriolisIn<T>& in, MatrixIn<T> Hdot, MatrixIn<T> J, MatrixIn<T> Jdot);

  /// Velocities w = [ẋ; n] (nv numbers) from the generalized velocity v (nv numbers).
  void CalcVelocity(VectorIn<T> v, VectorOut<T> w) const;

  std::vector<int> independent, dependent;  ///< indices of velocity coordinates in v

  MatrixX<T> Lambda;          ///< task mass matrix, nx × nx; kg for a position
  MatrixX<T> A_x;             ///< inertia-weighted inverse of J, nv × nx
  VelocityMap<T> null_space;  ///< N = A, basis of the null space of J, and its rate Ṅ, nv × nn
  MatrixX<T> H_nn;            ///< null-space mass matrix, nn × nn
  MatrixX<T> C_xx, C_xn;      ///< Coriolis blocks, nx × nx and nx × nn
  MatrixX<T> C_nx, C_nn;      ///< Coriolis blocks, nn × nx and nn × nn
  T task_condition = T(0);    ///< ‖Λ⁻¹‖‖Λ‖ (Frobenius), as of the last Update
  T basis_condition = T(0);   ///< ‖J‖‖J_d⁻¹‖ (Frobenius), as of the last Update

 private:
  friend struct internal::TaskFrame<T>;
  Status UpdateMap(MatrixIn<T> H);
  bool UpdateTask();
  bool UpdateBasis();
  void UpdateBasisRate();
  void StoreDependentRows(MatrixX<T>& basis);

  double max_condition_;
  MassMatrixCholesky<T> factor_;
  MatrixX<T> J_, Jdot_, P_, rows_;        // nx × nv; P = Λ(JH⁻¹C − J̇)
  MatrixX<T> J_d_, solution_, products_;  // nx × nx, nx × nn, nv × nn
  MatrixX<T> rest_, rest_n_;              // nv × nx, nn × nx
  MatrixX<T> task_;                       // nx × nx
  VectorX<T> heads_, scratch_;
  mutable VectorX<T> argument_;  // of CalcVelocity
};

}  // namespace civita
