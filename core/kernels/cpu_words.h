#pragma once

#include <array>

namespace civita::kernels {

/// ECX of CPUID's leaf 1, EBX of leaf 7, ECX of leaf 0x80000001: the names of features that
/// __builtin_cpu_supports knows differ between compilers.
using CpuWords = std::array<unsigned, 3>;

consteval unsigned Bits(auto... bits) { return ((1u << bits) | ...); }

/// All that -march=x86-64-v3 lets the compiler use: SSE3, SSSE3, FMA, CMPXCHG16B, SSE4.1, SSE4.2,
/// MOVBE, POPCNT, OSXSAVE, AVX, F16C; BMI1, AVX2, BMI2; LAHF, LZCNT. And of x86-64-v4 AVX-512 F,
/// DQ, CD, BW, VL besides.
inline constexpr CpuWords kX86V3 = {Bits(0, 9, 12, 13, 19, 20, 22, 23, 27, 28, 29), Bits(3, 5, 8),
                                    Bits(0, 5)};
inline constexpr CpuWords kX86V4 = {kX86V3[0], kX86V3[1] | Bits(16, 17, 28, 30, 31), kX86V3[2]};

constexpr bool HasAll(const CpuWords& cpu, const CpuWords& wanted) {
  return ((wanted[0] & ~cpu[0]) | (wanted[1] & ~cpu[1]) | (wanted[2] & ~cpu[2])) == 0;
}

}  // namespace civita::kernels
