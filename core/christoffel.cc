#include "core/christoffel.h"

#include <algorithm>

#include "core/internal/coriolis_factor.h"
#include "core/internal/path.h"
#include "core/internal/scalars.h"

namespace civita {

namespace {

/// The dense tensor with its indices.
template <typename T>
struct Tensor {
  std::span<T> numbers;
  int nv;
  T& operator()(int i, int j, int k) const { return numbers[ChristoffelIndex(nv, i, j, k)]; }
};

/// x_ij = Φ_iᵀ B(Φ_k, I^C) Φ_j for all i, j on the path that ends in k, as path_square(place of i,
/// of j).
template <typename T>
void CalcPathSquare(Workspace<T>& workspace, const CoriolisFactor<T>& B, int depth) {
  for (int e = 0; e < depth; ++e) {
    const int j = workspace.path[static_cast<size_t>(e)];
    const Motion<T>& Phi_j = workspace.Phi[static_cast<size_t>(j)];
    internal::DotPath(workspace, depth, B * Phi_j, &workspace.path_square(0, e));
  }
}

/// All symbols whose deepest index is k, where a coordinate never moves an earlier one.
template <typename T>
void SetSymbols(const Workspace<T>& workspace, int k, int depth, const Tensor<T>& Gamma) {
  const MatrixX<T>& x = workspace.path_square;
  for (int e = 0; e < depth; ++e) {
    const int j = workspace.path[static_cast<size_t>(e)];
    for (int d = 0; d < depth; ++d) {
      const int i = workspace.path[static_cast<size_t>(d)];
      Gamma(i, j, k) = Gamma(i, k, j) = x(d, e);
    }
  }
  for (int e = 0; e + 1 < depth; ++e) {
    const int j = workspace.path[static_cast<size_t>(e)];
    for (int d = 0; d <= e; ++d) {
      const int i = workspace.path[static_cast<size_t>(d)];
      Gamma(k, i, j) = Gamma(k, j, i) = -x(e, d);
    }
  }
}

/// What is added where a later coordinate moves an earlier one: inside one triple of rotations.
template <typename T>
void AddTriples(const Model& model, Workspace<T>& workspace, const Inertia<T>& Ic, int k, int depth,
                const Tensor<T>& Gamma) {
  const auto triple_of = [&](int place) {
    return model.rotation_triple(workspace.path[static_cast<size_t>(place)]);
  };
  const Motion<T>& Phi_k = workspace.Phi[static_cast<size_t>(k)];
  const Force<T> momentum = Ic * Phi_k;
  for (int e = 0; e < depth; ++e) {
    const int triple = triple_of(e);
    if (triple < 0) continue;
    const int j = workspace.path[static_cast<size_t>(e)];
    const Motion<T>& Phi_j = workspace.Phi[static_cast<size_t>(j)];
    if (j != k && triple == model.rotation_triple(k)) {
      T* column = workspace.path_products.data();
      internal::DotPath(workspace, depth, Ic * Cross(Phi_k, Phi_j), column);
      for (int d = 0; d < depth; ++d) {
        Gamma(workspace.path[static_cast<size_t>(d)], k, j) += column[d];
      }
    }
    for (int i = triple; i < j && j != k; ++i) {
      Gamma(k, j, i) += Dot(Cross(Phi_j, workspace.Phi[static_cast<size_t>(i)]), momentum);
    }
  }
}

/// A constant metric a·1 on rates with [e_j, e_k] = ε_jkl e_l has Γ_ijk = ½ a ε_ijk.
template <typename T>
void AddArmature(const Model& model, const Tensor<T>& Gamma) {
  for (int k = 0; k < model.nv(); ++k) {
    const int triple = model.rotation_triple(k);
    if (triple != k) continue;
    const T half = T(0.5 * model.armature()[k]);
    for (int a = 0; a < 3; ++a) {
      const int i = triple + a, j = triple + (a + 1) % 3, l = triple + (a + 2) % 3;
      Gamma(i, j, l) += half;
      Gamma(i, l, j) -= half;
    }
  }
}

}  // namespace

/// For each coordinate k the symbols whose deepest index is k: with i, j on the path to k, I^C the
/// composite inertia at k and j ▷ k for "the flow of j changes Φ_k",
///   Γ_ijk = Φ_iᵀ ([j ▷ k] I^C (Φ_j × Φ_k) + B(Φ_j, I^C) Φ_k).
/// B(v)w − B(w)v = −I(v × w) and B(v)ᵀw = −B(w)ᵀv turn this into, with x_ij = Φ_iᵀ B(Φ_k, I^C) Φ_j,
///   Γ_ijk = x_ij                                              column k,
///   Γ_ikj = x_ij + [k ▷ j] Φ_iᵀ I^C (Φ_k × Φ_j)               direction k, j before k,
///   Γ_kij = −x_ji,   Γ_kji = −x_ji + [j ▷ i] Φ_kᵀ I^C (Φ_j × Φ_i)   row k, i before j before k.
template <typename T>
void CalcChristoffelSymbols(const Model& model, Workspace<T>& workspace,
                            std::span<std::type_identity_t<T>> Gamma) {
  internal::CheckStage(workspace, Stage::kPosition, "CalcChristoffelSymbols");
  CIVITA_CHECK(Gamma.size() == ChristoffelIndex(model.nv(), 0, 0, model.nv()),
               "Gamma has " << Gamma.size() << " numbers, the model has nv = " << model.nv());
  using Body = typename Workspace<T>::Body;
  for (Body& body : workspace.bodies) body.Ic = body.I;
  internal::SumOverSubtrees(model, workspace,
                            [](Body& parent, const Body& body) { parent.Ic += body.Ic; });
  std::fill(Gamma.begin(), Gamma.end(), T(0));
  const Tensor<T> tensor{Gamma, model.nv()};
  internal::ForEachCoordinate(model, workspace, [&](int k, const Body& body, int depth) {
    const Motion<T>& Phi_k = workspace.Phi[static_cast<size_t>(k)];
    CalcPathSquare(workspace, internal::CalcCoriolisFactor(body.Ic, Phi_k), depth);
    SetSymbols(workspace, k, depth, tensor);
    if (model.has_rotation_triples()) AddTriples(model, workspace, body.Ic, k, depth, tensor);
  });
  AddArmature(model, tensor);
}

#define CIVITA_INSTANTIATE(T) \
  template void CalcChristoffelSymbols<T>(const Model&, Workspace<T>&, std::span<T>);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
