#include "app/bench/measure.h"

#include <array>
#include <cmath>
#include <cstdint>

namespace civita {
namespace {

constexpr int kChains = 16;  // independent ones: more than latency times units
constexpr int kRounds = 20000;

/// x ← x·a + b, kChains times kRounds, of as many numbers as Pack holds.
template <typename Pack>
__attribute__((always_inline)) inline double MultiplyAdd() {
  Pack x[kChains] = {};
  Pack a = {}, b = {};
  for (std::size_t lane = 0; lane < sizeof(Pack) / sizeof(double); ++lane) {
    a[lane] = 0.999;
    b[lane] = 1e-3;
  }
  for (int i = 0; i < kChains; ++i) x[i][0] = i;  // alike, they would be computed once
  for (int round = 0; round < kRounds; ++round) {
    for (Pack& each : x) each = each * a + b;
  }
  double sum = 0;
  for (const Pack& each : x) sum += each[0];
  return sum;
}

using Pack2 = double __attribute__((vector_size(16)));
using Pack4 = double __attribute__((vector_size(32)));
using Pack8 = double __attribute__((vector_size(64)));

struct Loop {
  double (*run)();
  int lanes;
};

double RunPlain() { return MultiplyAdd<Pack2>(); }
#ifdef __x86_64__
__attribute__((target("avx2,fma"))) double RunAvx2() { return MultiplyAdd<Pack4>(); }
__attribute__((target("avx512f"))) double RunAvx512() { return MultiplyAdd<Pack8>(); }
Loop WidestLoop() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return {&RunAvx512, 8};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {&RunAvx2, 4};
  return {&RunPlain, 2};
}
#else
Loop WidestLoop() { return {&RunPlain, 2}; }
#endif

}  // namespace

CallTimes CallTimer::Finish() {
  std::ranges::sort(samples_);
  const auto at = [&](double share) {
    return samples_[static_cast<std::size_t>(share * static_cast<double>(samples_.size() - 1))];
  };
  return {samples_.front(), at(0.5), at(0.99)};
}

double MeasurePeak() {
  const Loop loop = WidestLoop();
  volatile double sink = 0;
  double best = HUGE_VAL;
  for (int i = 0; i < 50; ++i) {
    best = std::min(best, TimeCalls(0, [&] { sink = loop.run(); }).min);
  }
  return 2.0 * kChains * kRounds * loop.lanes / best;
}

}  // namespace civita
