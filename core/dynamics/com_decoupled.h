#pragma once

#include "civita/factorization.h"
#include "civita/velocity_map.h"

// Floating base whose linear velocity is replaced by that of the centre of mass ([EW], remark 6).
// In w = [ċ; v_4, …], with ċ expressed in world axes (m/s) and the other velocities unchanged,
//   H̄ = blockdiag(m·1, H₂₂ − H₁₂ᵀH₁₂/m),   C̄ = blockdiag(0, C₂₂ − H₁₂ᵀC₁₂/m),   ḡ = [−m·gravity; 0]
// in blocks of 3 and nv − 3 rows: the centre of mass and the other coordinates are decoupled.

namespace civita {

/// Checks that the centre of mass of the model decouples under `factorization`: the model is one
/// tree on a free joint whose translations have no armature, and the factorization is the
/// Christoffel-consistent one, with no injections but angular ones at bodies, so that the first
/// three columns of C are zero. The torsion of other factorizations acts on the centre of mass.
/// @throws UserError that names the condition that is not met.
void CheckComDecoupling(const Model& model, const Factorization& factorization);

/// Sets A = [1 −H₁₂/m; 0 1] and Ȧ = [0 −C₁₂/m; 0 0] of v = A w, w = [ċ; v_4, …] with the velocity ċ
/// of the centre of mass (m/s, expressed in world axes), from H and C (nv × nv each) of a model and
/// a factorization that pass CheckComDecoupling ([EW], remark 6). ChangeForces then gives τ̄ = Aᵀτ
/// and ḡ = Aᵀg.
template <typename T>
void SetComVelocities(const CoriolisIn<T>& in, VelocityMap<T>* map);

/// Block-diagonal mass matrix H̄ and Coriolis matrix C̄ (nv × nv each) in the velocities of
/// SetComVelocities, which must have been called with the same H and C (nv × nv each), in O(nv²). C̄
/// inherits the properties of C.
template <typename T>
void CalcComDecoupled(const VelocityMap<T>& map, const CoriolisIn<T>& in, CoriolisOut<T> out);

}  // namespace civita
