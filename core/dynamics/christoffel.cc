#include "civita/christoffel.h"

#include <algorithm>

#include "core/internal/checks.h"
#include "core/internal/scalars.h"
#include "core/internal/scratch.h"
#include "core/kernels/serve.h"

namespace civita {

namespace {

/// Algorithm 2 of [EW], for joints too whose rates do not commute ([WES], section III): with m the
/// deepest of three coordinates on one path, I^C the composite inertia there and j ▷ k for "the
/// flow of j changes Φ_k",
///   Γ_ijk = Φ_iᵀ ([j ▷ k] I^C (Φ_j × Φ_k) + B(Φ_j, I^C) Φ_k).
/// For all j and i on the path to m: Γ_ijm, Γ_imj, and Γ_mji = Φ_iᵀ B(Φ_j)ᵀ Φ_m + …. Calls
/// visit(i, j, k, Γ_ijk). Armature, a constant metric a·1 on rates with [e_j, e_k] = ε_jkl e_l,
/// adds ½ a ε_ijk: see AddArmature.
template <typename T, typename Visit>
void CalcSymbols(const internal::Tree& tree, internal::Scratch<T>& s, Visit visit) {
  internal::UpdateBodies(tree, s);
  internal::CalcCompositeInertias(tree, s);
  for (int m = 0; m < tree.nv; ++m) {
    const Inertia<T>& I = s.Ic[tree.body[m]];
    const Force<T> momentum = I * s.Phi[m];
    const ChristoffelFactor<T> B_m = CalcChristoffelFactor(I, s.Phi[m]);
    for (int j = m; j >= 0; j = tree.parent[j]) {
      const ChristoffelFactor<T> B_j = CalcChristoffelFactor(I, s.Phi[j]);
      Force<T> F_jm = B_j * s.Phi[m], F_mj = B_m * s.Phi[j];
      if (tree.Moves(j, m)) F_jm += I * Cross(s.Phi[j], s.Phi[m]);
      if (tree.Moves(m, j)) F_mj += I * Cross(s.Phi[m], s.Phi[j]);
      const V3<T> n = TransposeTimes(B_j, s.Phi[m]);
      for (int i = m; i >= 0; i = tree.parent[i]) {
        visit(i, j, m, Dot(s.Phi[i], F_jm));
        visit(i, m, j, Dot(s.Phi[i], F_mj));
        T Gamma_mji = Dot(s.Phi[i].w, n);
        if (tree.Moves(j, i)) Gamma_mji += Dot(Cross(s.Phi[j], s.Phi[i]), momentum);
        visit(m, j, i, Gamma_mji);
      }
    }
  }
}

/// Calls visit(i, j, k, ½ a ε_ijk) for what armature adds.
template <typename T, typename Visit>
void ForEachArmature(const internal::Tree& tree, Visit visit) {
  for (int first = 0; first < tree.nv; ++first) {
    if (tree.triple[first] != first) continue;
    for (int a = 0; a < 3; ++a) {
      const int i = first + a, j = first + (a + 1) % 3, k = first + (a + 2) % 3;
      visit(i, j, k, T(0.5 * tree.armature[first]));
      visit(i, k, j, T(-0.5 * tree.armature[first]));
    }
  }
}

void CheckSize(size_t size, size_t wanted, const char* name) {
  CIVITA_CHECK(size == wanted, name << " has " << size << " numbers, wanted " << wanted);
}

void CheckLayout(const Model& model, const ChristoffelLayout& layout, size_t packed) {
  CIVITA_CHECK(layout.structure() == model.structure(), "the layout was made for another model");
  CheckSize(packed, layout.size(), "the packed form of the Christoffel symbols");
}

}  // namespace

template <typename T>
void CalcChristoffelSymbols(const Model& model, Workspace<T>& workspace,
                            std::span<std::type_identity_t<T>> Gamma) {
  auto& scratch =
      internal::RequireState(model, workspace, Stage::kPosition, "CalcChristoffelSymbols");
  CheckSize(Gamma.size(), ChristoffelIndex(model.nv(), 0, 0, model.nv()), "Gamma");
  if constexpr (std::is_same_v<T, double>) {
    if (kernels::CalcChristoffelSymbols(model, scratch, Gamma)) return;
  }
  std::fill(Gamma.begin(), Gamma.end(), T(0));
  const auto at = [&](int i, int j, int k) -> T& {
    return Gamma[ChristoffelIndex(model.nv(), i, j, k)];
  };
  CalcSymbols(model.tree(), scratch, [&](int i, int j, int k, const T& x) { at(i, j, k) = x; });
  ForEachArmature<T>(model.tree(), [&](int i, int j, int k, const T& x) { at(i, j, k) += x; });
}

template <typename T>
void CalcPackedChristoffelSymbols(const Model& model, const ChristoffelLayout& layout,
                                  Workspace<T>& workspace,
                                  std::span<std::type_identity_t<T>> packed) {
  auto& scratch =
      internal::RequireState(model, workspace, Stage::kPosition, "CalcPackedChristoffelSymbols");
  CheckLayout(model, layout, packed.size());
  if constexpr (std::is_same_v<T, double>) {
    if (kernels::CalcPackedChristoffelSymbols(model, scratch, packed)) return;
  }
  // Each number belongs to one symbol that stands there with its own sign.
  CalcSymbols(model.tree(), scratch, [&](int i, int j, int k, const T& x) {
    const ChristoffelLayout::Place place = layout.Find(i, j, k);
    if (place.sign > 0) packed[place.index] = x;
  });
  ForEachArmature<T>(model.tree(), [&](int i, int j, int k, const T& x) {
    const ChristoffelLayout::Place place = layout.Find(i, j, k);
    if (place.sign > 0) packed[place.index] += x;
  });
}

template <typename T>
void ExpandChristoffelSymbols(const Model& model, const ChristoffelLayout& layout,
                              std::span<const std::type_identity_t<T>> packed,
                              std::span<std::type_identity_t<T>> Gamma) {
  CheckLayout(model, layout, packed.size());
  CheckSize(Gamma.size(), ChristoffelIndex(model.nv(), 0, 0, model.nv()), "Gamma");
  std::fill(Gamma.begin(), Gamma.end(), T(0));
  layout.ForEach(packed, [&](int i, int j, int k, const T& symbol) {
    Gamma[ChristoffelIndex(model.nv(), i, j, k)] = symbol;
  });
}

template <typename T>
void ContractChristoffelSymbols(const Model& model, const ChristoffelLayout& layout,
                                std::span<const std::type_identity_t<T>> packed, VectorIn<T> v,
                                MatrixOut<T> C) {
  CheckLayout(model, layout, packed.size());
  internal::CheckLength(model, v, "v");
  internal::CheckSquare(model, C, "C");
  C.setZero();
  layout.ForEach(packed, [&](int i, int j, int k, const T& symbol) { C(i, k) += symbol * v[j]; });
}

#define CIVITA_INSTANTIATE(T)                                                           \
  template void CalcChristoffelSymbols<T>(const Model&, Workspace<T>&, std::span<T>);   \
  template void CalcPackedChristoffelSymbols<T>(const Model&, const ChristoffelLayout&, \
                                                Workspace<T>&, std::span<T>);           \
  template void ExpandChristoffelSymbols<T>(const Model&, const ChristoffelLayout&,     \
                                            std::span<const T>, std::span<T>);          \
  template void ContractChristoffelSymbols<T>(const Model&, const ChristoffelLayout&,   \
                                              std::span<const T>, VectorIn<T>, MatrixOut<T>);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
