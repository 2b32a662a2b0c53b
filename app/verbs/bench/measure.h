#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <vector>

namespace civita {

/// Of one call, in seconds.
struct CallTimes {
  double min = 0, median = 0, p99 = 0;
};

/// Times calls in samples, each as many calls as take 10 µs or more, so that the clock's own time
/// does not count; `min` and the others are those of the samples' means.
class CallTimer {
 public:
  /// To be called first: finds the size of a sample, and warms up.
  template <typename Call>
  void Calibrate(Call&& call) {
    while (Sample(call) < kSample_s) calls_ *= 2;
    samples_.clear();
  }

  /// @returns the sample's time in seconds.
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

/// For about `seconds`, at least five samples.
template <typename Call>
CallTimes TimeCalls(double seconds, Call&& call) {
  CallTimer timer;
  timer.Calibrate(call);
  double spent = 0;
  for (int sample = 0; sample < 5 || spent < seconds; ++sample) spent += timer.Sample(call);
  return timer.Finish();
}

/// Several calls in turn, a sample of each after the other: what disturbs one disturbs all.
template <typename... Calls>
std::array<CallTimes, sizeof...(Calls)> TimeInTurn(double seconds_each, Calls&&... calls) {
  std::array<CallTimer, sizeof...(calls)> timers;
  std::size_t next = 0;
  (timers[next++].Calibrate(calls), ...);
  double spent = 0;
  const double seconds = seconds_each * static_cast<double>(sizeof...(calls));
  for (int turn = 0; turn < 5 || spent < seconds; ++turn) {
    std::size_t i = 0;
    ((spent += timers[i++].Sample(calls)), ...);
  }
  std::array<CallTimes, sizeof...(calls)> times;
  std::ranges::transform(timers, times.begin(), &CallTimer::Finish);
  return times;
}

/// Multiply-adds of this core in flop/s, two each, as many at once as its vector instructions do,
/// in a loop that needs no memory: what no kernel can surpass. Takes some 10 ms.
double MeasurePeak();

/// The seconds that it takes to merely write that many numbers, again and again in the same place
/// and as many at once as this core's vector instructions do: what the output costs.
double MeasureWrite(std::size_t numbers);

}  // namespace civita
