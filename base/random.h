#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace civita {

/// Counter-based random numbers: functions of seed, stream and counter alone, so that the numbers
/// of one control step do not depend on earlier ones. SplitMix64 (Steele, Lea and Flood 2014) from
/// a mixed start.
class Random {
 public:
  /// Each use has its own stream.
  enum class Stream : std::uint64_t {
    kPlant,
    kSensors,
    kTrials,
    kThrow,
    kStart,
    kThreeForm,
    kPosition
  };

  Random(int seed, Stream stream, std::int64_t counter = 0) {
    state_ = Mix(static_cast<std::uint64_t>(seed));
    state_ = Mix(state_ + static_cast<std::uint64_t>(stream));
    state_ = Mix(state_ + static_cast<std::uint64_t>(counter));
  }

  /// Uniform in [0, 1).
  double Uniform() {
    state_ += kGolden;
    return static_cast<double>(Mix(state_) >> 11) * 0x1p-53;
  }

  /// Normal with mean 0 and variance 1 (Box and Muller 1958).
  double Normal() {
    const double radius = std::sqrt(-2 * std::log(1 - Uniform()));
    return radius * std::cos(2 * std::numbers::pi * Uniform());
  }

 private:
  static constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;

  static std::uint64_t Mix(std::uint64_t z) {
    z += kGolden;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

}  // namespace civita
