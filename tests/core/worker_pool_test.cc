#include "core/internal/worker_pool.h"

#include <gtest/gtest.h>

#include <latch>
#include <vector>

#include "civita/error.h"

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
    std::latch together(3);  // never opens if one thread does two of the tasks
    pool.Run(3, [&](int, int) { together.arrive_and_wait(); });
  }
}

TEST(WorkerPool, NeedsAThread) { EXPECT_THROW(internal::WorkerPool(0), ContractError); }

}  // namespace worker_pool_test
}  // namespace civita
