#pragma once

#include <chrono>
#include <string>

namespace civita {

/// A progress line on standard error that is overwritten in place, shown only on a terminal. The
/// destructor erases it.
class ProgressLine {
 public:
  /// `shown` = false where the line would mix with other output.
  explicit ProgressLine(bool shown = true);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Whether the text should be updated: five times a second, after the first second.
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
