#include <array>

#include "core/kernels/kernels.h"

namespace civita::kernels {

extern const Kernels kAvx512Kernels, kAvx2Kernels, kBaselineKernels;

}  // namespace civita::kernels

#ifdef CIVITA_X86_KERNELS
#include <cpuid.h>

#include "core/kernels/cpu_words.h"

namespace civita::kernels {

static CpuWords ReadCpu() {
  CpuWords cpu = {};
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) != 0) cpu[0] = c;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0) cpu[1] = b;
  if (__get_cpuid(0x80000001, &a, &b, &c, &d) != 0) cpu[2] = c;
  return cpu;
}

std::span<const Kernels* const> AvailableKernels() {
  static const CpuWords cpu = ReadCpu();
  __builtin_cpu_init();
  // These know of the system, too, which must save the registers.
  const bool avx2 = __builtin_cpu_supports("avx2") && HasAll(cpu, kX86V3);
#ifdef CIVITA_AVX2_ALONE
  static constexpr std::array<const Kernels*, 1> all = {
      &kAvx2Kernels};  // AVX-512's have its numbers
  return std::span(all).first(avx2 ? 1 : 0);
#else
  static constexpr std::array all = {&kAvx512Kernels, &kAvx2Kernels, &kBaselineKernels};
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && HasAll(cpu, kX86V4);
  return std::span(all).subspan(avx512 ? 0 : avx2 ? 1 : 2);
#endif
}

}  // namespace civita::kernels
#else
std::span<const civita::kernels::Kernels* const> civita::kernels::AvailableKernels() {
  static constexpr std::array all = {&kBaselineKernels};
  return all;
}
#endif
