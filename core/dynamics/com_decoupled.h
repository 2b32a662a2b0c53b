#pragma once

#include "civita/change_of_coordinates.h"
#include "civita/factorization.h"

// A floating base with the centre of mass as its position ([EW], remark 6): in w = [ċ; v_4, …], ċ
// the velocity of the centre of mass (m/s, world axes) and the other velocities as they are,
//   H̄ = blockdiag(m·1, H₂₂ − H₁₂ᵀH₁₂/m),   C̄ = blockdiag(0, C₂₂ − H₁₂ᵀC₁₂/m),   ḡ = [−m·gravity; 0]
// in blocks of 3 and nv − 3 rows: the centre of mass and the rest do not act on each other.

namespace civita {

/// Checks that the model can be told so: its one tree hangs on a free joint, whose translations
/// have no armature, and `factorization` is the Christoffel-consistent one, with angular injections
/// at bodies at most, so that the first three columns of C are zero. Others have torsion that acts
/// on the centre of mass. @throws UserError that says what is in the way.
void CheckComDecoupling(const Model& model, const Factorization& factorization);

/// Sets v = A w, A = [1 −H₁₂/m; 0 1] and Ȧ = [0 −C₁₂/m; 0 0], from H and C (nv × nv) of a model and
/// a factorization that pass CheckComDecoupling. With ChangeForces, τ̄ = Aᵀτ and ḡ = Aᵀg.
template <typename T>
void SetComVelocities(MatrixIn<T> H, MatrixIn<T> C, CoordinateChange<T>* change);

/// H̄ and C̄, nv × nv, in O(nv²) after SetComVelocities from the same H and C. C̄ has the properties
/// of C.
template <typename T>
void CalcComDecoupled(const CoordinateChange<T>& change, MatrixIn<T> H, MatrixIn<T> C,
                      MatrixOut<T> H_w, MatrixOut<T> C_w);

}  // namespace civita
