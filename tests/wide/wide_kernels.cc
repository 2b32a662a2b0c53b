// The kernels at AVX-512's width on every machine; this program has no others.

#include <array>

#define CIVITA_INSTRUCTION_SET wide
#define CIVITA_PACK_HEADER "tests/wide/wide_pack.h"
#define CIVITA_KERNELS kWideKernels
#define CIVITA_BATCH_KERNELS kBatchWide
#include "core/kernels/batch_table.h"
#include "core/kernels/table.h"

namespace civita::kernels {

extern const BatchKernels kBatchPlain;

/// Replaces the functions of core/kernels/select.cc and batch_select.cc, which the linker then
/// omits.
std::span<const Kernels* const> AvailableKernels() {
  static constexpr std::array kAll = {&kWideKernels};
  return kAll;
}
std::span<const BatchKernels* const> AvailableBatchKernels() {
  static constexpr std::array kAll = {&kBatchWide, &kBatchPlain};
  return kAll;
}

}  // namespace civita::kernels
