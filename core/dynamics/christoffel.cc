#include "civita/christoffel.h"

#include <algorithm>

#include "core/dynamics/internal/scratch.h"
#include "core/dynamics/internal/serve.h"
#include "core/spatial/internal/scalars.h"

namespace civita {

namespace {

/// Algorithm 2 of [EW], for joints too whose rates do not commute ([WES], section III): with m the
/// deepest of three coordinates on one path, I^C the composite inertia there and B = B(Φ_m, I^C),
///   x_ij = Γ_ijm = Φ_iᵀ B Φ_j = (Bᵀ Φ_i) · Φ_j
/// for all i and j on the path to m. Where coordinates commute Γ_imj = x_ij, too, and, as C + Cᵀ is
/// Ḣ, Γ_mij = Γ_mji = −x_ji of i before j. Of m, j or i, j in one triple of rotations
///   own(i, j, m) = Γ_imj = x_ij + Φ_iᵀ I^C (Φ_m × Φ_j),
///   pair(i, j, m) = Γ_mji = −x_ji + Φ_mᵀ I^C (Φ_j × Φ_i), i before j.
/// Calls square(i, j, m, x_ij), own and pair, i and j from the deepest on: the numbers of the
/// packed form. Armature, a constant metric a·1 on rates with [e_j, e_k] = ε_jkl e_l, adds ½ a
/// ε_ijk: see ForEachArmature.
template <typename T, typename Square, typename Own, typename Pair>
void CalcSymbols(const internal::Tree& tree, internal::Scratch<T>& s, Square square, Own own,
                 Pair pair) {
  internal::UpdateBodies(tree, s);
  internal::CalcCompositeInertias(tree, s);
  const auto& Phi = s.Phi;
  for (int m = 0; m < tree.nv; ++m) {
    const Inertia<T>& I = s.Ic[tree.body[m]];
    const Force<T> momentum = I * Phi[m];
    const ChristoffelFactor<T> B = CalcChristoffelFactor(I, Phi[m]);
    for (int i = m; i >= 0; i = tree.parent[i]) {
      const V3<T> a = TransposeTimes(B, Phi[i]);  // the angular part, the other is zero
      for (int j = m; j >= 0; j = tree.parent[j]) square(i, j, m, Dot(a, Phi[j].w));
      for (int j = tree.parent[m]; tree.InOneTriple(m, j); j = tree.parent[j]) {
        own(i, j, m, Dot(a, Phi[j].w) + Dot(Phi[i], I * Cross(Phi[m], Phi[j])));
      }
      for (int j = tree.parent[i]; i != m && tree.InOneTriple(i, j); j = tree.parent[j]) {
        pair(j, i, m, Dot(Cross(Phi[i], Phi[j]), momentum) - Dot(a, Phi[j].w));
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
  CIVITA_CHECK(layout.structure() == model.structure(),
               "the layout was made for a model of another structure");
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
    if (kernels::CalcChristoffelSymbols(scratch, Gamma)) return;
  }
  std::fill(Gamma.begin(), Gamma.end(), T(0));
  const internal::Tree& tree = internal::TreeOf(model);
  const auto at = [&](int i, int j, int k) -> T& {
    return Gamma[ChristoffelIndex(tree.nv, i, j, k)];
  };
  const auto square = [&](int i, int j, int m, const T& x) {
    at(i, j, m) = x;
    if (j == m || !tree.InOneTriple(m, j)) at(i, m, j) = x;
    if (i == m || tree.depth[j] > tree.depth[i]) return;
    at(m, j, i) = -x;
    if (i == j || !tree.InOneTriple(i, j)) at(m, i, j) = -x;
  };
  CalcSymbols(
      tree, scratch, square, [&](int i, int j, int m, const T& x) { at(i, m, j) = x; },
      [&](int i, int j, int m, const T& x) { at(m, j, i) = x; });
  ForEachArmature<T>(tree, [&](int i, int j, int k, const T& x) { at(i, j, k) += x; });
}

template <typename T>
void CalcPackedChristoffelSymbols(const Model& model, const ChristoffelLayout& layout,
                                  Workspace<T>& workspace,
                                  std::span<std::type_identity_t<T>> packed) {
  auto& scratch =
      internal::RequireState(model, workspace, Stage::kPosition, "CalcPackedChristoffelSymbols");
  CheckLayout(model, layout, packed.size());
  if constexpr (std::is_same_v<T, double>) {
    if (kernels::CalcPackedChristoffelSymbols(scratch, packed)) return;
  }
  const internal::Tree& tree = internal::TreeOf(model);
  const int* depth = tree.depth;
  const auto at = [&](int i, int column, int m) -> T& {
    const int in_block = column * (depth[m] + 1) + depth[i];
    return packed[layout.block(m) + static_cast<size_t>(in_block)];
  };
  CalcSymbols(
      tree, scratch, [&](int i, int j, int m, const T& x) { at(i, depth[j], m) = x; },
      [&](int i, int j, int m, const T& x) { at(i, depth[m] + 1 + j - tree.triple[m], m) = x; },
      [&](int i, int j, int m, const T& x) { packed[layout.Find(m, j, i).index] = x; });
  ForEachArmature<T>(tree, [&](int i, int j, int k, const T& x) {
    const ChristoffelLayout::Place place = layout.Find(i, j, k);
    if (place.sign > 0) packed[place.index] += x;
  });
}

#define CIVITA_INSTANTIATE(T)                                                           \
  template void CalcChristoffelSymbols<T>(const Model&, Workspace<T>&, std::span<T>);   \
  template void CalcPackedChristoffelSymbols<T>(const Model&, const ChristoffelLayout&, \
                                                Workspace<T>&, std::span<T>);
CIVITA_FOR_DOUBLE(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
