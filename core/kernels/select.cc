#include <array>

#include "core/kernels/kernels.h"

#ifdef CIVITA_X86_KERNELS
#include <cpuid.h>

#include "core/kernels/cpu_words.h"

namespace civita::kernels {

extern const Kernels kAvx2Kernels;
#ifdef CIVITA_AVX2_ALONE
// Of the same numbers to the bit.
static constexpr const Kernels* kWidest = &kAvx2Kernels;
#else
extern const Kernels kAvx512Kernels;
static constexpr const Kernels* kWidest = &kAvx512Kernels;
#endif

static CpuWords ReadCpu() {
  CpuWords cpu = {};
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) != 0) cpu[0] = c;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0) cpu[1] = b;
  if (__get_cpuid(0x80000001, &a, &b, &c, &d) != 0) cpu[2] = c;
  return cpu;
}

std::span<const Kernels* const> AvailableKernels() {
  static constexpr std::array<const Kernels*, 2> all = {kWidest, &kAvx2Kernels};
  static const CpuWords cpu = ReadCpu();
  __builtin_cpu_init();
  // These know of the system, too, which must save the registers.
  if (!__builtin_cpu_supports("avx2") || !HasAll(cpu, kX86V3)) return {};
  const bool avx512 =
      __builtin_cpu_supports("avx512f") && HasAll(cpu, kX86V4) && kWidest != &kAvx2Kernels;
  return std::span(all).subspan(avx512 ? 0 : 1);
}

}  // namespace civita::kernels
#else
std::span<const civita::kernels::Kernels* const> civita::kernels::AvailableKernels() { return {}; }
#endif
