#include <array>

#include "core/kernels/batch_kernels.h"

namespace civita::kernels {

extern const BatchKernels kBatchPlain;
#ifdef CIVITA_X86_KERNELS
extern const BatchKernels kBatchAvx2, kBatchAvx512;
static constexpr std::array kAll = {&kBatchAvx512, &kBatchAvx2, &kBatchPlain};
#else
static constexpr std::array kAll = {&kBatchPlain};
#endif

std::span<const BatchKernels* const> AvailableBatchKernels() {
  return std::span(kAll).last(AvailableKernels().size());  // the last one's are kBatchPlain
}

}  // namespace civita::kernels
