#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "app/program.h"
#include "app/verbs/run/run_table.h"
#include "tests/app/child_program.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace large_model_test {

using testing::HasSubstr;
using testing::Not;

/// MuJoCo integrates for minutes to find the lengths of the muscles.
std::string SlowModel() {
  std::string muscles;
  for (int i = 0; i < 60; ++i) muscles += "<muscle joint='hip'/>";
  return "<mujoco><compiler><lengthrange inttotal='9999'/></compiler><worldbody><body>"
         "<joint name='hip' axis='0 1 0'/><geom size='.1' pos='.2 0 0'/></body></worldbody>"
         "<actuator>" +
         muscles + "</actuator></mujoco>";
}

/// A chain of hinges.
std::string Chain(int count) {
  std::string urdf = "<robot name='chain'><link name='l0'/>";
  for (int i = 1; i <= count; ++i) {
    const std::string link = "l" + std::to_string(i), before = "l" + std::to_string(i - 1);
    urdf += "<link name='" + link +
            "'><inertial><origin xyz='.05 0 0'/><mass value='.1'/><inertia ixx='1e-3' ixy='0' "
            "ixz='0' iyy='1e-3' iyz='0' izz='1e-3'/></inertial></link><joint name='j" +
            std::to_string(i) + "' type='continuous'><parent link='" + before + "'/><child link='" +
            link + "'/><origin xyz='.1 0 0'/><axis xyz='0 1 0'/></joint>";
  }
  return urdf + "</robot>";
}

/// Waits until the program has written this to standard error.
bool Says(const ChildProgram& program, const std::string& text) {
  for (int tries = 0; tries < 60000; ++tries) {
    if (ReadAll(program.folder() / "err.txt").find(text) != std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(LargeModel, ALongCompileSaysSoAndEndsAtOnce) {
  const TemporaryFolder folder;
  const std::string file = folder.Write("muscles.xml", SlowModel());
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"eval", file, "--quantities", "g"},
        std::vector<std::string>{"run", file, "--headless", "--out", "out"},
        std::vector<std::string>{"compare", file, "--vary", "gains.K_D=1,2"}}) {
    ChildProgram program(words);
    ASSERT_TRUE(Says(program, "civita: note: MuJoCo is still compiling " + file)) << words[0];
    program.Interrupt();
    const ChildResult result = program.Wait();
    EXPECT_EQ(result.code, kExitInterrupted) << words[0];
    EXPECT_EQ(result.out, "");
    EXPECT_FALSE(std::filesystem::exists(program.folder() / "out" / "run.json"));
  }
}

TEST(LargeModel, ItsRunTellsItsSizeAndWhatItTakes) {
  const TemporaryFolder folder;
  // In steps so small that no machine is soon at its end.
  ChildProgram program({"run", folder.Write("chain.urdf", Chain(400)), "--headless", "--duration",
                        "3000", "--set", "physics.timestep_s=0.00005"});
  ASSERT_TRUE(Says(program, "civita: note: a large model: nv = 400 velocities of 400 bodies"));
  ASSERT_TRUE(Says(program, "the whole run will take about"));
  program.Interrupt();
  const ChildResult result = program.Wait();
  EXPECT_EQ(result.code, kExitInterrupted);
  EXPECT_THAT(result.out, HasSubstr("interrupted at t = "));
}

TEST(LargeModel, OtherVerbsTellItsSizeToo) {
  const TemporaryFolder folder;
  const std::string file = folder.Write("chain.urdf", Chain(200));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"compare", file, "--vary", "gains.K_D=1,2", "--duration", "0.01"},
        std::vector<std::string>{"survive", file, "--trials", "1"},
        std::vector<std::string>{"eval", file, "--quantities", "g"}}) {
    ChildProgram program(words);
    const ChildResult result = program.Wait();
    EXPECT_THAT(result.err, HasSubstr("note: a large model: nv = 200 velocities of 200 bodies"))
        << words[0];
  }
}

TEST(LargeModel, TheCostIsToldOnceAndOnlyOfSlowRuns) {
  RunCost slow(100);
  EXPECT_EQ(slow.Follow(0.001, 1), "");
  EXPECT_EQ(slow.Follow(0.02, 2.5), "the first 0.02 s took 2 s: the whole run will take about 3 h");
  EXPECT_EQ(slow.Follow(0.04, 5), "");
  EXPECT_EQ(RunCost(100).Follow(50, 3), "");
  EXPECT_EQ(RunCost(0.1).Follow(0.05, 3), "");
  EXPECT_EQ(RoughDuration(100), "100 s");
  EXPECT_EQ(RoughDuration(150), "2 min");
  EXPECT_EQ(RoughDuration(7300), "2 h");
  EXPECT_EQ(RoughDuration(1e6), "12 days");
}

}  // namespace large_model_test
}  // namespace civita
