#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "civita/sim/spsc_queue.h"
#include "civita/sim/triple_buffer.h"

namespace civita {
namespace thread_exchange_test {

TEST(SpscQueue, HoldsItsCapacityInOrder) {
  SpscQueue<int> queue(3);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.Front(), nullptr);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(queue.Push(i));
  EXPECT_FALSE(queue.Push(3));
  for (int i = 0; i < 3; ++i) {
    ASSERT_NE(queue.Front(), nullptr);
    EXPECT_EQ(*queue.Front(), i);
    queue.Pop();
    EXPECT_TRUE(queue.Push(3 + i));
  }
  for (int i = 3; i < 6; ++i) {
    EXPECT_EQ(*queue.Front(), i);
    queue.Pop();
  }
  EXPECT_TRUE(queue.empty());
}

TEST(SpscQueue, LosesAndTearsNothingBetweenThreads) {
  constexpr int kRows = 50000;
  SpscQueue<std::vector<int>> queue(64, std::vector<int>(8));
  std::thread producer([&queue] {
    for (int k = 0; k < kRows;) {
      std::vector<int>* slot = queue.BeginPush();
      if (slot == nullptr) {
        std::this_thread::yield();
        continue;
      }
      slot->assign(8, k++);
      queue.EndPush();
    }
  });
  int expected = 0, torn = 0;
  while (expected < kRows) {
    std::vector<int>* row = queue.Front();
    if (row == nullptr) {
      std::this_thread::yield();
      continue;
    }
    for (const int x : *row) torn += x == expected ? 0 : 1;
    queue.Pop();
    ++expected;
  }
  producer.join();
  EXPECT_EQ(torn, 0);
  EXPECT_TRUE(queue.empty());
}

TEST(TripleBuffer, GivesTheNewestWholeValueOnce) {
  TripleBuffer<int> buffer(0);
  EXPECT_FALSE(buffer.Fetch());
  buffer.back() = 1;
  buffer.Publish();
  buffer.back() = 2;
  buffer.Publish();
  EXPECT_TRUE(buffer.Fetch());
  EXPECT_EQ(buffer.front(), 2);
  EXPECT_FALSE(buffer.Fetch());
  EXPECT_EQ(buffer.front(), 2);
}

TEST(TripleBuffer, NeverTearsNorGoesBack) {
  constexpr int kLast = 200000;
  TripleBuffer<std::vector<int>> buffer(std::vector<int>(16, 0));
  std::thread writer([&buffer] {
    for (int k = 1; k <= kLast; ++k) {
      buffer.back().assign(16, k);
      buffer.Publish();
    }
  });
  int newest = 0, torn = 0, backwards = 0;
  while (newest < kLast) {
    if (!buffer.Fetch()) continue;
    const std::vector<int>& value = buffer.front();
    for (const int x : value) torn += x == value[0] ? 0 : 1;
    backwards += value[0] > newest ? 0 : 1;
    newest = value[0];
  }
  writer.join();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(backwards, 0);
}

}  // namespace thread_exchange_test
}  // namespace civita
