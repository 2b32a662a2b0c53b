#include <array>

#include "core/kernels/kernels.h"

namespace civita::kernels {

#ifdef CIVITA_X86_KERNELS
extern const Kernels kAvx2Kernels;
#ifdef CIVITA_AVX2_ALONE
// Of the same numbers to the bit.
static constexpr const Kernels* kWidest = &kAvx2Kernels;
#else
extern const Kernels kAvx512Kernels;
static constexpr const Kernels* kWidest = &kAvx512Kernels;
#endif

std::span<const Kernels* const> AvailableKernels() {
  static constexpr std::array<const Kernels*, 2> all = {kWidest, &kAvx2Kernels};
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return {};
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") && kWidest != &kAvx2Kernels;
  return std::span(all).subspan(avx512 ? 0 : 1);
}
#else
std::span<const Kernels* const> AvailableKernels() { return {}; }
#endif

}  // namespace civita::kernels
