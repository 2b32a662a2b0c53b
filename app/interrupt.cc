#include "app/interrupt.h"

#include <unistd.h>

#include <cstddef>

#include "app/program.h"

namespace civita {
namespace {

std::atomic<bool> g_interrupted = false;
std::atomic<int> g_guards = 0;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

void OnSignal(int) { g_interrupted.store(true, std::memory_order_relaxed); }

void ExitOnSignal(int) { _exit(kExitInterrupted); }

SignalActions Handle(void (*handler)(int)) {
  SignalActions before;
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (std::size_t i = 0; i < kInterrupts.size(); ++i) {
    sigaction(kInterrupts[i], nullptr, &before[i]);
    const bool stays = kInterrupts[i] == SIGHUP && before[i].sa_handler == SIG_IGN;
    if (!stays) sigaction(kInterrupts[i], &action, nullptr);
  }
  return before;
}

void Restore(const SignalActions& before) {
  for (std::size_t i = 0; i < kInterrupts.size(); ++i) {
    sigaction(kInterrupts[i], &before[i], nullptr);
  }
}

}  // namespace

const std::atomic<bool>* InterruptGuard::flag() { return &g_interrupted; }

InterruptGuard::InterruptGuard() {
  if (g_guards++ == 0) g_interrupted = false;
  before_ = Handle(OnSignal);
}

InterruptGuard::~InterruptGuard() {
  Restore(before_);
  --g_guards;
}

InterruptExit::InterruptExit() : before_(Handle(ExitOnSignal)) {}

InterruptExit::~InterruptExit() { Restore(before_); }

}  // namespace civita
