#pragma once

#include <array>
#include <atomic>
#include <csignal>

namespace civita {

/// During its lifetime, the first SIGINT, SIGTERM or SIGHUP only sets a flag; a second one ends the
/// process. SIGHUP stays ignored where it is, as under nohup. The destructor restores the former
/// handlers.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool interrupted() const { return raised(); }
  /// Whether the latest guard is interrupted.
  static bool raised() { return flag()->load(std::memory_order_relaxed); }
  /// The flag, for what runs long without asking.
  static const std::atomic<bool>* flag();

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_;
};

}  // namespace civita
