#include "app/verbs/bench/measure.h"

#include <cmath>
#include <memory>

namespace civita {
namespace {

// independent: at least latency times units, and few enough for registers
constexpr int kChains = 12;
constexpr int kRounds = 20000;

/// x ← x·a + b, kChains times kRounds, on packs.
template <typename Pack>
__attribute__((always_inline)) inline double MultiplyAdd() {
  Pack x[kChains] = {};
  Pack a = {}, b = {};
  for (std::size_t lane = 0; lane < sizeof(Pack) / sizeof(double); ++lane) {
    a[lane] = 0.999;
    b[lane] = 1e-3;
  }
  // Equal values would let the compiler compute only one chain.
  for (int i = 0; i < kChains; ++i) x[i][0] = i;
  for (int round = 0; round < kRounds; ++round) {
    for (Pack& each : x) each = each * a + b;
  }
  double sum = 0;
  for (const Pack& each : x) sum += each[0];
  return sum;
}

/// Stores whole packs of memory[0], the last one past the end.
template <typename Pack>
__attribute__((always_inline)) inline void Fill(double* memory, std::size_t numbers) {
  constexpr std::size_t kLanes = sizeof(Pack) / sizeof(double);
  const Pack x = Pack{} + memory[0];  // not zeros, which a compiler would replace by memset
  for (std::size_t i = 0; i < numbers; i += kLanes) *reinterpret_cast<Pack*>(memory + i) = x;
}

using Pack2 = double __attribute__((vector_size(16)));
using Pack4 = double __attribute__((vector_size(32)));
using Pack8 = double __attribute__((vector_size(64)));

struct Loop {
  double (*run)();
  void (*fill)(double* memory, std::size_t numbers);
  int lanes;
};

double RunPlain() { return MultiplyAdd<Pack2>(); }
void FillPlain(double* memory, std::size_t numbers) { Fill<Pack2>(memory, numbers); }
#ifdef __x86_64__
__attribute__((target("avx2,fma"))) double RunAvx2() { return MultiplyAdd<Pack4>(); }
__attribute__((target("avx512f"))) double RunAvx512() { return MultiplyAdd<Pack8>(); }
__attribute__((target("avx2,fma"))) void FillAvx2(double* memory, std::size_t numbers) {
  Fill<Pack4>(memory, numbers);
}
__attribute__((target("avx512f"))) void FillAvx512(double* memory, std::size_t numbers) {
  Fill<Pack8>(memory, numbers);
}
/// That of an instruction set of kernels.
Loop LoopOf(std::string_view instruction_set) {
  if (instruction_set == "avx512") return {&RunAvx512, &FillAvx512, 8};
  if (instruction_set == "avx2") return {&RunAvx2, &FillAvx2, 4};
  return {&RunPlain, &FillPlain, 2};
}
Loop WidestLoop() {
  return LoopOf(__builtin_cpu_supports("avx512f") ? "avx512" : HasAvx2() ? "avx2" : "plain");
}
#else
Loop LoopOf(std::string_view /*instruction_set*/) { return {&RunPlain, &FillPlain, 2}; }
Loop WidestLoop() { return LoopOf({}); }
#endif

}  // namespace

bool HasAvx2() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

CallTimes CallTimer::Finish() {
  std::ranges::sort(samples_);
  const auto at = [&](double share) {
    return samples_[static_cast<std::size_t>(share * static_cast<double>(samples_.size() - 1))];
  };
  return {samples_.front(), at(0.5), at(0.99)};
}

double MeasurePeak(std::string_view instruction_set) {
  const Loop loop = LoopOf(instruction_set);
  volatile double sink = 0;
  double best = HUGE_VAL;
  for (int i = 0; i < 50; ++i) {
    best = std::min(best, TimeCalls(0, [&] { sink = loop.run(); }).min);
  }
  return 2.0 * kChains * kRounds * loop.lanes / best;
}

double MeasureWrite(std::size_t numbers) {
  const Loop loop = WidestLoop();
  constexpr std::size_t kLine = 64 / sizeof(double);
  std::vector<double> memory(numbers + 2 * kLine);
  void* first = memory.data();
  std::size_t size = memory.size() * sizeof(double);
  auto* aligned =
      static_cast<double*>(std::align(kLine * sizeof(double), sizeof(double), first, size));
  return TimeCalls(0.01,
                   [&] {
                     loop.fill(aligned, numbers);
                     asm volatile("" : : "r"(aligned) : "memory");
                   })
      .min;
}

}  // namespace civita
