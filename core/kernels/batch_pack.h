#pragma once

#ifdef __AVX__
#include "core/kernels/pack.h"
#endif
#include "core/kernels/batch_kernels.h"
#include "core/kernels/inline.h"

// One number of several states side by side: as many as the widest vector of the instruction set
// holds, because GCC 12 makes poor code of wider ones.

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

#if defined(__AVX512F__)
constexpr int kStates = 8;
#elif defined(__AVX__)
constexpr int kStates = 4;
#else
constexpr int kStates = 2;
#endif

using States = double __attribute__((vector_size(8 * kStates)));
using UnalignedStates = double __attribute__((vector_size(8 * kStates), aligned(8)));

CIVITA_INLINE States OfAll(double x) { return States{} + x; }

CIVITA_INLINE States LoadStates(const double* p) {
  return *reinterpret_cast<const UnalignedStates*>(p);
}
CIVITA_INLINE void StoreStates(double* p, const States& x) {
  *reinterpret_cast<UnalignedStates*>(p) = x;
}

/// |x| ≤ bound in all states.
CIVITA_INLINE bool AllWithin(const States& x, double bound) {
#if defined(__AVX512F__)
  return _mm512_cmp_pd_mask(_mm512_abs_pd(x), OfAll(bound), _CMP_LE_OQ) == 0xff;
#elif defined(__AVX__)
  return _mm256_movemask_pd((x <= bound) & (x >= -bound)) == 15;
#else
  const auto within = (x <= bound) & (x >= -bound);
  return (within[0] & within[1]) != 0;
#endif
}

/// The square matrix with these rows becomes its transpose.
CIVITA_INLINE void Transpose(States* x) {
#if defined(__AVX512F__)
  States pairs[8], quads[8];
  for (int i = 0; i < 8; i += 2) {
    pairs[i] = __builtin_shufflevector(x[i], x[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    pairs[i + 1] = __builtin_shufflevector(x[i], x[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  const auto even = [](const States& a, const States& b) {
    return __builtin_shufflevector(a, b, 0, 1, 4, 5, 8, 9, 12, 13);
  };
  const auto odd = [](const States& a, const States& b) {
    return __builtin_shufflevector(a, b, 2, 3, 6, 7, 10, 11, 14, 15);
  };
  for (int i = 0; i < 8; i += 4) {
    for (int k = i; k < i + 2; ++k) {
      quads[k] = even(pairs[k], pairs[k + 2]);
      quads[k + 2] = odd(pairs[k], pairs[k + 2]);
    }
  }
  for (int k = 0; k < 4; ++k) {
    x[k] = even(quads[k], quads[k + 4]);
    x[k + 4] = odd(quads[k], quads[k + 4]);
  }
#elif defined(__AVX__)
  Transpose(x[0], x[1], x[2], x[3]);
#else
  const States a = x[0], b = x[1];
  x[0] = __builtin_shufflevector(a, b, 0, 2);
  x[1] = __builtin_shufflevector(a, b, 1, 3);
#endif
}

/// Where the numbers of each lane's state stand. Lanes beyond `count` repeat the last state.
template <typename Number>
struct LanePointers {
  Number* at[kStates];

  template <typename View>
  CIVITA_INLINE LanePointers(const View& columns, int first, int count) {
    for (int l = 0; l < kStates; ++l) {
      at[l] = columns.data + (first + (l < count ? l : count - 1)) * columns.stride;
    }
  }
};

/// Packs [0, size) from as many numbers of each state, kStates at a time; the last ones overlap
/// those before them.
CIVITA_INLINE void LoadColumns(const ConstMatrixView& columns, int first, int count, int size,
                               States* x) {
  const LanePointers<const double> p(columns, first, count);
  if (size < kStates) {
    for (int i = 0; i < size; ++i) {
      for (int l = 0; l < kStates; ++l) x[i][l] = p.at[l][i];
    }
    return;
  }
  for (int start = 0; start < size; start += kStates) {
    const int i = start < size - kStates ? start : size - kStates;
    States rows[kStates];
    for (int l = 0; l < kStates; ++l) rows[l] = LoadStates(p.at[l] + i);
    Transpose(rows);
    for (int l = 0; l < kStates; ++l) x[i + l] = rows[l];
  }
}

/// The converse: packs pack(i), i in [0, size), become as many numbers of each of `count` states,
/// in each of the places.
template <typename Function, typename... Places>
CIVITA_INLINE void StoreEach(const Function& pack, int size, int count, const Places&... places) {
  if (size < kStates) {
    for (int i = 0; i < size; ++i) {
      const States x = pack(i);
      for (int l = 0; l < count; ++l) ((places.at[l][i] = x[l]), ...);
    }
    return;
  }
  for (int start = 0; start < size; start += kStates) {
    const int i = start < size - kStates ? start : size - kStates;
    States rows[kStates];
    for (int l = 0; l < kStates; ++l) rows[l] = pack(i + l);
    Transpose(rows);
    if (count == kStates) {
      for (int l = 0; l < kStates; ++l) (StoreStates(places.at[l] + i, rows[l]), ...);
    } else {
      for (int l = 0; l < count; ++l) (StoreStates(places.at[l] + i, rows[l]), ...);
    }
  }
}

CIVITA_INLINE void StoreColumns(const States* x, int size, const MatrixView& columns, int first,
                                int count) {
  StoreEach([x](int i) { return x[i]; }, size, count, LanePointers<double>(columns, first, count));
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
