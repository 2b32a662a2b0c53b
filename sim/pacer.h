#pragma once

#include <array>
#include <chrono>

namespace civita {

/// Keeps simulated time in step with the steady clock, and measures how well that goes.
class Pacer {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr double kSlowest = 0.001;
  static constexpr double kFastest = 8;
  static constexpr double kLongestDelay = 0.05;  ///< s; what is beyond it is given up

  /// Times real time, cut to [kSlowest, kFastest]; ≤ 0: unlimited.
  void set_speed(double speed);
  double speed() const { return speed_; }

  /// Running starts (anew) here.
  void Start(Clock::time_point now, double t);

  /// The simulated time that the clock has reached; gives up a delay that is too long. Of no use
  /// when unlimited.
  double DueTime(Clock::time_point now, double t);

  /// How long until t is due, s; not positive: now.
  double Until(Clock::time_point now, double t) const;

  /// To be called regularly while running, for the two below.
  void Measure(Clock::time_point now, double t);
  /// Simulated over real time in the last second.
  double real_time_factor() const { return real_time_factor_; }
  /// Time was given up in the last second, and the speed is not reached.
  bool too_slow(Clock::time_point now) const;

 private:
  struct Sample {
    Clock::time_point wall;
    double t = 0;
  };
  double speed_ = 1;
  Sample anchor_;
  std::array<Sample, 100> samples_;
  std::size_t num_samples_ = 0;  ///< ever; the newest are in the ring
  double real_time_factor_ = 0;
  Clock::time_point last_loss_;
};

}  // namespace civita
