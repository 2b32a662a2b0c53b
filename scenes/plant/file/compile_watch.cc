#include "civita/scenes/plant/compile_watch.h"

#include <atomic>
#include <chrono>
#include <system_error>

namespace civita {
namespace {

std::atomic<CompileTick> g_compile_tick = nullptr;
std::atomic<double> g_compile_seconds = 0;

}  // namespace

void OnLongCompiles(CompileTick tick) { g_compile_tick = tick; }

double LongCompileSeconds() { return g_compile_seconds; }

namespace internal {

CompileWatch::CompileWatch(const std::filesystem::path& file) {
  const CompileTick tick = g_compile_tick;
  if (tick == nullptr) return;
  const auto watch = [this, tick, file] {
    constexpr std::chrono::milliseconds kLong(2000), kPeriod(100);
    const auto start = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    bool told = false;
    for (auto next = start + kLong; !ends_.wait_until(lock, next, [this] { return ended_; });
         next += kPeriod) {
      g_compile_seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      tick(file, told);
      told = true;
    }
    if (told) g_compile_seconds = 0;
  };
  try {
    thread_ = std::thread(watch);
  } catch (const std::system_error&) {
    // The system gives no more threads: the compiler works unwatched.
  }
}

CompileWatch::~CompileWatch() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  ends_.notify_all();
  thread_.join();
}

}  // namespace internal

}  // namespace civita
