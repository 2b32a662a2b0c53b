#include "civita/sim/trials/parallel_for.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace civita {
namespace parallel_for_test {

TEST(ParallelFor, DoesEveryTaskOnceInEveryLoop) {
  for (const int jobs : {0, 1, 4}) {
    ParallelFor threads(jobs);
    std::vector<std::atomic<int>> done(100);
    for (int loop = 0; loop < 50; ++loop) {
      threads.Run(100, [&](int task) { ++done[static_cast<std::size_t>(task)]; });
    }
    for (const std::atomic<int>& count : done) EXPECT_EQ(count, 50);
  }
}

TEST(ParallelFor, ThrowsTheFirstExceptionAndBeginsNothingAfterIt) {
  ParallelFor one(1), four(4);
  for (ParallelFor* threads : {&one, &four}) {
    std::atomic<int> begun = 0;
    const auto work = [&](int task) {
      ++begun;
      if (task >= 3) throw std::runtime_error("task failed");
    };
    EXPECT_THROW(threads->Run(100000, work), std::runtime_error);
    EXPECT_GE(begun, 4);
    if (threads == &one) {
      EXPECT_EQ(begun, 4);
    }
    begun = 0;
    threads->Run(3, work);
    EXPECT_EQ(begun, 3) << "it can be used again";
  }
}

TEST(ParallelFor, BeginsNothingOnceStopped) {
  ParallelFor threads(1);
  std::atomic<bool> stop = false;
  int begun = 0;
  threads.Run(
      100,
      [&](int) {
        if (++begun == 5) stop = true;
      },
      &stop);
  EXPECT_EQ(begun, 5);
}

}  // namespace parallel_for_test
}  // namespace civita
