#pragma once

#include "core/kernels/frames.h"
#include "core/spatial/internal/tree.h"

// Derivatives of forward dynamics from those of inverse dynamics, by the factor H = LᵀD L of
// core/dynamics/mass_matrix_cholesky.cc. Eight columns at a time are solved for, a row of them in a
// pack or two, so that they stay in the first cache and matrices are transposed in registers alone.
// Coordinates are depth-first: what k moves is k+1 … end[k]−1.

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// Packs that a row of eight columns takes.
constexpr int kRowPacks = kLanes / kWidth;

/// sum −= Σ_d a_d y_d of `count` numbers a, `stride` apart, and rows y, one after the other. In two
/// sums, as each waits for its products.
CIVITA_INLINE void SubtractProducts(const double* a, std::ptrdiff_t stride, const double* y,
                                    int count, Pack* sum) {
  const auto subtract = [](double a_d, const double* y_d, Pack* from) {
    for (int p = 0; p < kRowPacks; ++p) {
      from[p] = from[p] - Broadcast(a_d) * Load(y_d + kWidth * p);
    }
  };
  Pack other[kRowPacks] = {};
  int d = 0;
#pragma GCC unroll 1
  for (; d + 1 < count; d += 2, a += 2 * stride, y += 2 * kLanes) {
    subtract(a[0], y, other);
    subtract(a[stride], y + kLanes, sum);
  }
  if (d < count) subtract(*a, y, sum);
  for (int p = 0; p < kRowPacks; ++p) sum[p] = sum[p] + other[p];
}

/// The factor of one model, and solutions by it.
class SparseFactor {
 public:
  /// `L` has row k of it in column k, along the path to k, D_k last, in whole packs.
  CIVITA_INLINE SparseFactor(const PlanView& plan, double* scratch, MatrixView L)
      : parent_(plan.tree->parent),
        depth_(plan.tree->depth),
        end_(plan.end - plan.base),
        base_(plan.base),
        nv_(plan.nv),
        L_(L.data),
        stride_(L.stride) {
    // Where the rows of bodies were, whose 64 numbers a slot are more than these.
    rows_ = Memory(plan, scratch).rows;
    path_ = rows_ + kLanes * ((nv_ + kLanes - 1) / kLanes * kLanes);
    inverse_ = path_ + kLanes * nv_;
  }

  /// From the leaves on, as MassMatrixCholesky::Factor does. @returns whether H is positive
  /// definite.
  CIVITA_INLINE bool Compute(MatrixView H) const {
    int deepest = 0;
    for (int k = 0; k < nv_; ++k) {
      const int depth = depth_[k];
      double* const row = L_ + k * stride_;
      for (int i = k; i >= 0; i = parent_[i]) row[depth_[i]] = H.data[k * H.stride + i];
      for (int d = depth + 1; d % kLanes != 0; ++d) row[d] = 0;
      inverse_[k] = row[depth];  // H_kk till it is D_k's turn
      deepest = depth > deepest ? depth : deepest;
    }
    const double rounding = (deepest + 1) * __DBL_EPSILON__;
    for (int k = nv_ - 1; k >= 0; --k) {
      double* const row = L_ + k * stride_;
      const double D = row[depth_[k]];
      if (!(D > rounding * inverse_[k])) return false;
      inverse_[k] = 1 / D;
      double* const scaled = path_;  // row k of L, apart, as what follows loads the row whole
      for (int d = 0; d <= depth_[k]; d += kWidth) {
        StoreUnaligned(scaled + d, LoadUnaligned(row + d) * Broadcast(inverse_[k]));
      }
      for (int i = parent_[k]; i >= 0; i = parent_[i]) {
        const Pack factor = Broadcast(scaled[depth_[i]]);
        double* const above = L_ + i * stride_;
        for (int d = 0; d <= depth_[i]; d += kWidth) {
          StoreUnaligned(above + d, LoadUnaligned(above + d) - factor * LoadUnaligned(row + d));
        }
      }
      for (int d = 0; d < depth_[k]; d += kWidth) {
        StoreUnaligned(row + d, LoadUnaligned(scaled + d));
      }
      row[depth_[k]] = D;
    }
    return true;
  }

  /// M ← −H⁻¹ M of a matrix that is zero where H is.
  CIVITA_INLINE void SolveNegative(MatrixView M) const {
    for (int K = 0; K < nv_; K += kLanes) {
      int end = K;
      for (int k = K; k < K + kLanes && k < nv_; ++k) end = End(k) > end ? End(k) : end;
      LoadColumns(M, K);
      SolveTransposed(K, end);
      Solve<true>(nv_);
      StoreColumns(M, K, nv_);
    }
  }

  /// H⁻¹, of which each eight columns are computed down to the diagonal.
  CIVITA_INLINE void Invert(MatrixView M) const {
    for (int K = 0; K < nv_; K += kLanes) {
      const int end = K + kLanes < nv_ ? K + kLanes : nv_;
      for (int i = 0; i < end; ++i) PutRow(i, Row{});
      for (int k = K; k < end; ++k) rows_[kLanes * k + k - K] = 1;
      SolveTransposed(K, end);
      Solve<false>(end);
      StoreColumns(M, K, end);
      for (int i = 0; i < K; ++i) {
        for (int p = 0; p < kRowPacks; ++p) {
          const int k = K + kWidth * p;
          if (k < nv_) StoreSome(M.data + i * M.stride + k, GetRow(i).x[p], nv_ - k);
        }
      }
    }
  }

 private:
  /// A row of eight columns.
  struct Row {
    Pack x[kRowPacks];
  };
  CIVITA_INLINE Row GetRow(int i) const {
    Row row;
    for (int p = 0; p < kRowPacks; ++p) row.x[p] = Load(rows_ + kLanes * i + kWidth * p);
    return row;
  }
  CIVITA_INLINE void PutRow(int i, const Row& row) const {
    for (int p = 0; p < kRowPacks; ++p) Store(rows_ + kLanes * i + kWidth * p, row.x[p]);
  }
  CIVITA_INLINE int End(int k) const { return end_[k] + base_; }

  /// The columns of a matrix from K on; beyond its last one that again.
  CIVITA_INLINE void LoadColumns(MatrixView M, int K) const {
    const double* column[kLanes];
    for (int l = 0; l < kLanes; ++l) {
      column[l] = M.data + (K + l < nv_ ? K + l : nv_ - 1) * M.stride;
    }
    int i = 0;
    for (; i + kWidth <= nv_; i += kWidth) {
      for (int p = 0; p < kRowPacks; ++p) {
        Pack x[kWidth];
        for (int l = 0; l < kWidth; ++l) x[l] = LoadUnaligned(column[kWidth * p + l] + i);
        Transpose(x);
        for (int l = 0; l < kWidth; ++l) Store(rows_ + kLanes * (i + l) + kWidth * p, x[l]);
      }
    }
    for (; i < nv_; ++i) {
      for (int l = 0; l < kLanes; ++l) rows_[kLanes * i + l] = column[l][i];
    }
  }

  /// The first `count` rows of them.
  CIVITA_INLINE void StoreColumns(MatrixView M, int K, int count) const {
    for (int i = 0; i < count; i += kWidth) {
      for (int p = 0; p < kRowPacks; ++p) {
        Pack x[kWidth];
        for (int l = 0; l < kWidth; ++l) x[l] = Load(rows_ + kLanes * (i + l) + kWidth * p);
        Transpose(x);
        for (int l = 0; l < kWidth && K + kWidth * p + l < nv_; ++l) {
          StoreSome(M.data + (K + kWidth * p + l) * M.stride + i, x[l], count - i);
        }
      }
    }
  }

  /// x ← L⁻ᵀ x of columns that are zero but for the path to K and what is from there to `end`, all
  /// that the eight coordinates move or the eight alone.
  CIVITA_INLINE void SolveTransposed(int K, int end) const {
    for (int i = end - 1; i >= K; --i) {
      const int last = End(i) < end ? End(i) : end;
      if (last == i + 1) continue;
      Row x = GetRow(i);
      SubtractProducts(L_ + (i + 1) * stride_ + depth_[i], stride_, rows_ + kLanes * (i + 1),
                       last - i - 1, x.x);
      PutRow(i, x);
    }
    for (int i = parent_[K]; i >= 0; i = parent_[i]) {
      const int last = End(i) < end ? End(i) : end;
      const double* const column = L_ + depth_[i];
      Row x = GetRow(i);
      SubtractProducts(column + K * stride_, stride_, rows_ + kLanes * K, last - K, x.x);
      for (int k = parent_[K]; k != i; k = parent_[k]) {
        SubtractProducts(column + k * stride_, stride_, rows_ + kLanes * k, 1, x.x);
      }
      PutRow(i, x);
    }
  }

  /// x ← ±L⁻¹ D⁻¹ x down to row `count`. The rows of a path stand one after the other, as those of
  /// L do.
  template <bool kNegative>
  CIVITA_INLINE void Solve(int count) const {
    for (int k = 0; k < count; ++k) {
      Row x = GetRow(k);
      const Pack scale = Broadcast(kNegative ? -inverse_[k] : inverse_[k]);
      for (int p = 0; p < kRowPacks; ++p) x.x[p] = x.x[p] * scale;
      SubtractProducts(L_ + k * stride_, 1, path_, depth_[k], x.x);
      PutRow(k, x);
      for (int p = 0; p < kRowPacks; ++p) Store(path_ + kLanes * depth_[k] + kWidth * p, x.x[p]);
    }
  }

  // Copies, as stores could change all that they are copies of.
  const int *parent_, *depth_, *end_;
  int base_, nv_;
  double* L_;
  std::ptrdiff_t stride_;
  double *rows_, *path_, *inverse_;  ///< rows of eight columns; those of a path; 1/D
};

inline bool Factor(const PlanView& plan, double* scratch, MatrixView H, MatrixView L) {
  return SparseFactor(plan, scratch, L).Compute(H);
}

inline bool CalcForwardDynamicsDerivatives(const PlanView& plan, double* scratch, MatrixView L,
                                           MatrixView dtau_dq, MatrixView dtau_dv, MatrixView H) {
  const SparseFactor factor(plan, scratch, L);
  if (!factor.Compute(H)) return false;
  const MatrixView both[] = {dtau_dq, dtau_dv};
  for (const MatrixView& M : both) factor.SolveNegative(M);
  factor.Invert(H);
  return true;
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
