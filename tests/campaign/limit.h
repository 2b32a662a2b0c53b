#pragma once

#include <chrono>
#include <cstdlib>
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

}  // namespace civita
