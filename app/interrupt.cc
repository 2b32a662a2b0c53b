#include "app/interrupt.h"

#include <cstddef>

namespace civita {
namespace {

std::atomic<bool> g_interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

void OnSignal(int) { g_interrupted.store(true, std::memory_order_relaxed); }

}  // namespace

const std::atomic<bool>* InterruptGuard::flag() { return &g_interrupted; }

InterruptGuard::InterruptGuard() {
  g_interrupted = false;
  struct sigaction action {};
  action.sa_handler = OnSignal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    const bool stays = kSignals[i] == SIGHUP && before_[i].sa_handler == SIG_IGN;
    if (!stays) sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

}  // namespace civita
