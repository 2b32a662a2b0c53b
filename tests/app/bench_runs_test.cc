// `civita bench --runs`: the parts of a headless run, and the physics alone.

#include "app/verbs/bench/bench_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/interrupt.h"
#include "app/program.h"
#include "civita/study/open_scene.h"
#include "tests/app/child_program.h"

namespace civita {
namespace bench_runs_test {

using nlohmann::json;
using testing::HasSubstr;

RunTimes TimeShortRun(const char* scene, std::vector<std::string> overrides = {}) {
  const InterruptGuard guard;  // an earlier test's signal interrupts nothing
  return TimeRun(OpenScene({.scene = scene, .overrides = std::move(overrides), .duration_s = 0.3}),
                 0);
}

TEST(BenchRuns, HaveTheirPartsAndThePhysicsAlone) {
  for (const char* scene : {"arm7", "quadruped", "four_bar"}) {
    SCOPED_TRACE(scene);
    const RunTimes run = TimeShortRun(scene);
    EXPECT_EQ(run.scene, scene);
    EXPECT_EQ(run.steps, 301);
    EXPECT_EQ(run.difference, 0);  // the torques alone repeat the motion, to the bit
    EXPECT_TRUE(std::isfinite(run.factor()));
    EXPECT_GT(run.factor(), 1);  // it contains the physics
    double sum = 0;
    for (std::size_t i = 0; i < kRunParts.size(); ++i) {
      SCOPED_TRACE(std::string(kRunParts[i]));
      EXPECT_GE(run.shares[i], 0);
      EXPECT_LE(run.shares[i], 1);
      const bool has_none = kRunParts[i] == "QP" && std::string_view(scene) != "quadruped";
      EXPECT_EQ(run.shares[i] == 0, has_none);
      sum += run.shares[i];
    }
    EXPECT_NEAR(sum, 1, 1e-9);
  }
}

TEST(BenchRuns, HaveNoPhysicsAloneWhereMoreMovesThePlant) {
  for (const char* more : {"control.mode=every_stage", "throw.at_s=0.1"}) {
    SCOPED_TRACE(more);
    const RunTimes run = TimeShortRun("arm7", {more, "throw.size=1"});
    EXPECT_TRUE(std::isnan(run.factor()));
    EXPECT_TRUE(std::isnan(run.difference));
    EXPECT_GT(run.step_s, 0);
  }
}

TEST(BenchRuns, WriteTheirRecord) {
  ChildProgram program({"bench", "--runs", "arm7,chain20", "--duration", "0.05", "--seconds",
                        "0.001", "--json", "runs.json"});
  const ChildResult result = program.Wait();
  ASSERT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.out, HasSubstr("chain20"));
  const json record = json::parse(ReadAll(program.folder() / "runs.json"));
  EXPECT_TRUE(record["machine"].contains("cpu"));
  ASSERT_EQ(record["runs"].size(), 2u);
  for (const json& run : record["runs"]) {
    EXPECT_EQ(run["steps"], 51);
    EXPECT_EQ(run["difference"], 0);
    EXPECT_GT(run["factor"], 1);
    EXPECT_EQ(run["shares"].size(), kRunParts.size());
  }
  EXPECT_EQ(record["runs"][1]["scene"], "chain20");
  const std::vector<std::string> usual = RunScenes();
  EXPECT_EQ(usual.front(), "arm7");
  EXPECT_EQ(usual.back(), "four_bar");
}

}  // namespace bench_runs_test
}  // namespace civita
