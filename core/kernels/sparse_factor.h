#pragma once

#include "core/kernels/frames.h"

// The factor H = LᵀD L of core/dynamics/mass_matrix_cholesky.cc and solutions by it. Several
// columns at a time are solved for, row by row, so that they stay in the first cache and matrices
// are transposed in registers alone. Coordinates that move the same others (a Supernode) are
// eliminated and solved for together: what is loaded then serves several products. Coordinates are
// by slot, those of the base first.

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// Numbers from a row to the next, at most two packs.
constexpr int kRowColumns = 2 * kWidth;
static_assert(kFactorNumbers >= 2 * kRowColumns);
/// Packs of a row of eight columns of a matrix, and of a pack of columns of two.
constexpr int kOneMatrix = kLanes / kWidth, kTwoMatrices = 2;

/// sum_r += Σ_n a_(n·step + r·across) y_n, of `count` rows y, one after the other or (kStep < 0)
/// one before the other.
template <int kStep, int kCount, int kPacks>
CIVITA_INLINE void AddRows(const double* a, std::ptrdiff_t step, std::ptrdiff_t across,
                           const double* y, int count, Pack (&sum)[kCount][kPacks]) {
#pragma GCC unroll 1
  for (int n = 0; n < count; ++n, a += step, y += kStep) {
    Pack y_n[kPacks];
#pragma GCC unroll 4
    for (int p = 0; p < kPacks; ++p) y_n[p] = Load(y + kWidth * p);
#pragma GCC unroll 4
    for (int r = 0; r < kCount; ++r) {
      const Pack a_nr = Broadcast(a[r * across]);
#pragma GCC unroll 4
      for (int p = 0; p < kPacks; ++p) sum[r][p] = sum[r][p] + a_nr * y_n[p];
    }
  }
}

/// A sum of nothing.
template <int kCount, int kPacks>
CIVITA_INLINE void SetZero(Pack (&sum)[kCount][kPacks]) {
#pragma GCC unroll 4
  for (int r = 0; r < kCount; ++r) {
#pragma GCC unroll 4
    for (int p = 0; p < kPacks; ++p) sum[r][p] = Pack{};
  }
}

/// Calls f with a value of type Count<count>, count from 1 to 4.
template <int kCount>
struct Count {
  static constexpr int value = kCount;
};
template <typename F>
CIVITA_INLINE void WithCount(int count, const F& f) {
  switch (count) {
    case 1:
      return f(Count<1>());
    case 2:
      return f(Count<2>());
    case 3:
      return f(Count<3>());
    default:
      return f(Count<4>());
  }
}

class SparseFactor {
 public:
  /// L has row k of it in column k, along the path to k, D_k last, in whole blocks; `memory` is of
  /// kFactorNumbers a padded coordinate, aligned to 64 bytes; `inverse` has 1/D.
  CIVITA_INLINE SparseFactor(const PlanView& plan, double* memory, ConstMatrixView L,
                             const double* inverse)
      : nodes_(plan.supernodes),
        node_of_(plan.supernode_of),
        num_nodes_(plan.num_supernodes),
        nv_(plan.nv),
        L_(L.data),
        stride_(L.stride),
        inverse_(inverse),
        rows_(memory),
        path_(memory + kRowColumns * (nv_ + kLanes)) {}

  /// From the leaves on, as MassMatrixCholesky::Factor does. @returns whether H is positive
  /// definite.
  CIVITA_INLINE bool Compute(ConstMatrixView H, double* L, double* inverse) const {
    int depth = 0;
    for (int n = 0; n < num_nodes_; ++n) {
      TakeRows(nodes_[n], H, L, inverse);
      const int of_last = nodes_[n].depth + nodes_[n].count;
      depth = of_last > depth ? of_last : depth;
    }
    const double rounding = depth * __DBL_EPSILON__;
    bool is_regular = true;
    for (int n = num_nodes_ - 1; n >= 0 && is_regular; --n) {
      const Supernode& node = nodes_[n];
      WithCount(node.count, [&](auto count) {
        is_regular = Eliminate<count.value>(node, rounding, L, inverse);
      });
    }
    return is_regular;
  }

  /// M ← −H⁻¹ M of two matrices that are zero where H is.
  CIVITA_INLINE void SolveNegative(MatrixView M, MatrixView N) const {
    for (int K = 0; K < nv_; K += kWidth) {
      double* columns[2 * kWidth];
      int end = K;
      for (int l = 0; l < kWidth; ++l) {
        const int k = K + l < nv_ ? K + l : nv_ - 1;  // beyond the last one that again
        columns[l] = M.data + k * M.stride;
        columns[kWidth + l] = N.data + k * N.stride;
        const int moved = nodes_[node_of_[k]].end;
        end = moved > end ? moved : end;
      }
      LoadColumns<kTwoMatrices>(columns);
      SolveTransposed<kTwoMatrices>(K, end);
      Solve<kTwoMatrices, true>(nv_);
      StoreColumns<kTwoMatrices>(columns, nv_);
    }
  }

  /// X ← H⁻¹ X of `count` columns.
  CIVITA_INLINE void Solve(MatrixView X, std::ptrdiff_t count) const {
    for (std::ptrdiff_t K = 0; K < count; K += kLanes) {
      double* columns[kLanes];
      for (int l = 0; l < kLanes; ++l) {
        columns[l] = X.data + (K + l < count ? K + l : count - 1) * X.stride;
      }
      if (count - K <= kWidth) {  // NOLINT(bugprone-branch-clone): alike where kOneMatrix is 1
        SolveColumns<1>(columns);
      } else {
        SolveColumns<kOneMatrix>(columns);
      }
    }
  }

  /// M ← H⁻¹, of which each eight columns are computed down to the diagonal.
  CIVITA_INLINE void Invert(MatrixView M) const {
    for (int K = 0; K < nv_; K += kLanes) {
      const int end = K + kLanes < nv_ ? K + kLanes : nv_;
      const Supernode& last = nodes_[node_of_[end - 1]];
      const Pack zero = {};
      for (int i = 0; i < last.first + last.count; ++i) {
        for (int p = 0; p < kOneMatrix; ++p) Store(RowOf(i) + kWidth * p, zero);
      }
      double* columns[kLanes];
      for (int l = 0; l < kLanes; ++l) {
        const int k = K + l < nv_ ? K + l : nv_ - 1;
        columns[l] = M.data + k * M.stride;
        RowOf(k)[l] = 1;
      }
      SolveTransposed<kOneMatrix>(K, end);
      Solve<kOneMatrix, false>(end);
      for (int i = 0; i < K; ++i) {
        for (int p = 0; p < kOneMatrix; ++p) {
          const int k = K + kWidth * p;
          if (k < nv_) StoreSome(M.data + i * M.stride + k, Load(RowOf(i) + kWidth * p), nv_ - k);
        }
      }
      StoreColumns<kOneMatrix>(columns, end);
    }
  }

 private:
  CIVITA_INLINE double* RowOf(int i) const { return rows_ + kRowColumns * i; }

  /// H's rows of a supernode's coordinates, and its diagonal in the place of 1/D.
  CIVITA_INLINE void TakeRows(const Supernode& node, ConstMatrixView H, double* L,
                              double* inverse) const {
    for (int r = 0; r < node.count; ++r) {
      const int k = node.first + r;
      double* const row = L + k * stride_;
      const double* const column = H.data + k * H.stride;
      for (int n = node.parent; n >= 0; n = nodes_[n].parent) {
        double* const to = row + nodes_[n].depth;
        const double* const from = column + nodes_[n].first;
        if (nodes_[n].count == 4) {
          *reinterpret_cast<UnalignedQuad*>(to) = *reinterpret_cast<const UnalignedQuad*>(from);
        } else {
          for (int i = 0; i < nodes_[n].count; ++i) to[i] = from[i];
        }
      }
      for (int i = 0; i <= r; ++i) row[node.depth + i] = column[node.first + i];
      inverse[k] = column[k];
    }
  }

  /// From the last row on, a supernode's rows are divided by D and taken from those before them,
  /// and from those on the path to them. Numbers beyond the diagonal, in the same packs as it, are
  /// of no account.
  template <int kCount>
  CIVITA_INLINE bool Eliminate(const Supernode& node, double rounding, double* L,
                               double* inverse) const {
    double* const rows = L + node.first * stride_;
    double T[kCount][kCount];  // these coordinates' own numbers: of L, and D
    for (int r = 0; r < kCount; ++r) {
      for (int i = 0; i <= r; ++i) T[r][i] = rows[r * stride_ + node.depth + i];
    }
    double* const inverses = inverse + node.first;
#pragma GCC unroll 4
    for (int r = kCount - 1; r >= 0; --r) {
      if (!(T[r][r] > rounding * inverses[r])) return false;
      inverses[r] = 1 / T[r][r];
      for (int i = 0; i < r; ++i) {
        const double factor = T[r][i] * inverses[r];
        for (int j = 0; j <= i; ++j) T[i][j] -= factor * T[r][j];
      }
      for (int i = 0; i < r; ++i) T[r][i] *= inverses[r];
    }
    double* const undivided = rows_;  // the rows times D
    const std::ptrdiff_t stride = stride_;
#pragma GCC unroll 1
    for (int d = 0; d < node.depth; d += kWidth) {
      Pack x[kCount];
#pragma GCC unroll 4
      for (int r = kCount - 1; r >= 0; --r) {
        x[r] = LoadUnaligned(rows + r * stride + d);
        for (int i = r + 1; i < kCount; ++i) x[r] = x[r] - Broadcast(T[i][r]) * x[i];
      }
#pragma GCC unroll 4
      for (int r = 0; r < kCount; ++r) {
        Store(undivided + r * stride + d, x[r]);
        StoreUnaligned(rows + r * stride + d, x[r] * Broadcast(inverses[r]));
      }
    }
    for (int n = node.parent; n >= 0; n = nodes_[n].parent) {
      const Supernode& above = nodes_[n];
      WithCount(above.count, [&](auto count) {
        SubtractRows<kCount, count.value>(rows + above.depth, undivided, above.depth + count.value,
                                          L + above.first * stride);
      });
    }
    for (int r = 0; r < kCount; ++r) {
      for (int i = 0; i <= r; ++i) rows[r * stride_ + node.depth + i] = T[r][i];
    }
    return true;
  }

  /// above_i ← above_i − Σ_r factors_ri rows_r, of `count` numbers in whole packs.
  template <int kCount, int kAbove>
  CIVITA_INLINE void SubtractRows(const double* factors, const double* rows, int count,
                                  double* above) const {
    const std::ptrdiff_t stride = stride_;
#pragma GCC unroll 1
    for (int d = 0; d < count; d += kWidth) {
      Pack x[kCount];
#pragma GCC unroll 4
      for (int r = 0; r < kCount; ++r) x[r] = Load(rows + r * stride + d);
#pragma GCC unroll 4
      for (int i = 0; i < kAbove; ++i) {
        Pack y = LoadUnaligned(above + i * stride + d);
#pragma GCC unroll 4
        for (int r = 0; r < kCount; ++r) y = y - Broadcast(factors[r * stride + i]) * x[r];
        StoreUnaligned(above + i * stride + d, y);
      }
    }
  }

  template <int kPacks>
  CIVITA_INLINE void SolveColumns(double* const* columns) const {
    LoadColumns<kPacks>(columns);
    SolveTransposed<kPacks>(0, nv_);
    Solve<kPacks, false>(nv_);
    StoreColumns<kPacks>(columns, nv_);
  }

  /// Rows of kPacks packs of these columns.
  template <int kPacks>
  CIVITA_INLINE void LoadColumns(double* const* columns) const {
    if (nv_ < kWidth) {
      for (int i = 0; i < nv_; ++i) {
        for (int l = 0; l < kPacks * kWidth; ++l) RowOf(i)[l] = columns[l][i];
      }
      return;
    }
    for (int next = 0; next < nv_; next += kWidth) {
      const int i = next + kWidth <= nv_ ? next : nv_ - kWidth;
      for (int p = 0; p < kPacks; ++p) {
        Pack x[kWidth];
        for (int l = 0; l < kWidth; ++l) x[l] = LoadUnaligned(columns[kWidth * p + l] + i);
        Transpose(x);
        for (int l = 0; l < kWidth; ++l) Store(RowOf(i + l) + kWidth * p, x[l]);
      }
    }
  }

  /// The first `count` rows of them.
  template <int kPacks>
  CIVITA_INLINE void StoreColumns(double* const* columns, int count) const {
    for (int next = 0; next < count; next += kWidth) {
      const int i = next + kWidth <= count || count < kWidth ? next : count - kWidth;
      for (int p = 0; p < kPacks; ++p) {
        Pack x[kWidth];
        for (int l = 0; l < kWidth; ++l) x[l] = Load(RowOf(i + l) + kWidth * p);
        Transpose(x);
        for (int l = 0; l < kWidth; ++l) StoreSome(columns[kWidth * p + l] + i, x[l], count - i);
      }
    }
  }

  /// x ← L⁻ᵀ x of columns that are zero but for the path to K and what is from there to `end`, all
  /// that the columns' coordinates move or these alone.
  template <int kPacks>
  CIVITA_INLINE void SolveTransposed(int K, int end) const {
    const int first = node_of_[K];
    for (int n = node_of_[end - 1]; n >= first; --n) {
      SolveTransposed<kPacks>(nodes_[n], nodes_[n].first + nodes_[n].count, end, -1);
    }
    for (int n = nodes_[first].parent; n >= 0; n = nodes_[n].parent) {
      SolveTransposed<kPacks>(nodes_[n], nodes_[first].first, end, nodes_[first].parent);
    }
  }

  /// The same of a supernode's rows, of what they move from `from` to `end` and on the path from
  /// supernode `path` to this one.
  template <int kPacks>
  CIVITA_INLINE void SolveTransposed(const Supernode& node, int from, int end, int path) const {
    const int to = node.end < end ? node.end : end;
    if (node.count == 1 && from >= to && path < 0) return;
    WithCount(node.count,
              [&](auto count) { SolveTransposed<kPacks, count.value>(node, from, to, path); });
  }
  template <int kPacks, int kCount>
  CIVITA_INLINE void SolveTransposed(const Supernode& node, int from, int to, int path) const {
    const double* const column = L_ + node.depth;
    Pack x[kCount][kPacks];
    SetZero(x);
    if (to > from) {
      AddRows<kRowColumns>(column + from * stride_, stride_, 1, RowOf(from), to - from, x);
    }
    for (int n = path; n >= 0 && nodes_[n].first > node.first; n = nodes_[n].parent) {
      const int i = nodes_[n].first;
      AddRows<kRowColumns>(column + i * stride_, stride_, 1, RowOf(i), nodes_[n].count, x);
    }
#pragma GCC unroll 4
    for (int r = kCount - 1; r >= 0; --r) {
#pragma GCC unroll 4
      for (int p = 0; p < kPacks; ++p) {
        x[r][p] = Load(RowOf(node.first + r) + kWidth * p) - x[r][p];
#pragma GCC unroll 4
        for (int i = r + 1; i < kCount; ++i) {
          x[r][p] = x[r][p] - Broadcast(column[(node.first + i) * stride_ + r]) * x[i][p];
        }
        Store(RowOf(node.first + r) + kWidth * p, x[r][p]);
      }
    }
  }

  /// x ← ±L⁻¹ D⁻¹ x down to row `end` at least. The rows of a path stand one after the other, as
  /// those of L do.
  template <int kPacks, bool kNegative>
  CIVITA_INLINE void Solve(int end) const {
    for (int n = 0; n < num_nodes_ && nodes_[n].first < end; ++n) {
      const Supernode& node = nodes_[n];
      WithCount(node.count,
                [&](auto count) { Solve<kPacks, kNegative, count.value>(node.first, node.depth); });
    }
  }
  template <int kPacks, bool kNegative, int kCount>
  CIVITA_INLINE void Solve(int k, int depth) const {
    const double* const L = L_ + k * stride_;
    Pack x[kCount][kPacks];
    SetZero(x);
    AddRows<kRowColumns>(L, 1, stride_, path_, depth, x);
#pragma GCC unroll 4
    for (int r = 0; r < kCount; ++r) {
      const Pack scale = Broadcast(kNegative ? -inverse_[k + r] : inverse_[k + r]);
#pragma GCC unroll 4
      for (int p = 0; p < kPacks; ++p) {
        x[r][p] = Load(RowOf(k + r) + kWidth * p) * scale - x[r][p];
#pragma GCC unroll 4
        for (int i = 0; i < r; ++i) {
          x[r][p] = x[r][p] - Broadcast(L[r * stride_ + depth + i]) * x[i][p];
        }
        Store(RowOf(k + r) + kWidth * p, x[r][p]);
        Store(path_ + kRowColumns * (depth + r) + kWidth * p, x[r][p]);
      }
    }
  }

  // Copies, as stores could change all that they are copies of.
  const Supernode* nodes_;
  const int* node_of_;
  int num_nodes_, nv_;
  const double* L_;
  std::ptrdiff_t stride_;
  const double* inverse_;
  double *rows_, *path_;  ///< rows of columns; those of a path
};

inline bool Factor(const PlanView& plan, double* memory, ConstMatrixView H, MatrixView L,
                   double* inverse) {
  return SparseFactor(plan, memory, {L.data, L.stride}, inverse).Compute(H, L.data, inverse);
}

inline void Solve(const PlanView& plan, double* memory, ConstMatrixView L, const double* inverse,
                  MatrixView X, std::ptrdiff_t count) {
  SparseFactor(plan, memory, L, inverse).Solve(X, count);
}

inline void Invert(const PlanView& plan, double* memory, ConstMatrixView L, const double* inverse,
                   MatrixView H_inverse) {
  SparseFactor(plan, memory, L, inverse).Invert(H_inverse);
}

inline bool CalcForwardDynamicsDerivatives(const PlanView& plan, double* memory, MatrixView L,
                                           double* inverse, MatrixView dtau_dq, MatrixView dtau_dv,
                                           MatrixView H) {
  if (!Factor(plan, memory, {H.data, H.stride}, L, inverse)) return false;
  const SparseFactor factor(plan, memory, {L.data, L.stride}, inverse);
  factor.SolveNegative(dtau_dq, dtau_dv);
  factor.Invert(H);
  return true;
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
