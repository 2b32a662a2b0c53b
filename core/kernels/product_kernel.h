#pragma once

#include "core/kernels/kernels.h"
#include "core/kernels/pack.h"

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// As many columns of M at a time as a pack has lanes, their numbers side by side but where all are
/// zero. What is left of rows, columns and numbers goes back over some that are done.
inline bool CalcTransposedProducts(std::span<const Product> products, int rows, int inner,
                                   int columns, MatrixView Z) {
  constexpr int kRows = 2 * kWidth;
  if (rows < kRows || inner < kWidth || columns < kWidth) return false;
  const size_t most = products.size() * static_cast<size_t>(inner);
  auto* const numbers = static_cast<double*>(__builtin_alloca(sizeof(Pack) * most));
  auto* const x = static_cast<const double**>(__builtin_alloca(sizeof(double*) * most));
  for (int next = 0; next < columns; next += kWidth) {
    const int c = next + kWidth < columns ? next : columns - kWidth;
    int count = 0;
    for (const Product& p : products) {
      for (int r = 0; r < inner; r += kWidth) {
        const int first = r + kWidth < inner ? r : inner - kWidth;
        Pack m[kWidth];
        for (int l = 0; l < kWidth; ++l)
          m[l] = LoadUnaligned(p.M.data + first + (c + l) * p.M.stride);
        Transpose(m);
        for (int l = r - first; l < kWidth; ++l) {
          StoreUnaligned(numbers + kWidth * count, p.factor * m[l]);
          x[count] = p.X.data + (first + l) * p.X.stride;
          count += AllWithin(m[l], 0) ? 0 : 1;
        }
      }
    }
    for (int next_row = 0; next_row < rows; next_row += kRows) {
      const int i = next_row + kRows < rows ? next_row : rows - kRows;
      Pack sum[kRows] = {};
      for (int n = 0; n < count; ++n) {
        const Pack low = LoadUnaligned(x[n] + i), high = LoadUnaligned(x[n] + i + kWidth);
        for (int l = 0; l < kWidth; ++l) {
          const Pack m = Broadcast(numbers[kWidth * n + l]);
          sum[l] += m * low;
          sum[kWidth + l] += m * high;
        }
      }
      Transpose(sum);
      Transpose(sum + kWidth);
      for (int l = 0; l < kRows; ++l) StoreUnaligned(Z.data + c + (i + l) * Z.stride, sum[l]);
    }
  }
  return true;
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
