#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/child_program.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace verify_test {

using testing::HasSubstr;

ChildResult Execute(const std::vector<std::string>& arguments) {
  return ChildProgram(arguments).Wait();
}

class VerifyVerb : public testing::Test {
 protected:
  void SetUp() override {
    const ChildResult run = Execute({"run", "arm7", "--headless", "--duration", "0.05", "--set",
                                     "noise.joint_position=1e-4", "--out", directory()});
    ASSERT_EQ(run.code, 0) << run.err;
  }
  std::string directory() const { return (folder_.path() / "run").string(); }

  TemporaryFolder folder_;
};

TEST_F(VerifyVerb, RepeatsARunBitForBit) {
  const ChildResult result = Execute({"verify", directory()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("51 rows, 0 to 0.05 s"));
  const nlohmann::json run = nlohmann::json::parse(ReadAll(directory() + "/run.json"));
  EXPECT_THAT(result.out,
              HasSubstr("repeated bit for bit, hash " + run["hash"].get<std::string>()));
}

TEST_F(VerifyVerb, TellsOfRowsThatTheRunDidNotWrite) {
  const std::string path = directory() + "/signals.csv";
  std::string text = ReadAll(path);
  text.erase(text.rfind('\n', text.size() - 2) + 1);
  std::ofstream(path) << text;
  const ChildResult result = Execute({"verify", directory()});
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_THAT(result.err, HasSubstr("signals.csv is not what the run wrote"));
  std::filesystem::remove(directory() + "/run.json");
  EXPECT_EQ(Execute({"verify", directory()}).code, 0) << "nothing is told of a killed run";
}

TEST_F(VerifyVerb, TellsWhereARunDiffers) {
  const std::filesystem::path path = std::filesystem::path(directory()) / "config.yaml";
  std::ifstream in(path);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  in.close();
  text += "\nseed: 7\n";
  if (const std::size_t at = text.find("seed: "); at + 9 < text.size()) {
    text.erase(text.rfind("\nseed: 7\n"));
    text.replace(at, text.find('\n', at) - at, "seed: 7");
  }
  std::ofstream(path) << text;
  const ChildResult result = Execute({"verify", directory()});
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_THAT(result.out, HasSubstr("the same bits up to row"));
  EXPECT_THAT(result.err, HasSubstr("the run is not repeated"));
}

TEST_F(VerifyVerb, RefusesWhatIsNoRun) {
  const ChildResult result = Execute({"verify", folder_.path().string()});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("is no run folder"));
}

}  // namespace verify_test
}  // namespace civita
