#pragma once

#include <csignal>

namespace civita {

/// During its lifetime, the first SIGINT or SIGTERM only sets a flag; a second one ends the
/// process. The destructor restores the former handlers.
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
