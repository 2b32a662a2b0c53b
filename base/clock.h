#pragma once

#include <chrono>
#include <ctime>
#include <utility>

namespace civita::internal {

/// Times parts of a whole, which follow each other, by one reading of the clock for each.
class LapClock {
 public:
  /// Time since the last lap, at first since construction, s.
  double Lap() {
    const Clock::time_point now = Clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

/// CPU time, s, of CLOCK_THREAD_CPUTIME_ID or CLOCK_PROCESS_CPUTIME_ID.
inline double CpuSeconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace civita::internal
