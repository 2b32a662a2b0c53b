#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/program.h"
#include "app/verbs/reproduce/reproduce.h"
#include "app/verbs/reproduce/reproduction.h"
#include "tests/app/child_program.h"

namespace civita {
namespace reproduce_motion_test {

/// Runs a reproduction and reads its files. @returns the JSON of its verdict.
nlohmann::json RunReproduction(void (*reproduce)(Reproduction*), const char* name,
                               const std::vector<std::string>& endings) {
  const TemporaryFolder folder;
  Reproduction reproduction(name, folder.path());
  reproduce(&reproduction);
  testing::internal::CaptureStdout();
  const int code = reproduction.Finish();
  EXPECT_EQ(code, kExitDone) << testing::internal::GetCapturedStdout();
  if (code == kExitDone) testing::internal::GetCapturedStdout();
  for (const std::string& ending : endings) {
    EXPECT_NE(ReadAll(folder.path() / (name + ending)), "") << ending;
  }
  return nlohmann::json::parse(ReadAll(folder.path() / (std::string(name) + ".json")));
}

TEST(ReproducePointMass, IsWithinTheTolerances) {
  const nlohmann::json json =
      RunReproduction(&ReproducePointMass, "pointmass",
                      {".svg", "_point_mass.csv", "_point_mass_5.csv", "_point_mass_10.csv"});
  EXPECT_EQ(json["comparisons"].size(), 26u);
}

TEST(ReproduceArm7, VIsAlikeAndTwistApart) {
  const nlohmann::json json = RunReproduction(&ReproduceArm7, "arm7", {".svg", ".csv"});
  EXPECT_GE(json["comparisons"].size(), 18u);
}

TEST(ReproducePayload, MassAndMomentAreFound) {
  const nlohmann::json json = RunReproduction(&ReproducePayload, "payload", {".svg", ".csv"});
  EXPECT_EQ(json["comparisons"].size(), 6u);
}

}  // namespace reproduce_motion_test
}  // namespace civita
