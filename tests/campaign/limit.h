#pragma once

#include <chrono>
#include <cstdlib>
#include <random>
#include <string>

namespace civita {

/// How much a program of the campaign tries: "500" is a number of cases, the same on every machine,
/// and "20s" a time in seconds.
class Limit {
 public:
  explicit Limit(const std::string& text)
      : number_(std::atof(text.c_str())), is_time_(text.ends_with('s')) {}

  /// Whether another case is tried after these.
  bool Allows(long cases) const {
    if (!is_time_) return static_cast<double>(cases) < number_;
    const auto passed = std::chrono::steady_clock::now() - start_;
    return std::chrono::duration<double>(passed).count() < number_;
  }

 private:
  double number_;
  bool is_time_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The main of a program of the campaign, `LIMIT SEED`: `check` tries what the limit allows, from
/// the seed on, and returns the exit code. `limit`: where none is given.
inline int MainOfCampaign(int argc, char** argv, const char* limit,
                          int (*check)(const Limit& limit, unsigned seed)) {
  const Limit allowed(argc > 1 ? argv[1] : limit);
  return check(allowed,
               argc > 2 ? static_cast<unsigned>(std::atol(argv[2])) : std::random_device()());
}

}  // namespace civita
