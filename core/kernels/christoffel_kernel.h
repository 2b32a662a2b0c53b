#pragma once

#include "core/kernels/subtree_sums.h"

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// Φ, composite inertia I^C, momentum I^C Φ and factor B̃ = B(Φ, I^C) of every slot.
CIVITA_INLINE void CalcCompositeFactors(const PlanView& plan, const Memory& memory,
                                        const double* q) {
  CalcCompositeInertias(plan, memory, q);
  for (int b = 0; b < plan.blocks; ++b) {
    Block& block = memory.blocks[b];
    block.B = ChristoffelFactor(block.J, memory.columns[b].Phi);
    if (plan.num_triples > 0) memory.columns[b].F2 = block.J * memory.columns[b].Phi;
  }
}

// ---- where a later coordinate moves an earlier one: inside one triple of rotations ----

/// Numbers of one slot, from those of four.
CIVITA_INLINE Motion<double> PhiOf(const Memory& memory, int slot) {
  const double* x =
      reinterpret_cast<const double*>(&memory.columns[slot / kLanes].Phi) + slot % kLanes;
  return {{x[0], x[kLanes], x[2 * kLanes]}, {x[3 * kLanes], x[4 * kLanes], x[5 * kLanes]}};
}
CIVITA_INLINE Force<double> MomentumOf(const Memory& memory, int slot) {
  const double* x =
      reinterpret_cast<const double*>(&memory.columns[slot / kLanes].F2) + slot % kLanes;
  return {{x[0], x[kLanes], x[2 * kLanes]}, {x[3 * kLanes], x[4 * kLanes], x[5 * kLanes]}};
}
CIVITA_INLINE Inertia<double> InertiaOf(const Memory& memory, int slot) {
  const double* x =
      reinterpret_cast<const double*>(&memory.blocks[slot / kLanes].J) + slot % kLanes;
  const auto number = [x](int a) { return x[kLanes * a]; };
  return {number(0),
          {number(1), number(2), number(3)},
          {number(4), number(5), number(6), number(7), number(8), number(9)}};
}

/// I^C (Φ_k × Φ_j): what [k ▷ j] adds to Γ_ikj along the path.
CIVITA_INLINE Force<double> BracketForce(const Memory& memory, int k, int j) {
  return InertiaOf(memory, k) * Cross(PhiOf(memory, k), PhiOf(memory, j));
}

CIVITA_INLINE Pack Dot(const Motion<Pack>& Phi, const Force<double>& F) {
  return Phi.w.x * F.n.x + Phi.w.y * F.n.y + Phi.w.z * F.n.z + Phi.u.x * F.f.x + Phi.u.y * F.f.y +
         Phi.u.z * F.f.z;
}
CIVITA_INLINE Pack Dot(const Motion<double>& x, const Force<Pack>& F) {
  return F.n.x * x.w.x + F.n.y * x.w.y + F.n.z * x.w.z + F.f.x * x.u.x + F.f.y * x.u.y +
         F.f.z * x.u.z;
}
CIVITA_INLINE double Dot(const Motion<double>& x, const Force<double>& F) {
  return Dot(x.w, F.n) + Dot(x.u, F.f);
}

/// B̃ Φ, of four factors and four columns.
CIVITA_INLINE void SetForce(const CoriolisFactor<Pack>& B, const V3<Pack>& w, PathForce* force) {
  const V3<Pack> n = B.B11 * w, f = Cross(w, B.f);
  force->f[0] = n.x;
  force->f[1] = n.y;
  force->f[2] = n.z;
  force->f[3] = f.x;
  force->f[4] = f.y;
  force->f[5] = f.z;
}

/// Φ_iᵀ F for four slots i and one force.
CIVITA_INLINE Pack DotColumns(const Motion<Pack>& Phi, const double* f) {
  return Phi.w.x * f[0] + Phi.w.y * f[kLanes] + Phi.w.z * f[2 * kLanes] + Phi.u.x * f[3 * kLanes] +
         Phi.u.y * f[4 * kLanes] + Phi.u.z * f[5 * kLanes];
}

/// The dense tensor by its strides: Γ_ijk at i + n·j + n²·k.
struct TensorView {
  double* data;
  std::ptrdiff_t n;
  CIVITA_INLINE double* at(std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t k) const {
    return data + i + n * (j + n * k);
  }
};

/// The sixteen x_ij of one j, four k (x[l], lanes i) below the diagonal of blocks: Γ_ijk = Γ_ikj =
/// x_ij as columns of i, and, i and j exchanged, Γ_kji = Γ_kij = −x_ij as columns of k.
template <bool kFull>
CIVITA_INLINE void StoreTile(const PlanView& plan, const TileStep& step, const Tile& tile, Pack* x,
                             const TensorView& Gamma) {
  const int i = kLanes * tile.I, k = kLanes * step.K, j = step.j;
  const int padded = kLanes * plan.blocks;
  const int count_k = kFull || plan.n - k >= kLanes ? kLanes : plan.n - k;
  for (int l = 0; l < kLanes; ++l) {
    if (!kFull && !(step.moves_k >> l & 1)) continue;
    const Pack value = kFull ? x[l] : And(x[l], MaskOf(plan.ancestors[tile.I * padded + k + l]));
    StoreUnaligned(Gamma.at(i, j, k + l), value);
    StoreUnaligned(Gamma.at(i, k + l, j), value);
  }
  if (tile.moves_i == 0) return;
  Transpose(x[0], x[1], x[2], x[3]);
  for (int l = 0; l < kLanes; ++l) {
    if (!kFull && !(tile.moves_i >> l & 1)) continue;
    const Pack value = kFull ? -x[l] : And(-x[l], MaskOf(plan.related[step.K * padded + i + l]));
    StoreSome(Gamma.at(k, j, i + l), value, count_k);
    StoreSome(Gamma.at(k, i + l, j), value, count_k);
  }
}

/// On the diagonal both meet in one column: x_ij where i comes before k, −x_ji where after.
CIVITA_INLINE void StoreDiagonalTile(const PlanView& plan, const TileStep& step, Pack* x,
                                     const TensorView& Gamma) {
  const int k = kLanes * step.K, j = step.j;
  const int padded = kLanes * plan.blocks;
  const int count = plan.n - k < kLanes ? plan.n - k : kLanes;
  Pack y[kLanes] = {x[0], x[1], x[2], x[3]};
  Transpose(y[0], y[1], y[2], y[3]);
  for (int l = 0; l < kLanes; ++l) {
    if (!(step.moves_k >> l & 1)) continue;
    const PackMask before = MaskOf(plan.ancestors[step.K * padded + k + l]);
    const PackMask after = MaskOf(plan.related[step.K * padded + k + l]) & ~before;
    const Pack value = Select(before, x[l], And(-y[l], after));
    StoreSome(Gamma.at(k, j, k + l), value, count);
    StoreSome(Gamma.at(k, k + l, j), value, count);
  }
}

/// x_ij = Φ_iᵀ B̃_k Φ_j of every related triple, in tiles of four i by four k.
CIVITA_INLINE void CalcTiles(const PlanView& plan, const Memory& memory, const TensorView& Gamma) {
  for (int s = 0; s < plan.num_tile_steps; ++s) {
    const TileStep& step = plan.tile_steps[s];
    const Columns& cj = memory.columns[step.j / kLanes];
    const double* Phi_j = reinterpret_cast<const double*>(&cj.Phi) + step.j % kLanes;
    PathForce F;
    SetForce(memory.blocks[step.K].B,
             {Broadcast(Phi_j[0]), Broadcast(Phi_j[kLanes]), Broadcast(Phi_j[2 * kLanes])}, &F);
    for (int t = step.first; t < step.first + step.count; ++t) {
      const Tile& tile = plan.tiles[t];
      const Motion<Pack>& Phi_i = memory.columns[tile.I].Phi;
      Pack x[kLanes];
      for (int l = 0; l < kLanes; ++l) x[l] = DotColumns(Phi_i, F.lane(l));
      if (tile.full) {
        StoreTile<true>(plan, step, tile, x, Gamma);
      } else if (tile.I < step.K) {
        StoreTile<false>(plan, step, tile, x, Gamma);
      } else {
        StoreDiagonalTile(plan, step, x, Gamma);
      }
    }
  }
}

/// Γ_ikj += Φ_iᵀ I^C (Φ_k × Φ_j) for j before k in one triple and i on the path to k.
CIVITA_INLINE void AddOwnTriple(const PlanView& plan, const Memory& memory, int k, int j,
                                const TensorView& Gamma) {
  const Force<double> F = BracketForce(memory, k, j);
  const int padded = kLanes * plan.blocks;
  for (int I = 0; I <= k / kLanes; ++I) {
    const int count = plan.n - kLanes * I < kLanes ? plan.n - kLanes * I : kLanes;
    const Pack x = And(Dot(memory.columns[I].Phi, F), MaskOf(plan.ancestors[I * padded + k]));
    double* column = Gamma.at(kLanes * I, k, j);
    for (int l = 0; l < count; ++l) column[l] += x[l];
  }
}

/// Γ_kji += (Φ_j × Φ_i)ᵀ I^C Φ_k for i before j in one triple and k further out.
CIVITA_INLINE void AddTriplePair(const PlanView& plan, const Memory& memory, int i, int j,
                                 const TensorView& Gamma) {
  const Motion<double> bracket = Cross(PhiOf(memory, j), PhiOf(memory, i));
  const int padded = kLanes * plan.blocks;
  for (int K = j / kLanes; K < plan.blocks; ++K) {
    unsigned further_out = plan.related[K * padded + j];
    if (K == j / kLanes) further_out &= ~(1u << j % kLanes);
    if (further_out == 0) continue;
    const Pack x = Dot(bracket, memory.columns[K].F2);
    double* column = Gamma.at(kLanes * K, j, i);
    for (unsigned l = 0; l < kLanes; ++l) {
      if (further_out >> l & 1) column[l] += x[l];
    }
  }
}

/// A constant metric a·1 on rates with [e_j, e_k] = ε_jkl e_l has Γ_ijk = ½ a ε_ijk.
CIVITA_INLINE void AddTriples(const PlanView& plan, const Memory& memory, const TensorView& Gamma) {
  for (int s = 0; s < plan.num_triples; ++s) {
    const int triple = plan.triples[s];
    for (int j = triple + 1; j < triple + 3; ++j) {
      for (int i = triple; i < j; ++i) {
        AddOwnTriple(plan, memory, j, i, Gamma);
        AddTriplePair(plan, memory, i, j, Gamma);
      }
    }
    const double half = 0.5 * plan.armature[triple];
    for (int a = 0; a < 3; ++a) {
      const int i = triple + a, j = triple + (a + 1) % 3, k = triple + (a + 2) % 3;
      *Gamma.at(i, j, k) += half;
      *Gamma.at(i, k, j) -= half;
    }
  }
}

inline void CalcChristoffelSymbols(const PlanView& plan, double* scratch, const double* q,
                                   double* Gamma) {
  const Memory memory(plan, scratch);
  const TensorView tensor = {Gamma, plan.n};
  CalcCompositeFactors(plan, memory, q);
  if (!plan.chain) {
    const size_t n = static_cast<size_t>(plan.n);
    __builtin_memset(Gamma, 0, n * n * n * sizeof(double));
  }
  CalcTiles(plan, memory, tensor);
  AddTriples(plan, memory, tensor);
}

// ---- the packed form (core/christoffel_layout.h) ----

/// Depth-first, the path to a slot is the path to the one before it with its end exchanged.
CIVITA_INLINE void PutOnPath(const double* Phi, int place, Motion<Pack>* path) {
  const PackMask here = MaskOf(1u << place % kLanes);
  Pack* x = &path[place / kLanes].w.x;
  for (int a = 0; a < 6; ++a) x[a] = Select(here, Broadcast(Phi[kLanes * a]), x[a]);
}

/// The factor B̃ of one slot in all lanes.
CIVITA_INLINE CoriolisFactor<Pack> BroadcastFactor(const Block& block, int lane) {
  const double* B = reinterpret_cast<const double*>(&block.B) + lane;
  const auto number = [B](int a) { return Broadcast(B[kLanes * a]); };
  return {{{number(0), number(1), number(2), number(3), number(4), number(5), number(6), number(7),
            number(8)}},
          {number(9), number(10), number(11)}};
}

/// The square x_ij = Φ_iᵀ B̃_k Φ_j of the path to slot k, by columns. Packs of rows go from the last
/// to the first, so that what the last one writes too much in a column is overwritten by the next.
CIVITA_INLINE void CalcPathSquare(const Memory& memory, const Motion<Pack>* path, int k, int depth,
                                  double* square) {
  const CoriolisFactor<Pack> B = BroadcastFactor(memory.blocks[k / kLanes], k % kLanes);
  const int packs = (depth + kLanes - 1) / kLanes;
  for (int t = 0; t < packs; ++t) SetForce(B, path[t].w, &memory.path_forces[t]);
  for (int t = packs - 1; t >= 0; --t) {
    const Motion<Pack> Phi = path[t];
    double* out = square + kLanes * t;
    for (int e = 0; e + 1 < depth; ++e, out += depth) {
      StoreUnaligned(out, DotColumns(Phi, memory.path_forces[e / kLanes].lane(e % kLanes)));
    }
    const int e = depth - 1, rows = depth - kLanes * t;
    StoreSome(out, DotColumns(Phi, memory.path_forces[e / kLanes].lane(e % kLanes)),
              rows < kLanes ? rows : kLanes);
  }
}

/// After the square: Γ_ikj for the rotations j before k in its own triple, a column each; then
/// Γ_kji = −x_ji + (Φ_j × Φ_i)ᵀ I^C Φ_k for all i before j before k of one triple. @returns the
/// end.
CIVITA_INLINE double* SetTriples(const PlanView& plan, const Memory& memory, int k, int depth,
                                 double* square) {
  double* end = square + depth * depth;
  for (int s = 0; s < plan.num_triples; ++s) {
    const int triple = plan.triples[s];
    for (int j = triple; triple + 3 > k && triple <= k && j < k; ++j) {
      const Force<double> F = BracketForce(memory, k, j);
      const double* x = square + (plan.depth[j] - 1) * depth;
      for (int d = 0; d < depth; d += kLanes) {
        const Pack sum = Dot(memory.path[d / kLanes], F);
        for (int l = 0; l < kLanes && d + l < depth; ++l) end[d + l] = x[d + l] + sum[l];
      }
      end += depth;
    }
  }
  for (int s = 0; s < plan.num_triples; ++s) {
    const int triple = plan.triples[s];
    for (int j = triple + 1; j < triple + 3 && j < k; ++j) {
      if (!(plan.related[k / kLanes * kLanes * plan.blocks + j] >> k % kLanes & 1)) break;
      for (int i = triple; i < j; ++i) {
        const double x = square[(plan.depth[i] - 1) * depth + plan.depth[j] - 1];
        *end++ = Dot(Cross(PhiOf(memory, j), PhiOf(memory, i)), MomentumOf(memory, k)) - x;
      }
    }
  }
  return end;
}

/// Armature: the five numbers ±½a in the block of a triple's last rotation, which ends with the
/// triple's own pair.
CIVITA_INLINE void AddPackedArmature(double half, int depth, double* square, double* end) {
  const int first = depth - 3, second = depth - 2;
  square[second * depth + first] += half;
  square[first * depth + second] -= half;
  double* own = square + depth * depth;
  own[second] += half;
  own[depth + first] -= half;
  end[-1] -= half;
}

inline void CalcPackedChristoffelSymbols(const PlanView& plan, double* scratch, const double* q,
                                         double* packed) {
  const Memory memory(plan, scratch);
  CalcCompositeFactors(plan, memory, q);
  for (int k = 0; k < plan.n; ++k) {
    const int depth = plan.depth[k];
    const double* Phi =
        reinterpret_cast<const double*>(&memory.columns[k / kLanes].Phi) + k % kLanes;
    PutOnPath(Phi, depth - 1, memory.path);
    CalcPathSquare(memory, memory.path, k, depth, packed);
    double* square = packed;
    packed += depth * depth;
    if (plan.num_triples == 0) continue;
    packed = SetTriples(plan, memory, k, depth, square);
    for (int s = 0; s < plan.num_triples; ++s) {
      if (k == plan.triples[s] + 2) {
        AddPackedArmature(0.5 * plan.armature[k], depth, square, packed);
      }
    }
  }
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
