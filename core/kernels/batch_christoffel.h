#pragma once

#include "core/kernels/batch_frames.h"

// For machines without kernels of one state (batch_symbols.h).

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// What a state's symbols are made of, in one array:
///   - for each coordinate k the factors a_ik, three times nv numbers (x, y, z; i first): Γ_ijk =
///     Γ_ikj = a_ik · ω_j for every j on the path to k, ω_j the angular part of Φ_j. With x_ij =
///     Φ_iᵀ B̃_k Φ_j that is a_ik = B̃_kᵀ Φ_i for i on the path, too, and, as Γ_kij = Γ_kji = −x_ji,
///     a_ik = −B̃_iᵀ Φ_k for i further out;
///   - ω_j, three numbers a slot;
///   - nv numbers for each pair of a triple's rotations: what Γ_ikj has besides (SetBrackets).
struct SymbolParts {
  int n, base, triples;

  CIVITA_INLINE explicit SymbolParts(const PlanView& plan)
      : n(plan.nv), base(plan.base), triples(plan.num_triples) {}
  CIVITA_INLINE int factors(int k) const { return 3 * n * k; }
  CIVITA_INLINE int axis(int slot) const { return 3 * (n * n + base + slot); }
  CIVITA_INLINE int bracket(int triple, int pair) const {
    return 3 * n * (n + 1) + n * (3 * triple + pair);
  }
  CIVITA_INLINE int size() const { return bracket(triples, 0); }
};

/// The pairs j before k of a triple.
constexpr int kTriplePairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};

/// a_ik and a_ki for all i on the path to k.
CIVITA_INLINE void SetFactors(const PlanView& plan, const BatchMemory& memory, int k,
                              const Inertia<States>& J) {
  const SymbolParts parts(plan);
  const int n = plan.nv, row = plan.iv[k];
  const Motion<States> Phi_k = memory.columns[k].Phi;
  const ChristoffelFactor<States> B = CalcChristoffelFactor(J, Phi_k);
  const auto set = [&](int i, int column, const V3<States>& a) {
    States* x = memory.parts + parts.factors(column) + i;
    x[0] = a.x;
    x[n] = a.y;
    x[2 * n] = a.z;
  };
  for (int i = k; i >= -plan.base; i = plan.parent[i]) {
    const Motion<States>& Phi = memory.columns[i].Phi;
    const V3<States> a = TransposeTimes(B.B11, Phi.w) + Cross(B.f, Phi.u);
    set(row, plan.iv[i], V3<States>{} - a);
    set(plan.iv[i], row, a);
  }
  States* axis = memory.parts + parts.axis(k);
  axis[0] = Phi_k.w.x;
  axis[1] = Phi_k.w.y;
  axis[2] = Phi_k.w.z;
}

/// Whether slot i moves slot k, or is it.
CIVITA_INLINE bool Moves(const PlanView& plan, int i, int k) {
  while (k > i) k = plan.parent[k];
  return k == i;
}

/// For rotations a before b of one triple, Γ_iba − Γ_iab = Φ_iᵀ I^C (Φ_b × Φ_a) for all i on one
/// path with b, I^C of the one further out. Here those i that the slot k is, and where k is b.
CIVITA_INLINE void SetBrackets(const PlanView& plan, const BatchMemory& memory, int k,
                               const Inertia<States>& J) {
  const SymbolParts parts(plan);
  const Force<States> momentum = J * memory.columns[k].Phi;
  for (int t = 0; t < plan.num_triples; ++t) {
    for (int pair = 0; pair < 3; ++pair) {
      const int a = plan.triples[t] + kTriplePairs[pair][0];
      const int b = plan.triples[t] + kTriplePairs[pair][1];
      States* x = memory.parts + parts.bracket(t, pair);
      const Motion<States> bracket = Cross(memory.columns[b].Phi, memory.columns[a].Phi);
      if (b == k) {
        const Force<States> F = J * bracket;
        for (int i = k; i >= -plan.base; i = plan.parent[i]) {
          x[plan.iv[i]] = Dot(memory.columns[i].Phi, F);
        }
      } else if (Moves(plan, b, k)) {
        x[plan.iv[k]] = Dot(bracket, momentum);
      }
    }
  }
}

/// kPacks · kStates of the rows of a column, `begin` and on; those at the end overlap.
template <int kPacks>
struct FactorRows {
  std::ptrdiff_t row;
  States x, y, z;
  FactorRows<kPacks - 1> rest;

  CIVITA_INLINE FactorRows(int n, int begin)
      : row(begin + kStates < n ? begin : n - kStates), rest(n, begin + kStates) {}
  CIVITA_INLINE void Load(const double* factors, std::ptrdiff_t n) {
    x = LoadStates(factors + row);
    y = LoadStates(factors + n + row);
    z = LoadStates(factors + 2 * n + row);
    rest.Load(factors, n);
  }
  /// Γ_ijk = a_ik · w.
  CIVITA_INLINE void Store(double wx, double wy, double wz, double* column) const {
    StoreStates(column + row, x * wx + y * wy + z * wz);
    rest.Store(wx, wy, wz, column);
  }
  CIVITA_INLINE void Copy(const double* from, double* to) const {
    StoreStates(to + row, LoadStates(from + row));
    rest.Copy(from, to);
  }
};
template <>
struct FactorRows<0> {
  CIVITA_INLINE FactorRows(int, int) {}
  CIVITA_INLINE void Load(const double*, std::ptrdiff_t) {}
  CIVITA_INLINE void Store(double, double, double, double*) const {}
  CIVITA_INLINE void Copy(const double*, double*) const {}
};

/// Some rows of all Γ_ijk of one k, column by column: a_k · ω_j where j is on the path to k, by
/// path_axes (zero where it is not), a_j · ω_k where k is on the path to j, zero elsewhere.
template <int kPacks>
__attribute__((noinline)) void ExpandRows(const PlanView& plan, const double* factors,
                                          const double* axes, int k, int end, int begin,
                                          double* Gamma) {
  const std::ptrdiff_t n = plan.nv;
  const int* iv = plan.iv;
  double* columns = Gamma + n * n * iv[k];
  FactorRows<kPacks> rows(plan.nv, begin);
  rows.Load(factors + 3 * n * iv[k], n);
  for (int j = -plan.base; j <= k; ++j) {
    rows.Store(axes[3 * j], axes[3 * j + 1], axes[3 * j + 2], columns + n * iv[j]);
  }
  const double* mirror = Gamma + n * iv[k];
  for (int j = k + 1; j < end; ++j) rows.Copy(mirror + n * n * iv[j], columns + n * iv[j]);
  for (int j = end; j < plan.n; ++j) rows.Store(0, 0, 0, columns + n * iv[j]);
}

/// The same of all rows, where they fill no pack.
CIVITA_INLINE void ExpandFewRows(const PlanView& plan, const double* factors, const double* axes,
                                 int k, double* Gamma) {
  const std::ptrdiff_t n = plan.nv;
  const double* a = factors + 3 * n * plan.iv[k];
  for (int j = -plan.base; j <= k; ++j) {
    const double* w = axes + 3 * j;
    double* jk = Gamma + n * (plan.iv[j] + n * plan.iv[k]);
    double* kj = Gamma + n * (plan.iv[k] + n * plan.iv[j]);
    for (int i = 0; i < n; ++i) {
      jk[i] = kj[i] = a[i] * w[0] + a[n + i] * w[1] + a[2 * n + i] * w[2];
    }
  }
}

/// All symbols of one state.
inline void ExpandSymbols(const PlanView& plan, const double* state, double* path_axes,
                          double* Gamma) {
  const SymbolParts parts(plan);
  const double* axes = state + parts.axis(0);
  for (int c = -3 * plan.base; c < 3 * plan.n; ++c) path_axes[c] = 0;
  for (int k = plan.n - 1, left = -plan.base - 1; k >= -plan.base; left = plan.parent[k], --k) {
    // The path to k is, depth-first, that to the slot after it up to `left`, its parent.
    for (int i = k; i > left; i = plan.parent[i]) {
      for (int c = 3 * i; c < 3 * i + 3; ++c) path_axes[c] = axes[c];
    }
    if (plan.nv < kStates) {
      ExpandFewRows(plan, state, path_axes, k, Gamma);
      continue;
    }
    int end = k + 1;
    while (end < plan.n && plan.parent[end] >= k) ++end;
    int packs = (plan.nv + kStates - 1) / kStates;
    for (int begin = 0; packs > 0;) {
      const int now = packs > 4 ? (packs > 6 ? 4 : 3) : packs;
      switch (now) {
        case 1:
          ExpandRows<1>(plan, state, path_axes, k, end, begin, Gamma);
          break;
        case 2:
          ExpandRows<2>(plan, state, path_axes, k, end, begin, Gamma);
          break;
        case 3:
          ExpandRows<3>(plan, state, path_axes, k, end, begin, Gamma);
          break;
        default:
          ExpandRows<4>(plan, state, path_axes, k, end, begin, Gamma);
      }
      packs -= now;
      begin += now * kStates;
    }
  }
}

/// What the symbols of a triple's rotations have besides. A constant metric a·1 on rates with
/// [e_j, e_k] = ε_jkl e_l has Γ_ijk = ½ a ε_ijk.
CIVITA_INLINE void AddTriples(const PlanView& plan, const double* state, double* Gamma) {
  const SymbolParts parts(plan);
  const std::ptrdiff_t n = plan.nv;
  for (int t = 0; t < plan.num_triples; ++t) {
    const std::ptrdiff_t first = plan.iv[plan.triples[t]];
    for (int pair = 0; pair < 3; ++pair) {
      const double* bracket = state + parts.bracket(t, pair);
      double* column =
          Gamma + n * (first + kTriplePairs[pair][1]) + n * n * (first + kTriplePairs[pair][0]);
      for (int i = 0; i < n; ++i) column[i] += bracket[i];
    }
    const double half = 0.5 * plan.armature[plan.triples[t]];
    for (int a = 0; a < 3; ++a) {
      const std::ptrdiff_t i = first + a, j = first + (a + 1) % 3, k = first + (a + 2) % 3;
      Gamma[i + n * (j + n * k)] += half;
      Gamma[i + n * (k + n * j)] -= half;
    }
  }
}

inline void CalcChristoffelSymbols(const PlanView& plan, double* scratch, const Batch& batch,
                                   int first, int count) {
  const BatchMemory memory(plan, scratch, batch.nq);
  LoadColumns(batch.q, first, count, batch.nq, memory.q);
  ForEachJoint(plan, [&](int slot, int last) { SetPose(plan, memory, slot, last); });
  ForEachJointInwards(
      plan, memory.zero->J, reinterpret_cast<Inertia<States>*>(memory.sums),
      [&](int last, const Inertia<States>& carried, Inertia<States>* sum) {
        PutSum(CalcWorldInertia(plan, memory, last), carried, sum);
      },
      [&](int slot, int last, const Inertia<States>& J) {
        for (int k = last; k >= slot; --k) {
          SetFactors(plan, memory, k, J);
          if (plan.num_triples > 0) SetBrackets(plan, memory, k, J);
        }
      });
  // The symbols are far more than their parts: from here on, rows in lanes, a state at a time.
  const int size = SymbolParts(plan).size();
  StoreColumns(memory.parts, size, {memory.states, size}, 0, count);
  for (int l = 0; l < count; ++l) {
    double* state = memory.states + l * std::ptrdiff_t{size};
    double* Gamma = batch.Gamma.data + (first + l) * batch.Gamma.stride;
    ExpandSymbols(plan, state, memory.path_axes, Gamma);
    AddTriples(plan, state, Gamma);
  }
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
