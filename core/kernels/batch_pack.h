#pragma once

#if defined(__AVX__) || defined(CIVITA_PACK_HEADER)
#include "core/kernels/pack.h"
#endif
#include "civita/spatial.h"
#include "core/kernels/batch_kernels.h"

// One number of several states side by side: as many as the widest vector of the instruction set
// holds, because GCC 12 makes poor code of wider ones.

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

#if defined(CIVITA_PACK_HEADER)
constexpr int kStates = kWidth;
#elif defined(__AVX512F__)
constexpr int kStates = 8;
#elif defined(__AVX__)
constexpr int kStates = 4;
#else
constexpr int kStates = 2;
#endif

#ifdef CIVITA_PACK_HEADER
using States = Pack;
using UnalignedStates = UnalignedPack;
#else
using States = double __attribute__((vector_size(8 * kStates)));
using UnalignedStates __attribute__((vector_size(8 * kStates), aligned(8))) = double;
static_assert(alignof(UnalignedStates) == 8);
#endif

#if defined(__AVX__) || defined(CIVITA_PACK_HEADER)
CIVITA_INLINE States OfAll(double x) { return Broadcast(x); }
#else
CIVITA_INLINE States OfAll(double x) { return States{} + x; }
#endif

CIVITA_INLINE States LoadStates(const double* p) {
  return *reinterpret_cast<const UnalignedStates*>(p);
}
CIVITA_INLINE void StoreStates(double* p, const States& x) {
  *reinterpret_cast<UnalignedStates*>(p) = x;
}

#if !defined(__AVX__) && !defined(CIVITA_PACK_HEADER)
/// |x| ≤ bound in all states.
CIVITA_INLINE bool AllWithin(const States& x, double bound) {
  const auto within = (x <= bound) & (x >= -bound);
  return (within[0] & within[1]) != 0;
}

/// The square matrix with these rows becomes its transpose.
CIVITA_INLINE void Transpose(States* x) {
  const States a = x[0], b = x[1];
  x[0] = __builtin_shufflevector(a, b, 0, 2);
  x[1] = __builtin_shufflevector(a, b, 1, 3);
}
#endif

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
