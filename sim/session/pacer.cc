#include <algorithm>

#include "sim/session/session_impl.h"

namespace civita {
namespace {

double Seconds(Pacer::Clock::duration d) { return std::chrono::duration<double>(d).count(); }

/// Share of the target speed below which it counts as missed.
constexpr double kTolerance = 0.97;

}  // namespace

double Pacer::Within(double speed) { return speed > 0 ? std::clamp(speed, kSlowest, kFastest) : 0; }

void Pacer::Start(Clock::time_point now, double t) {
  anchor_ = samples_[0] = {now, t};
  num_samples_ = 1;
  real_time_factor_ = 0;
  last_loss_ = {};
}

double Pacer::DueTime(Clock::time_point now, double t) {
  const double due = anchor_.t + speed_ * Seconds(now - anchor_.wall);
  if (due - t <= kLongestDelay * speed_) return due;
  anchor_ = {now, t};
  last_loss_ = now;
  return t;
}

double Pacer::Until(Clock::time_point now, double t) const {
  return (t - anchor_.t) / speed_ - Seconds(now - anchor_.wall);
}

void Pacer::Measure(Clock::time_point now, double t) {
  const std::size_t n = samples_.size();
  samples_[num_samples_++ % n] = {now, t};
  const Sample& oldest = samples_[num_samples_ <= n ? 0 : num_samples_ % n];
  const double elapsed = Seconds(now - oldest.wall);
  if (elapsed > 0) real_time_factor_ = (t - oldest.t) / elapsed;
}

bool Pacer::too_slow(Clock::time_point now) const {
  return speed_ > 0 && num_samples_ > 10 && last_loss_ != Clock::time_point() &&
         Seconds(now - last_loss_) < 1 && real_time_factor_ < kTolerance * speed_;
}

}  // namespace civita
