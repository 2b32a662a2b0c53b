// civita_control_steps [LIMIT [SEED]]: steps of every law on every scene, each watched for
// allocations, locks, exceptions and system calls, up to the limit. Prints the number of
// steps, the smallest one of a law, and the longest control step beside its period; exits with 1 if
// a step did any of these.

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <ucontext.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "app/interrupt.h"
#include "civita/error.h"
#include "civita/sim/simulation.h"
#include "tests/alloc/malloc_counter.h"
#include "tests/campaign/limit.h"

namespace {

long num_locks = 0, num_exceptions = 0, num_calls = 0;

/// Read by the kernel at each system call of this thread: whether it raises SIGSYS instead.
volatile char selector = 0;  // SYSCALL_DISPATCH_FILTER_ALLOW

template <typename Function>
Function* NextOf(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// Counts the call, makes it, and lets the rest of the step call freely.
void OnSystemCall(int /*signal*/, siginfo_t* /*info*/, void* context) {
  selector = 0;
  ++num_calls;
  greg_t* r = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  register long r10 asm("r10") = r[REG_R10];
  register long r8 asm("r8") = r[REG_R8];
  register long r9 asm("r9") = r[REG_R9];
  long result = r[REG_RAX];
  asm volatile("syscall"
               : "+a"(result)
               : "D"(r[REG_RDI]), "S"(r[REG_RSI]), "d"(r[REG_RDX]), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  r[REG_RAX] = result;
}

/// @returns whether the kernel can watch system calls (Linux 5.11).
bool WatchSystemCalls() {
  constexpr int kSetSyscallUserDispatch = 59, kOn = 1;
  struct sigaction action = {};
  action.sa_sigaction = OnSystemCall;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSYS, &action, nullptr);
  return prctl(kSetSyscallUserDispatch, kOn, 0UL, 0UL, &selector) == 0;
}

}  // namespace

extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static auto* const next = NextOf<int(pthread_mutex_t*)>("pthread_mutex_lock");
  ++num_locks;
  return next(mutex);
}

extern "C" void __cxa_throw(void* exception, void* type, void (*destroy)(void*)) {
  static auto* const next = NextOf<void(void*, void*, void (*)(void*))>("__cxa_throw");
  ++num_exceptions;
  next(exception, type, destroy);
  __builtin_unreachable();
}

namespace civita {
namespace {

/// A law on a scene; the scene's own law with an observer is one more.
struct Plan {
  std::string scene;
  std::vector<std::string> overrides;
  std::string law;  ///< its type, "observer", or "own": the scene's
  bool fits = true;
};

std::vector<Plan> MakePlans() {
  std::vector<Plan> plans;
  for (const SceneInfo& scene : Scenes()) {
    if (!scene.is_here) continue;
    const std::string name(scene.name);
    plans.push_back({name, {}, "own"});
    plans.push_back({name, {"observer={gain: 20, compensate: true}"}, "observer"});
    for (const LawInfo* law : Laws()) {
      const std::string type(law->type);
      plans.push_back({name, {"controller.type=" + type}, type});
    }
  }
  return plans;
}

struct Counts {
  long steps = 0, allocations = 0, locks = 0, exceptions = 0, calls = 0;
  double longest_s = 0, period_s = 1;  ///< of the step that took most of its period
  bool is_clean() const { return allocations + locks + exceptions + calls == 0; }
};

/// A real-time thread that never rests is stopped by the kernel for 50 ms of each second.
class Rests {
 public:
  void AfterSteps() {
    constexpr auto kWork = std::chrono::milliseconds(20), kRest = std::chrono::milliseconds(3);
    if (std::chrono::steady_clock::now() - start_ < kWork) return;
    std::this_thread::sleep_for(kRest);
    start_ = std::chrono::steady_clock::now();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// @returns whether the kernel allows it.
bool SetRealTime(bool is_on) {
  const sched_param priority = {.sched_priority = is_on ? 10 : 0};
  return sched_setscheduler(0, is_on ? SCHED_FIFO : SCHED_OTHER, &priority) == 0;
}

/// Takes steps of one plan. Scenes that a law does not fit are no part of it.
Counts Watch(const Plan& plan, long steps, bool watches_calls) {
  Counts counts;
  std::unique_ptr<Simulation> simulation;
  try {
    simulation = std::make_unique<Simulation>(LoadScene(ReadConfig(plan.scene, plan.overrides)));
  } catch (const UserError&) {
    return counts;
  }
  simulation->RunFor(5);
  counts.period_s = simulation->control_dt();
  SetRealTime(true);
  Rests rests;
  for (; counts.steps < steps; ++counts.steps) {
    const long locks = num_locks, exceptions = num_exceptions, calls = num_calls;
    const MallocCounter allocations;
    selector = watches_calls ? 1 : 0;
    const bool goes_on = simulation->Step();
    selector = 0;
    if (!goes_on) break;  // a failure has a text, which allocates
    counts.allocations += allocations.count();
    counts.locks += num_locks - locks;
    counts.exceptions += num_exceptions - exceptions;
    counts.calls += num_calls - calls;
    counts.longest_s = std::max(counts.longest_s, simulation->record().control_s);
    rests.AfterSteps();
  }
  SetRealTime(false);
  return counts;
}

int WatchAll(const Limit& limit) {
  const InterruptGuard guard;
  const bool is_fifo = SetRealTime(true);
  const bool watches_calls = WatchSystemCalls();
  std::vector<Plan> plans = MakePlans();
  std::map<std::string, long> num_steps;  // by law
  Counts all, worst;
  int bad = 0;
  for (long steps_of_law = 2000;; steps_of_law *= 2) {
    std::map<std::string, long> num_plans;
    for (const Plan& plan : plans) num_plans[plan.law] += plan.fits;
    for (Plan& plan : plans) {
      if (!plan.fits) continue;
      if (!limit.Allows(all.steps) || guard.interrupted()) {
        const auto least =
            std::ranges::min_element(num_steps, {}, [](const auto& law) { return law.second; });
        std::printf("%ld control steps\n", all.steps);
        std::printf("of each law at least %ld\n", least == num_steps.end() ? 0 : least->second);
        std::printf("longest %.0f µs of a period of %.0f µs%s%s\n", 1e6 * worst.longest_s,
                    1e6 * worst.period_s, is_fifo ? ", SCHED_FIFO" : "",
                    watches_calls ? "" : ", system calls not watched");
        return bad == 0 ? 0 : 1;
      }
      // A law on few scenes gets as many steps as one on all.
      const Counts counts = Watch(plan, 1 + steps_of_law / num_plans[plan.law], watches_calls);
      plan.fits = counts.steps > 0;
      all.steps += counts.steps;
      num_steps[plan.law] += counts.steps;
      if (counts.longest_s / counts.period_s > worst.longest_s / worst.period_s) worst = counts;
      if (counts.is_clean()) continue;
      ++bad;
      std::printf(
          "%s %s: %ld allocations, %ld locks, %ld exceptions, %ld system calls in %ld steps\n",
          plan.scene.c_str(), plan.overrides.empty() ? "" : plan.overrides[0].c_str(),
          counts.allocations, counts.locks, counts.exceptions, counts.calls, counts.steps);
    }
  }
}

}  // namespace
}  // namespace civita

int main(int argc, char** argv) {
  return civita::WatchAll(civita::Limit(argc > 1 ? argv[1] : "10s"));
}
