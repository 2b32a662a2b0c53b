#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "civita/study/watch.h"
#include "python/src/support/signal_watch.h"

namespace civita::python {

/// What long work, without the GIL, asks and tells: signals such as Ctrl-C, and how far it is. Made
/// and destroyed with the GIL, in the thread that works.
class LongWork {
 public:
  /// `progress`: see civita._progress.Line. @throws nb::python_error for anything else.
  explicit LongWork(nanobind::handle progress);
  ~LongWork();
  LongWork(const LongWork&) = delete;
  LongWork& operator=(const LongWork&) = delete;

  const Watch& watch() const { return watch_; }

  /// Whether neither a signal nor what shows the progress has raised. To be called often: it calls
  /// describe(), which returns a text and the share that is done, five times a second.
  template <typename Describe>
  bool GoesOn(const Describe& describe) {
    if (IsDue()) {
      const auto [text, share] = describe();
      Tell(text, share);
    }
    return !signals_.raised();
  }

  /// What was raised, or None.
  nanobind::object error() const { return signals_.error(); }
  /// Raises it, if anything. With the GIL.
  void Rethrow() const { signals_.Rethrow(); }

  std::vector<std::string> notices;  ///< that the work told

 private:
  bool IsDue();
  void Tell(const std::string& text, double share);

  nanobind::object line_;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now();
  SignalWatch signals_;
  std::atomic<bool> stop_ = false;
  Watch watch_;
};

}  // namespace civita::python
