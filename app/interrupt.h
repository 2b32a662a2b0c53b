#pragma once

#include <array>
#include <atomic>
#include <csignal>

namespace civita {

constexpr std::array kInterrupts = {SIGINT, SIGTERM, SIGHUP};
using SignalActions = std::array<struct sigaction, kInterrupts.size()>;

/// During its lifetime, the first SIGINT, SIGTERM or SIGHUP only sets a flag; a second one ends the
/// process. SIGHUP stays ignored where it is, as under nohup. The destructor restores the former
/// handlers. A guard within another is interrupted from its start if that one is.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool interrupted() const { return raised(); }
  /// Whether the latest guard is interrupted, or one around it.
  static bool raised() { return flag()->load(std::memory_order_relaxed); }
  /// The flag, for what runs long without asking.
  static const std::atomic<bool>* flag();

 private:
  SignalActions before_;
};

/// During its lifetime, where no InterruptGuard lives, the first SIGINT, SIGTERM or SIGHUP ends the
/// process at once with kExitInterrupted: nothing has been written yet.
class InterruptExit {
 public:
  InterruptExit();
  ~InterruptExit();
  InterruptExit(const InterruptExit&) = delete;
  InterruptExit& operator=(const InterruptExit&) = delete;

 private:
  SignalActions before_;
};

}  // namespace civita
