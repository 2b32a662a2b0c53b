#pragma once

#include <array>
#include <chrono>

namespace civita {

/// Keeps simulated time in step with the steady clock, and measures the achieved speed.
class Pacer {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr double kSlowest = 0.001;
  static constexpr double kFastest = 8;
  static constexpr double kLongestDelay = 0.05;  ///< s; any delay beyond is dropped

  /// Target speed as a multiple of real time, clamped to [kSlowest, kFastest]; ≤ 0: unlimited.
  void set_speed(double speed);
  double speed() const { return speed_; }

  /// Starts pacing at simulated time t, s.
  void Start(Clock::time_point now, double t);

  /// The simulated time that is due, s; drops a delay beyond kLongestDelay. Meaningless when
  /// unlimited.
  double DueTime(Clock::time_point now, double t);

  /// Time until t is due, s; zero or negative: it is due.
  double Until(Clock::time_point now, double t) const;

  /// Takes a sample for the two functions below; call it regularly while running.
  void Measure(Clock::time_point now, double t);
  /// Simulated time over real time in the last second.
  double real_time_factor() const { return real_time_factor_; }
  /// Whether a delay was dropped in the last second and the target speed is missed.
  bool too_slow(Clock::time_point now) const;

 private:
  struct Sample {
    Clock::time_point wall;
    double t = 0;
  };
  double speed_ = 1;
  Sample anchor_;
  std::array<Sample, 100> samples_;
  std::size_t num_samples_ = 0;  ///< taken in total; the newest are in the ring
  double real_time_factor_ = 0;
  Clock::time_point last_loss_;
};

}  // namespace civita
