#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <optional>

namespace civita::python {

/// Lets Python handle signals, as Ctrl-C, during work without the GIL. Keeps what a handler raises,
/// so that the work can end in order.
class SignalWatch {
 public:
  SignalWatch();
  /// Needs the GIL.
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// Whether a handler has raised an exception. To be called often: it asks every 50 ms. Without
  /// the GIL.
  bool raised();
  /// What was raised, or None.
  nanobind::object error() const;

  /// Raises what was raised, if anything. With the GIL.
  void Rethrow() const;

  /// Keeps an exception that ended Python code within the work of this thread.
  /// @returns false if there is no watch or it has one already. With the GIL.
  static bool Keep(const nanobind::python_error& error);

 private:
  std::chrono::steady_clock::time_point next_;
  nanobind::object error_;
  SignalWatch* outer_;
};

}  // namespace civita::python
