#pragma once

#include <chrono>
#include <limits>
#include <string>
#include <string_view>

#include "civita/study/watch.h"

namespace civita {

/// The text with control characters, which names in files may hold and a terminal would obey, and
/// bytes that are no UTF-8 written as \xNN; line breaks stay.
std::string Printable(std::string_view text);

/// Writes text to standard output, made Printable.
void PrintOut(std::string_view text);

/// Writes "civita: TEXT" to standard error: Printable, in one line, its middle left out if it is
/// very long.
void PrintError(std::string_view text);

/// PrintError of what is not an error.
void PrintNote(std::string_view text);

/// A progress line on standard error that is overwritten in place, shown only on a terminal. The
/// destructor erases it. With CIVITA_PROGRESS in the environment it is lines for a program that
/// reads them instead, "progress SHARE TEXT".
class ProgressLine {
 public:
  /// `shown` = false where the line would mix with other output.
  explicit ProgressLine(bool shown = true);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Whether the text should be updated: five times a second, on a terminal after the first one.
  bool Due();
  /// `share`: of the work that is done, 0 to 1; NaN if that is not known.
  void Show(const std::string& text, double share = std::numeric_limits<double>::quiet_NaN());
  /// PrintNote beside the line.
  void Note(const std::string& text);

  /// For what runs long: progress and notes go to this line, which must outlive it; an interrupt
  /// that a guard keeps stops it.
  Watch watch();

  double elapsed_s() const;

 private:
  bool by_lines_, watched_;
  bool visible_ = false;
  double next_s_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace civita
