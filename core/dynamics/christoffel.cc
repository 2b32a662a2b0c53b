#include "civita/christoffel.h"

#include <algorithm>

#include "core/internal/coriolis_factor.h"
#include "core/internal/path.h"
#include "core/internal/scalars.h"
#include "core/kernels/serve.h"

namespace civita {

namespace {

/// How many rotations come before k in the triple that it belongs to, if any.
size_t RotationsBefore(const Model& model, int k) {
  const int triple = model.rotation_triple(k);
  return triple < 0 ? 0 : static_cast<size_t>(k - triple);
}

/// x_ij + [k ▷ j] Φ_iᵀ I^C (Φ_k × Φ_j) for the rotations j before k in the triple that k belongs
/// to, one column each. @returns where they end.
template <typename T>
T* SetOwnTriple(const Model& model, Workspace<T>& workspace, const Inertia<T>& Ic, int k, int depth,
                const T* x, T* column) {
  for (int e = depth - 1 - static_cast<int>(RotationsBefore(model, k)); e < depth - 1; ++e) {
    const int j = workspace.path[static_cast<size_t>(e)];
    const Motion<T> bracket =
        Cross(workspace.Phi[static_cast<size_t>(k)], workspace.Phi[static_cast<size_t>(j)]);
    internal::DotPath(workspace, depth, Ic * bracket, column);
    for (int d = 0; d < depth; ++d) column[d] += x[e * depth + d];
    column += depth;
  }
  return column;
}

/// −x_ji + [j ▷ i] Φ_kᵀ I^C (Φ_j × Φ_i) for all i before j before k in one triple. @returns where
/// they end.
template <typename T>
T* SetPairs(const Model& model, const Workspace<T>& workspace, const Inertia<T>& Ic, int k,
            int depth, const T* x, T* pair) {
  const Force<T> momentum = Ic * workspace.Phi[static_cast<size_t>(k)];
  for (int e = 0; e + 1 < depth; ++e) {
    const int j = workspace.path[static_cast<size_t>(e)];
    const int triple = model.rotation_triple(j);
    if (triple < 0) continue;
    for (int i = triple; i < j; ++i) {
      const Motion<T> bracket =
          Cross(workspace.Phi[static_cast<size_t>(j)], workspace.Phi[static_cast<size_t>(i)]);
      *pair++ = Dot(bracket, momentum) - x[(e - (j - i)) * depth + e];
    }
  }
  return pair;
}

/// A constant metric a·1 on rates with [e_j, e_k] = ε_jkl e_l has Γ_ijk = ½ a ε_ijk: the five
/// numbers for it in the block of a triple's last rotation, which ends with the triple's pair.
template <typename T>
void AddArmature(T half, int depth, T* block, T* end) {
  const int first = depth - 3, second = depth - 2;
  block[second * depth + first] += half;
  block[first * depth + second] -= half;
  T* own = block + depth * depth;
  own[second] += half;
  own[depth + first] -= half;
  end[-1] -= half;
}

/// The block of k (ChristoffelLayout), of the path in the workspace. With I^C the composite inertia
/// at k, j ▷ k for "the flow of j changes Φ_k" and all on the path to k,
///   Γ_ijk = Φ_iᵀ ([j ▷ k] I^C (Φ_j × Φ_k) + B(Φ_j, I^C) Φ_k).
/// B(v)w − B(w)v = −I(v × w) and B(v)ᵀw = −B(w)ᵀv turn this into, with x_ij = Φ_iᵀ B(Φ_k, I^C) Φ_j,
///   Γ_ijk = x_ij                                              column k,
///   Γ_ikj = x_ij + [k ▷ j] Φ_iᵀ I^C (Φ_k × Φ_j)               direction k, j before k,
///   Γ_kij = −x_ji,   Γ_kji = −x_ji + [j ▷ i] Φ_kᵀ I^C (Φ_j × Φ_i)   row k, i before j before k,
/// where a later coordinate moves an earlier one only inside one triple of rotations.
template <typename T>
void CalcBlock(const Model& model, Workspace<T>& workspace, const Inertia<T>& Ic, int k, int depth,
               T* block) {
  const CoriolisFactor<T> B =
      internal::CalcCoriolisFactor(Ic, workspace.Phi[static_cast<size_t>(k)]);
  for (int e = 0; e < depth; ++e) {
    const size_t j = static_cast<size_t>(workspace.path[static_cast<size_t>(e)]);
    internal::DotPath(workspace, depth, B * workspace.Phi[j], block + e * depth);
  }
  if (!model.has_rotation_triples()) return;
  const int triple = model.rotation_triple(k);
  T* end = block + depth * depth;
  if (triple >= 0) end = SetOwnTriple(model, workspace, Ic, k, depth, block, end);
  end = SetPairs(model, workspace, Ic, k, depth, block, end);
  if (triple >= 0 && k == triple + 2) AddArmature(T(0.5 * model.armature()[k]), depth, block, end);
}

/// Calls visit(i, j, k, Γ_ijk) once for every symbol of the block at the end of `path`.
template <typename T, typename Visit>
void ForEachSymbol(const Model& model, std::span<const int> path, const T* block, Visit visit) {
  const size_t depth = path.size();
  const int k = path[depth - 1];
  const size_t own_triple = depth - 1 - RotationsBefore(model, k);
  const T* own = block + depth * depth;
  for (size_t e = 0; e < own_triple; ++e) {
    const int j = path[e];
    const T* x = block + e * depth;
    for (size_t d = 0; d < depth; ++d) {
      visit(path[d], j, k, x[d]);
      visit(path[d], k, j, x[d]);
    }
  }
  for (size_t e = own_triple; e < depth; ++e) {
    const int j = path[e];
    for (size_t d = 0; d < depth; ++d) visit(path[d], j, k, block[e * depth + d]);
    if (j == k) continue;
    for (size_t d = 0; d < depth; ++d) visit(path[d], k, j, own[d]);
    own += depth;
  }
  const T* pair = own;
  for (size_t e = 0; e + 1 < depth; ++e) {
    const int j = path[e];
    const size_t first = e - RotationsBefore(model, j);
    for (size_t d = 0; d < e; ++d) {
      const T minus = -block[d * depth + e];
      visit(k, path[d], j, minus);
      if (d < first) visit(k, j, path[d], minus);
    }
    for (size_t d = first; d < e; ++d) visit(k, j, path[d], *pair++);
    visit(k, j, j, -block[e * depth + e]);
  }
}

void CheckSize(size_t size, size_t wanted, const char* name) {
  CIVITA_CHECK(size == wanted, name << " has " << size << " numbers, wanted " << wanted);
}

void CheckLayout(const Model& model, const ChristoffelLayout& layout, size_t packed) {
  CIVITA_CHECK(layout.nv() == model.nv(), "the layout was made for another model");
  CheckSize(packed, layout.size(), "the packed form of the Christoffel symbols");
}

}  // namespace

template <typename T>
void CalcChristoffelSymbols(const Model& model, Workspace<T>& workspace,
                            std::span<std::type_identity_t<T>> Gamma) {
  internal::CheckStage(workspace, Stage::kPosition, "CalcChristoffelSymbols");
  CheckSize(Gamma.size(), ChristoffelIndex(model.nv(), 0, 0, model.nv()), "Gamma");
  if constexpr (std::is_same_v<T, double>) {
    if (kernels::CalcChristoffelSymbols(model, workspace, Gamma)) return;
  }
  internal::UpdateBodies(model, workspace);
  internal::SumInertias(model, workspace);
  std::fill(Gamma.begin(), Gamma.end(), T(0));
  using Body = typename Workspace<T>::Body;
  internal::ForEachCoordinate(model, workspace, [&](int k, const Body& body, int depth) {
    T* block = workspace.path_block.data();
    CalcBlock(model, workspace, body.Ic, k, depth, block);
    const std::span<const int> path(workspace.path.data(), static_cast<size_t>(depth));
    ForEachSymbol(model, path, block, [&](int i, int j, int l, const T& symbol) {
      Gamma[ChristoffelIndex(model.nv(), i, j, l)] = symbol;
    });
  });
}

template <typename T>
void CalcPackedChristoffelSymbols(const Model& model, const ChristoffelLayout& layout,
                                  Workspace<T>& workspace,
                                  std::span<std::type_identity_t<T>> packed) {
  internal::CheckStage(workspace, Stage::kPosition, "CalcPackedChristoffelSymbols");
  CheckLayout(model, layout, packed.size());
  if constexpr (std::is_same_v<T, double>) {
    if (kernels::CalcPackedChristoffelSymbols(model, workspace, packed)) return;
  }
  internal::UpdateBodies(model, workspace);
  internal::SumInertias(model, workspace);
  using Body = typename Workspace<T>::Body;
  internal::ForEachCoordinate(model, workspace, [&](int k, const Body& body, int depth) {
    CalcBlock(model, workspace, body.Ic, k, depth, &packed[layout.block(k)]);
  });
}

template <typename T>
void ExpandChristoffelSymbols(const Model& model, const ChristoffelLayout& layout,
                              std::span<const std::type_identity_t<T>> packed,
                              std::span<std::type_identity_t<T>> Gamma) {
  CheckLayout(model, layout, packed.size());
  CheckSize(Gamma.size(), ChristoffelIndex(model.nv(), 0, 0, model.nv()), "Gamma");
  std::fill(Gamma.begin(), Gamma.end(), T(0));
  for (int deepest = 0; deepest < model.nv(); ++deepest) {
    ForEachSymbol(model, layout.path(deepest), &packed[layout.block(deepest)],
                  [&](int i, int j, int k, const T& symbol) {
                    Gamma[ChristoffelIndex(model.nv(), i, j, k)] = symbol;
                  });
  }
}

template <typename T>
void ContractChristoffelSymbols(const Model& model, const ChristoffelLayout& layout,
                                std::span<const std::type_identity_t<T>> packed, VectorIn<T> v,
                                MatrixOut<T> C) {
  CheckLayout(model, layout, packed.size());
  CIVITA_CHECK(v.size() == model.nv() && C.rows() == model.nv() && C.cols() == model.nv(),
               "v has " << v.size() << " numbers and C is " << C.rows() << "×" << C.cols()
                        << ", the model has nv = " << model.nv());
  C.setZero();
  for (int deepest = 0; deepest < model.nv(); ++deepest) {
    ForEachSymbol(model, layout.path(deepest), &packed[layout.block(deepest)],
                  [&](int i, int j, int k, const T& symbol) { C(i, k) += symbol * v[j]; });
  }
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
