#include "tests/alloc/malloc_counter.h"

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <Eigen/Core>
#include <memory>

namespace civita {
namespace malloc_counter_test {

// Shows that the counter counts; otherwise tests that expect no allocation could not fail.
TEST(MallocCounter, SeesNewEigenAndMujoco) {
  {
    const MallocCounter counter;
    const auto number = std::make_unique<double>(1);
    EXPECT_EQ(counter.count(), 1) << *number;
  }
  {
    const MallocCounter counter;
    const Eigen::VectorXd x = Eigen::VectorXd::Zero(10);
    EXPECT_EQ(counter.count(), 1) << x;
    EXPECT_EQ(counter.bytes(), 80);
  }
  {
    const MallocCounter counter;
    void* block = mju_malloc(100);
    EXPECT_GE(counter.count(), 1);
    mju_free(block);
  }
}

}  // namespace malloc_counter_test
}  // namespace civita
