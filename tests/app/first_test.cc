// The program that scripts/run opens first beside civita.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/program.h"
#include "tests/app/eval_shell.h"

namespace civita {
namespace first_test {

using testing::HasSubstr;

TEST(First, RunsAndComparesAsCivitaDoes) {
  // Beyond the tenth line there are times of this machine.
  const Shell shell;
  for (const std::string words :
       {"run planar_2r --headless --duration 0.02",
        "compare planar_2r --vary factorization=christoffel,t:1 --set duration_s=0.02"}) {
    SCOPED_TRACE(words);
    const ShellResult whole = shell.Run("civita " + words + " >all && head all");
    const ShellResult first =
        shell.Run("'" CIVITA_PROGRAM "_first' " + words + " >all && head all");
    EXPECT_EQ(first.code, kExitDone) << first.err;
    EXPECT_THAT(first.out, HasSubstr("tracking error, RMS"));
    EXPECT_EQ(first.out, whole.out);
  }
}

TEST(First, LeavesOtherVerbsToCivita) {
  const ShellResult result = Shell().Run("'" CIVITA_PROGRAM "_first' bench");
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, HasSubstr("unknown command 'bench'; valid: run, compare"));
}

}  // namespace first_test
}  // namespace civita
