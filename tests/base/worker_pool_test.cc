#include "base/worker_pool.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <latch>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "civita/error.h"
#include "tests/core/error_of.h"
#include "tests/sanitizers.h"

namespace civita {
namespace worker_pool_test {

TEST(WorkerPool, DoesEveryTaskOnce) {
  for (const int threads : {1, 2, 5}) {
    internal::WorkerPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (int run = 0; run < 200; ++run) {
      const int tasks = run % 23;
      std::vector<int> done(static_cast<size_t>(tasks), 0);
      pool.Run(tasks, [&](int thread, int task) {
        ++done[static_cast<size_t>(task)];
        EXPECT_TRUE(thread >= 0 && thread < threads);
      });
      EXPECT_EQ(done, std::vector<int>(static_cast<size_t>(tasks), 1));
    }
  }
}

TEST(WorkerPool, WorksOnAllThreadsAtOnce) {
  internal::WorkerPool pool(3);
  for (int run = 0; run < 10; ++run) {
    std::latch together(3);  // never opens if one thread runs two of the tasks
    pool.Run(3, [&](int, int) { together.arrive_and_wait(); });
  }
}

// On the caller's thread or a worker's, while the other thread is at work.
TEST(WorkerPool, ThrowsWhatATaskThrewWhenAllAreDone) {
  internal::WorkerPool pool(2);
  for (int run = 0; run < 6; ++run) {
    const bool on_caller = run % 2 == 0;
    std::latch together(2);
    std::atomic<bool> thrown = false, done = false;
    const auto work = [&](int thread, int /*task*/) {
      together.arrive_and_wait();
      if ((thread == 0) == on_caller) {
        thrown = true;
        throw UserError("of run " + std::to_string(run));
      }
      while (!thrown) std::this_thread::yield();
      for (int k = 0; k < 20; ++k) std::this_thread::yield();
      done = true;
    };
    EXPECT_EQ(ErrorOf([&] { pool.Run(2, work); }), "of run " + std::to_string(run));
    EXPECT_TRUE(done) << run;
  }
  std::atomic<int> count = 0;
  pool.Run(10, [&](int, int) { ++count; });
  EXPECT_EQ(count, 10) << "it can be used again";
}

TEST(WorkerPool, StartsNoTaskAfterOneThatThrew) {
  internal::WorkerPool alone(1);
  int begun = 0;
  EXPECT_THROW(alone.Run(9,
                         [&](int, int task) {
                           ++begun;
                           if (task == 4) throw UserError("fifth");
                         }),
               UserError);
  EXPECT_EQ(begun, 5);
}

/// Runs in its own process: exits with 0 when creating a pool throws because memory is exhausted.
[[noreturn]] void MakePoolWithoutRoom() {
  alarm(30);  // instead of waiting forever
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  const rlim_t room = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (64 << 20);
  const rlimit limit = {room, room};
  setrlimit(RLIMIT_AS, &limit);  // each thread needs some megabytes for its stack
  try {
    internal::WorkerPool pool(1000);
  } catch (const std::system_error&) {
    _exit(0);
  }
  _exit(1);
}

// The sanitizers' shadow memory exceeds the limit.
#if !defined(CIVITA_ADDRESS_SANITIZER) && !defined(CIVITA_THREAD_SANITIZER)
TEST(WorkerPool, ThrowsWhereThereAreNoMoreThreads) {
  EXPECT_EXIT(MakePoolWithoutRoom(), testing::ExitedWithCode(0), "");
}
#endif

TEST(WorkerPool, NeedsAThread) { EXPECT_THROW(internal::WorkerPool(0), ContractError); }

}  // namespace worker_pool_test
}  // namespace civita
