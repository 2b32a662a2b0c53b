// The measurement of the window; its times are not asserted, since the machine may be busy.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/app/child_program.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace window_bench_test {

using Json = nlohmann::json;

TEST(WindowBench, MeasuresEachQuantity) {
  ChildProgram program({"window", "--scene", "planar_2r", "--seconds", "0.5", "--switches", "3",
                        "--json", "window.json"},
                       ChildProgram::Display::kInherit, CIVITA_PEERS_PROGRAM);
  const ChildResult result = program.Wait();
  ASSERT_EQ(result.code, 0) << result.err;
  const Json json = Json::parse(ReadAll(program.folder() / "window.json"));
  for (const char* key : {"ui_median_ms", "ui_p99_ms", "first_frame_s", "control_p99_us",
                          "headless_p99_us", "control_p99_ratio", "hidden_cpu_percent", "memory_mb",
                          "memory_growth_mb", "switches_growth_mb"}) {
    ASSERT_TRUE(json["quantities"][key].is_number()) << key;
    EXPECT_NE(result.out.find("work of a frame"), std::string::npos);
  }
  EXPECT_EQ(json["scene"], "planar_2r");
  const Json& quantities = json["quantities"];
  EXPECT_GT(quantities["ui_median_ms"], 0.01);
  EXPECT_LE(quantities["ui_median_ms"], quantities["ui_p99_ms"]);
  EXPECT_LT(quantities["hidden_cpu_percent"], 100) << "nothing is drawn";
  EXPECT_LT(quantities["switches_growth_mb"], 150);
}

TEST(WindowBench, EndsWithARunThatFails) {
  const TemporaryFolder folder;
  const std::string scene = folder.Write("wild.yaml", "base: chain20\ngains: {Lambda: 90000}\n");
  ChildProgram program({"window", "--scene", scene}, ChildProgram::Display::kInherit,
                       CIVITA_PEERS_PROGRAM);
  const ChildResult result = program.Wait();
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("civita: " + scene + ": its run fails, see civita run\n"),
            std::string::npos)
      << result.err;
}

TEST(WindowBench, HasNoModels) {
  ChildProgram program({"window", "--scaling"}, ChildProgram::Display::kNone, CIVITA_PEERS_PROGRAM);
  const ChildResult result = program.Wait();
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("--scaling"), std::string::npos) << result.err;
}

}  // namespace window_bench_test
}  // namespace civita
