#include <array>

#include "core/kernels/kernels.h"

namespace civita::kernels {

#ifdef CIVITA_X86_KERNELS
extern const Kernels kAvx2Kernels, kAvx512Kernels;

std::span<const Kernels* const> AvailableKernels() {
  static const std::array<const Kernels*, 2> all = {&kAvx512Kernels, &kAvx2Kernels};
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return {};
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd");
  return std::span(all).subspan(avx512 ? 0 : 1);
}
#else
std::span<const Kernels* const> AvailableKernels() { return {}; }
#endif

}  // namespace civita::kernels
