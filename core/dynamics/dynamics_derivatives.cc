#include "civita/dynamics_derivatives.h"

#include "core/internal/coriolis_factor.h"
#include "core/internal/newton_euler.h"
#include "core/internal/path.h"
#include "core/internal/scalars.h"
#include "core/kernels/serve.h"

namespace civita {

namespace {

/// ψ̇ = ξ₀ × Φ and ψ̈ = a₀ × Φ + ξ₀ × ψ̇ of every coordinate: ξ₀, a₀ the motion of what comes before
/// the joint, the parent and the translations of a free joint, which its rotations do not turn.
template <typename T>
void CalcFlows(const Model& model, VectorIn<T> vdot, Workspace<T>& workspace) {
  for (const Model::Body& body : model.bodies()) {
    Motion<T> V = Motion<T>::Zero();
    Motion<T> A{Vector3<T>::Zero(), -model.gravity().template cast<T>()};
    if (body.parent >= 0) {
      V = workspace.bodies[static_cast<size_t>(body.parent)].V;
      A = workspace.bodies[static_cast<size_t>(body.parent)].A;
    }
    if (body.joint == JointType::kFree) {
      V.u += workspace.v.template segment<3>(body.iv);
      A.u += vdot.template segment<3>(body.iv);
    }
    for (int k = body.iv; k < body.iv + body.nv; ++k) {
      const Motion<T>& Phi = workspace.Phi[static_cast<size_t>(k)];
      Motion<T>& Psidot = workspace.Psidot[static_cast<size_t>(k)];
      Psidot = Cross(V, Phi);
      workspace.Psiddot[static_cast<size_t>(k)] = Cross(A, Phi) + Cross(V, Psidot);
    }
  }
}

/// Composite inertias and Christoffel-consistent factors.
template <typename T>
void CalcComposites(const Model& model, Workspace<T>& workspace) {
  using Body = typename Workspace<T>::Body;
  for (Body& body : workspace.bodies) {
    body.Ic = body.I;
    body.Bc = internal::CalcCoriolisFactor(body.I, body.V);
  }
  internal::SumOverSubtrees(model, workspace, [](Body& parent, const Body& body) {
    parent.Ic += body.Ic;
    parent.Bc.B11 += body.Bc.B11;
    parent.Bc.f += body.Bc.f;
  });
}

/// Rows of the path: [Φ, Φ̇ + ψ̇] in path_columns and [ψ̇, ψ̈] in path_flows.
template <typename T>
void SetRow(int k, int row, Workspace<T>& workspace) {
  const Motion<T>& Psidot = workspace.Psidot[static_cast<size_t>(k)];
  const Motion<T>& Psiddot = workspace.Psiddot[static_cast<size_t>(k)];
  for (int a = 0; a < 3; ++a) {
    workspace.path_columns(row, 6 + a) += Psidot.w[a];
    workspace.path_columns(row, 9 + a) += Psidot.u[a];
    workspace.path_flows(row, a) = Psidot.w[a];
    workspace.path_flows(row, 3 + a) = Psidot.u[a];
    workspace.path_flows(row, 6 + a) = Psiddot.w[a];
    workspace.path_flows(row, 9 + a) = Psiddot.u[a];
  }
}

/// Entries (i, k) and (k, i) of the three matrices, for all i on the path to k, by products.
template <typename T>
void CalcProducts(Workspace<T>& workspace, const typename Workspace<T>::Body& body, int k,
                  int depth) {
  const Motion<T>& Phi = workspace.Phi[static_cast<size_t>(k)];
  const Motion<T>& Phidot = workspace.Phidot[static_cast<size_t>(k)];
  const Motion<T>& Psidot = workspace.Psidot[static_cast<size_t>(k)];
  const Motion<T>& Psiddot = workspace.Psiddot[static_cast<size_t>(k)];
  const Force<T> momentum = body.Ic * Phi;
  const Force<T> Q = body.Bc.TransposeTimes(Phi) * T(2);
  auto& products = workspace.path_products;
  internal::DotPath(workspace, depth, momentum, &products(0, 0));
  internal::DotPath(workspace, depth,
                    CrossForce(Phi, body.F) + body.Ic * Psiddot + (body.Bc * Psidot) * T(2),
                    &products(0, 1));
  internal::DotPath(workspace, depth, body.Ic * (Phidot + Psidot) + (body.Bc * Phi) * T(2),
                    &products(0, 2));
  internal::DotPathRates<T, true>(workspace.path_flows, depth, momentum, Q, &products(0, 3));
  internal::DotPathRates<T, true>(workspace.path_columns, depth, momentum, Q, &products(0, 4));
}

void CheckSquare(Eigen::Index rows, Eigen::Index columns, int nv, const char* name) {
  CIVITA_CHECK(rows == nv && columns == nv,
               name << " is " << rows << "×" << columns << ", the model has nv = " << nv);
}

}  // namespace

/// Along coordinate j the motion of the bodies that it moves changes by
///   ∂_j ξ = Φ_j × ξ + ψ̇_j,   ∂_j a = Φ_j × a + ψ̇_j × ξ + ψ̈_j,
///   ∂ξ/∂v_j = Φ_j,   ∂a/∂v_j = Φ_j × ξ + Φ̇_j + ψ̇_j,
/// hence their F = I a + ξ ×* I ξ, with B the Christoffel-consistent factor, by
///   ∂_j F = Φ_j ×* F + I ψ̈_j + 2B ψ̇_j,   ∂F/∂v_j = I (Φ̇_j + ψ̇_j) + 2B Φ_j.
/// That adds up over subtrees. With the sums below the deeper one of i and j,
///   ∂_j τ_i = Φ_iᵀ ((1 − [j ▷ i]) Φ_j ×* F + I ψ̈_j + 2B ψ̇_j),
///   ∂τ_i/∂v_j = Φ_iᵀ (I (Φ̇_j + ψ̇_j) + 2B Φ_j);
/// where j moves i ("j ▷ i"), Φ_i turns along with F and the first term is no more.
template <typename T>
void CalcInverseDynamicsDerivatives(const Model& model, VectorIn<T> vdot, Workspace<T>& workspace,
                                    MatrixOut<T> dtau_dq, MatrixOut<T> dtau_dv, MatrixOut<T> H) {
  internal::CheckStage(workspace, Stage::kVelocity, "CalcInverseDynamicsDerivatives");
  CheckSquare(dtau_dq.rows(), dtau_dq.cols(), model.nv(), "dtau_dq");
  CheckSquare(dtau_dv.rows(), dtau_dv.cols(), model.nv(), "dtau_dv");
  CheckSquare(H.rows(), H.cols(), model.nv(), "H");
  CIVITA_CHECK(vdot.size() == model.nv(),
               "vdot has " << vdot.size() << " numbers, the model has nv = " << model.nv());
  if constexpr (std::is_same_v<T, double>) {
    if (kernels::CalcInverseDynamicsDerivatives(model, vdot.data(), workspace, dtau_dq, dtau_dv,
                                                H)) {
      return;
    }
  }
  internal::UpdateBodies(model, workspace);
  internal::CalcNewtonEuler<T>(model, vdot, workspace, H.col(0));  // for a, F; τ is not needed
  CalcFlows<T>(model, vdot, workspace);
  CalcComposites(model, workspace);
  dtau_dq.setZero();
  dtau_dv.setZero();
  H.setZero();
  using Body = typename Workspace<T>::Body;
  internal::ForEachCoordinate(model, workspace, [&](int k, const Body& body, int depth) {
    SetRow(k, depth - 1, workspace);
    CalcProducts(workspace, body, k, depth);
    const auto& products = workspace.path_products;
    for (int d = 0; d < depth; ++d) {
      const int i = workspace.path[static_cast<size_t>(d)];
      H(i, k) = H(k, i) = products(d, 0);
      dtau_dq(k, i) = products(d, 3);
      dtau_dv(k, i) = products(d, 4);
      dtau_dq(i, k) = products(d, 1);
      dtau_dv(i, k) = products(d, 2);
    }
    H(k, k) += T(model.armature()[k]);
    // k moves the rotations before it in its own triple.
    const Force<T> turned = CrossForce(workspace.Phi[static_cast<size_t>(k)], body.F);
    for (int i = model.rotation_triple(k); i >= 0 && i < k; ++i) {
      dtau_dq(i, k) -= Dot(workspace.Phi[static_cast<size_t>(i)], turned);
    }
  });
}

template <typename T>
bool CalcForwardDynamicsDerivatives(const Model& model, VectorIn<T> vdot, Workspace<T>& workspace,
                                    MassMatrixCholesky<T>& factor, MatrixOut<T> dvdot_dq,
                                    MatrixOut<T> dvdot_dv, MatrixOut<T> dvdot_dtau) {
  CalcInverseDynamicsDerivatives<T>(model, vdot, workspace, dvdot_dq, dvdot_dv, dvdot_dtau);
  if (!factor.Compute(dvdot_dtau)) return false;
  factor.SolveInPlace(dvdot_dq);
  factor.SolveInPlace(dvdot_dv);
  dvdot_dq = -dvdot_dq;
  dvdot_dv = -dvdot_dv;
  dvdot_dtau.setIdentity();
  factor.SolveInPlace(dvdot_dtau);
  return true;
}

#define CIVITA_INSTANTIATE(T)                                                                \
  template void CalcInverseDynamicsDerivatives<T>(const Model&, VectorIn<T>, Workspace<T>&,  \
                                                  MatrixOut<T>, MatrixOut<T>, MatrixOut<T>); \
  template bool CalcForwardDynamicsDerivatives<T>(const Model&, VectorIn<T>, Workspace<T>&,  \
                                                  MassMatrixCholesky<T>&, MatrixOut<T>,      \
                                                  MatrixOut<T>, MatrixOut<T>);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
