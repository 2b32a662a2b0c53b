#include "core/kernels/cpu_words.h"

#include "core/kernels/kernels.h"
#include "gtest/gtest.h"

namespace civita {
namespace cpu_words_test {

using kernels::CpuWords;
using kernels::HasAll;

// A virtual machine may mask any of them.
TEST(CpuWords, EveryInstructionThatTheCompilerMayUseIsAskedFor) {
  int masked = 0;
  for (size_t word = 0; word < 3; ++word) {
    for (int bit = 0; bit < 32; ++bit) {
      CpuWords cpu = {~0u, ~0u, ~0u};
      cpu[word] &= ~(1u << bit);
      const bool wanted = ((kernels::kX86V3[word] >> bit) & 1) != 0;
      EXPECT_EQ(HasAll(cpu, kernels::kX86V3), !wanted);
      if (wanted) {
        EXPECT_FALSE(HasAll(cpu, kernels::kX86V4));
      }
      masked += wanted ? 1 : 0;
    }
  }
  EXPECT_EQ(masked, 16);
  EXPECT_TRUE(HasAll(kernels::kX86V4, kernels::kX86V3));
  EXPECT_FALSE(HasAll(kernels::kX86V3, kernels::kX86V4));
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
// The compiler's own name for the whole of a set.
TEST(CpuWords, AreTheCompilersOwnSets) {
  __builtin_cpu_init();
  const std::size_t sets = kernels::AvailableKernels().size();  // one of them every machine has
  EXPECT_EQ(sets >= 2, __builtin_cpu_supports("x86-64-v3") != 0);
  EXPECT_EQ(sets >= 3, __builtin_cpu_supports("x86-64-v4") != 0);
}
#endif

}  // namespace cpu_words_test
}  // namespace civita
