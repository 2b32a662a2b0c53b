#include "civita/coriolis.h"

#include "core/internal/eigen.h"
#include "core/internal/factors.h"
#include "core/internal/scalars.h"
#include "core/kernels/serve.h"

namespace civita {

namespace {

/// Algorithm 1 of [EW]: for every coordinate k and every i that moves it
///   C_ik = Φ_iᵀ F1, C_ki = Φ̇_iᵀ F2 + Φ_iᵀ F3, H_ik = Φ_iᵀ F2,
///   F1 = I^C Φ̇_k + B^C Φ_k, F2 = I^C Φ_k, F3 = (B^C)ᵀ Φ_k.
/// Armature is a constant metric a·1 on the joint's rates: H gets it on the diagonal. On the
/// rotations of a ball or free joint, whose rates do not commute, it adds ½a·ε_ijk to Γ_ijk, hence
/// ½a (v×) to C.
template <typename T>
void CalcPlain(const Model& model, const Factorization& factorization, internal::Scratch<T>& s,
               MatrixOut<T>& C, MatrixOut<T>& H) {
  const internal::Tree& tree = model.tree();
  internal::UpdateBodies(tree, s);
  internal::CalcCompositeInertias(tree, s);
  internal::CalcFactors(factorization, s);
  internal::SumOverSubtrees(tree, s.B);
  C.setZero();
  H.setZero();
  for (int k = 0; k < tree.nv; ++k) {
    const Inertia<T>& I = s.Ic[tree.body[k]];
    const internal::CoriolisFactor<T>& B = s.B[tree.body[k]];
    const Force<T> F1 = I * s.Phidot[k] + B * s.Phi[k], F2 = I * s.Phi[k];
    const Force<T> F3 = TransposeTimes(B, s.Phi[k]);
    for (int i = k; i >= 0; i = tree.parent[i]) {
      C(k, i) = Dot(s.Phidot[i], F2) + Dot(s.Phi[i], F3);
      C(i, k) = Dot(s.Phi[i], F1);
      H(k, i) = H(i, k) = Dot(s.Phi[i], F2);
    }
  }
  for (int k = 0; k < tree.nv; ++k) {
    const T a = T(tree.armature[k]);
    H(k, k) += a;
    if (tree.triple[k] != k) continue;
    C.template block<3, 3>(k, k) +=
        internal::ToMatrix(Half(a) * Skew(V3<T>{s.v[k], s.v[k + 1], s.v[k + 2]}));
  }
}

/// β·Sᵀ((S v)×)S, written without temporaries on the heap.
template <typename T>
void AddJointInjection(const Factorization::JointInjection& injection, const VectorX<T>& v,
                       MatrixOut<T>& C) {
  const Eigen::Matrix3Xd& S = injection.S;
  Vector3<T> w = Vector3<T>::Zero();
  for (Eigen::Index k = 0; k < S.cols(); ++k) w += S.col(k).template cast<T>() * v[k];
  w *= T(injection.beta);
  for (Eigen::Index k = 0; k < S.cols(); ++k) {
    const Vector3<T> column = Cross(w, Vector3<T>(S.col(k).template cast<T>()));
    for (Eigen::Index i = 0; i < S.cols(); ++i) {
      C(i, k) += column.dot(S.col(i).template cast<T>());
    }
  }
}

}  // namespace

template <typename T>
void CalcCoriolisMatrix(const Model& model, const Factorization& factorization,
                        Workspace<T>& workspace, MatrixOut<T> C, MatrixOut<T> H) {
  auto& scratch = internal::RequireState(model, workspace, Stage::kVelocity, "CalcCoriolisMatrix");
  internal::CheckSquare(model, C, "C");
  internal::CheckSquare(model, H, "H");
  factorization.Check(model);
  bool done = false;
  if constexpr (std::is_same_v<T, double>) {
    done = kernels::CalcCoriolisMatrix(model, factorization, scratch, C, H);
  }
  if (!done) CalcPlain(model, factorization, scratch, C, H);
  if (factorization.joint_injection) {
    AddJointInjection(*factorization.joint_injection, scratch.v, C);
  }
}

#define CIVITA_INSTANTIATE(T)                                                            \
  template void CalcCoriolisMatrix<T>(const Model&, const Factorization&, Workspace<T>&, \
                                      MatrixOut<T>, MatrixOut<T>);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
