#pragma once

#include <csignal>

namespace civita {

/// While it lives, the first SIGINT or SIGTERM only sets a flag; a second one ends the process.
/// Afterwards signals do what they did before.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool interrupted() const;

 private:
  struct sigaction before_int_, before_term_;
};

}  // namespace civita
