#pragma once

#include <chrono>
#include <string>

namespace civita {

/// A line on standard error that is written over and over, for work that takes a while, if somebody
/// watches. It vanishes at the end.
class ProgressLine {
 public:
  /// Not `shown` where it would get in between other output.
  explicit ProgressLine(bool shown = true);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Whether it is time for another text: five times a second, after the first second.
  bool Due();
  void Show(const std::string& text);

  double elapsed_s() const;

 private:
  bool watched_;
  bool visible_ = false;
  double next_s_ = 1;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace civita
