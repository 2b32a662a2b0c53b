#include "civita/coriolis.h"

#include <Eigen/Geometry>

#include "core/internal/coriolis_factor.h"
#include "core/internal/path.h"
#include "core/internal/scalars.h"
#include "core/kernels/serve.h"

namespace civita {

namespace {

/// Sums inertias and Coriolis factors over subtrees: the composite ones of every body.
template <typename T, bool kTorsion>
void CalcComposites(const Model& model, const Factorization& factorization,
                    Workspace<T>& workspace) {
  using Body = typename Workspace<T>::Body;
  for (Body& body : workspace.bodies) body.Ic = body.I;
  internal::SetCoriolisFactors<T, kTorsion>(factorization, workspace);
  internal::SumOverSubtrees(model, workspace, [](Body& parent, const Body& body) {
    parent.Ic += body.Ic;
    parent.Bc.B11 += body.Bc.B11;
    parent.Bc.f += body.Bc.f;
    if constexpr (kTorsion) {
      parent.Dc.d += body.Dc.d;
      parent.Dc.M += body.Dc.M;
      parent.Dc.e += body.Dc.e;
    }
  });
}

/// Algorithm 1 of [EW]: for every coordinate k and every i that moves it
///   C_ik = Φ_iᵀ F1, C_ki = Φ̇_iᵀ F2 + Φ_iᵀ F3, H_ik = Φ_iᵀ F2,
///   F1 = I^C Φ̇_k + B^C Φ_k, F2 = I^C Φ_k, F3 = (B^C)ᵀ Φ_k.
template <typename T, bool kTorsion>
void CalcPairs(const Model& model, Workspace<T>& workspace, MatrixOut<T>& C, MatrixOut<T>& H) {
  using Body = typename Workspace<T>::Body;
  internal::ForEachCoordinate(model, workspace, [&](int k, const Body& body, int depth) {
    const Motion<T>& Phi = workspace.Phi[static_cast<size_t>(k)];
    const Force<T> F2 = body.Ic * Phi;
    Force<T> F1 = body.Ic * workspace.Phidot[static_cast<size_t>(k)] + body.Bc * Phi;
    Force<T> F3 = body.Bc.TransposeTimes(Phi);
    if constexpr (kTorsion) {  // D is skew
      const Force<T> FD = body.Dc * Phi;
      F1 += FD;
      F3 = F3 - FD;
    }
    T* c_column = &workspace.path_products(0, 0);
    T* c_row = &workspace.path_products(0, 1);
    T* h = &workspace.path_products(0, 2);
    internal::DotPath(workspace, depth, F1, c_column);
    internal::DotPathRates<T, !kTorsion>(workspace.path_columns, depth, F2, F3, c_row);
    internal::DotPath(workspace, depth, F2, h);
    for (int d = 0; d < depth; ++d) {
      const int i = workspace.path[static_cast<size_t>(d)];
      C(k, i) = c_row[d];
      C(i, k) = c_column[d];
      H(k, i) = H(i, k) = h[d];
    }
  });
}

/// The negative case, α Σ_b J_bᵀ I_b (ξ_b×) J_b: it vanishes when applied to v, but is not skew.
template <typename T>
void AddNotAdmissible(const Model& model, T alpha, const Workspace<T>& workspace, MatrixOut<T>& C) {
  const auto for_each_above = [&model](int body, auto visit) {
    for (int b = body; b >= 0; b = model.bodies()[static_cast<size_t>(b)].parent) {
      const Model::Body& carrier = model.bodies()[static_cast<size_t>(b)];
      for (int k = carrier.iv; k < carrier.iv + carrier.nv; ++k) visit(k);
    }
  };
  for (int b = 0; b < model.num_bodies(); ++b) {
    const typename Workspace<T>::Body& body = workspace.bodies[static_cast<size_t>(b)];
    for_each_above(b, [&](int k) {
      const Motion<T> turned = Cross(body.V, workspace.Phi[static_cast<size_t>(k)]) * alpha;
      const Force<T> F = body.I * turned;
      for_each_above(b, [&](int i) { C(i, k) += Dot(workspace.Phi[static_cast<size_t>(i)], F); });
    });
  }
}

/// Armature is a constant metric a·1 on the joint's rates: H gets it on the diagonal. On the
/// rotations of a ball or free joint, whose rates do not commute, it adds ½a·ε_ijk to Γ_ijk, hence
/// ½a (v×) to C.
template <typename T>
void AddArmature(const Model& model, const Workspace<T>& workspace, MatrixOut<T>& C,
                 MatrixOut<T>& H) {
  H.diagonal() += model.armature().template cast<T>();
  for (int k = 0; k < model.nv(); ++k) {
    const T half = T(0.5 * model.armature()[k]);
    if (model.rotation_triple(k) != k || half == T(0)) continue;
    C.template block<3, 3>(k, k) += half * Skew<T>(Vector3<T>(workspace.v.template segment<3>(k)));
  }
}

/// All but the joint injection, for any scalar and body-level factorization.
template <typename T>
void CalcByBodies(const Model& model, const Factorization& factorization, Workspace<T>& workspace,
                  MatrixOut<T>& C, MatrixOut<T>& H) {
  internal::UpdateBodies(model, workspace);
  C.setZero();
  H.setZero();
  if (factorization.has_body_torsion()) {
    CalcComposites<T, true>(model, factorization, workspace);
    CalcPairs<T, true>(model, workspace, C, H);
  } else {
    CalcComposites<T, false>(model, factorization, workspace);
    CalcPairs<T, false>(model, workspace, C, H);
  }
  AddArmature(model, workspace, C, H);
  if (!factorization.admissible()) {
    AddNotAdmissible<T>(model, T(factorization.alpha), workspace, C);
  }
}

/// β·Sᵀ((S v)×)S, written without temporaries on the heap.
template <typename T>
void AddJointInjection(const Factorization::JointInjection& injection,
                       const Workspace<T>& workspace, MatrixOut<T>& C) {
  const Eigen::Matrix3Xd& S = injection.S;
  Vector3<T> w = Vector3<T>::Zero();
  for (Eigen::Index k = 0; k < S.cols(); ++k) w += S.col(k).template cast<T>() * workspace.v[k];
  w *= T(injection.beta);
  for (Eigen::Index k = 0; k < S.cols(); ++k) {
    const Vector3<T> column = w.cross(Vector3<T>(S.col(k).template cast<T>()));
    for (Eigen::Index i = 0; i < S.cols(); ++i) {
      C(i, k) += column.dot(S.col(i).template cast<T>());
    }
  }
}

}  // namespace

template <typename T>
void CalcCoriolisMatrix(const Model& model, const Factorization& factorization,
                        Workspace<T>& workspace, MatrixOut<T> C, MatrixOut<T> H) {
  internal::CheckStage(workspace, Stage::kVelocity, "CalcCoriolisMatrix");
  const int nv = model.nv();
  CIVITA_CHECK(C.rows() == nv && C.cols() == nv && H.rows() == nv && H.cols() == nv,
               "C is " << C.rows() << "×" << C.cols() << " and H " << H.rows() << "×" << H.cols()
                       << ", the model has nv = " << nv);
  factorization.Check(model);
  const auto& injection = factorization.joint_injection;
  bool done = false;
  if constexpr (std::is_same_v<T, double>) {
    done = kernels::CalcCoriolisMatrix(model, factorization, workspace, C, H);
  }
  if (!done) CalcByBodies(model, factorization, workspace, C, H);
  if (injection) AddJointInjection(*injection, workspace, C);
}

#define CIVITA_INSTANTIATE(T)                                                            \
  template void CalcCoriolisMatrix<T>(const Model&, const Factorization&, Workspace<T>&, \
                                      MatrixOut<T>, MatrixOut<T>);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
