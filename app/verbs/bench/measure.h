#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>
#include <vector>

#include "app/interrupt.h"

namespace civita {

/// Durations of one call, s.
struct CallTimes {
  double min = 0, median = 0, p99 = 0;
};

/// Times calls in samples, each of as many calls as take 10 µs or more, so that the clock's
/// overhead does not count; `min` and the other statistics are over the samples' means.
class CallTimer {
 public:
  /// Determines the size of a sample and warms up. Call it first.
  template <typename Call>
  void Calibrate(Call&& call) {
    while (Sample(call) < kSample_s) calls_ *= 2;
    samples_.clear();
  }

  /// Takes a sample. @returns its duration, s.
  template <typename Call>
  double Sample(Call&& call) {
    const Clock::time_point start = Clock::now();
    for (std::size_t i = 0; i < calls_; ++i) call();
    const double time = std::chrono::duration<double>(Clock::now() - start).count();
    samples_.push_back(time / static_cast<double>(calls_));
    return time;
  }

  CallTimes Finish();

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double kSample_s = 1e-5;
  std::size_t calls_ = 1;
  std::vector<double> samples_;
};

/// Times several calls for about `seconds_each`, until Ctrl-C, with at least five samples, which
/// are interleaved, so that a disturbance affects all.
template <typename... Calls>
std::array<CallTimes, sizeof...(Calls)> TimeInTurn(double seconds_each, Calls&&... calls) {
  std::array<CallTimer, sizeof...(calls)> timers;
  std::size_t next = 0;
  (timers[next++].Calibrate(calls), ...);
  double spent = 0;
  const double seconds = seconds_each * static_cast<double>(sizeof...(calls));
  for (int turn = 0; turn < 5 || (spent < seconds && !InterruptGuard::raised()); ++turn) {
    std::size_t i = 0;
    ((spent += timers[i++].Sample(calls)), ...);
  }
  std::array<CallTimes, sizeof...(calls)> times;
  std::ranges::transform(timers, times.begin(), &CallTimer::Finish);
  return times;
}

template <typename Call>
CallTimes TimeCalls(double seconds, Call&& call) {
  return TimeInTurn(seconds, call).front();
}

/// Whether this CPU has AVX2 and FMA, what x86-64-v3 adds for kernels.
bool HasAvx2();

/// Peak rate of this core in flop/s: multiply-adds, two operations each, in a loop without memory
/// access, of the vectors of one of InstructionSets(); an upper bound for its kernels. Takes about
/// 10 ms.
double MeasurePeak(std::string_view instruction_set);

/// Time, s, for merely writing that many numbers at full vector width, repeatedly to the same
/// memory: the cost of the output.
double MeasureWrite(std::size_t numbers);

}  // namespace civita
