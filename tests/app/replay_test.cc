#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/app/child_program.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace replay_app_test {

using testing::HasSubstr;

ChildResult Execute(const std::vector<std::string>& arguments) {
  return ChildProgram(arguments).Wait();
}

class ReplayVerb : public testing::Test {
 protected:
  void SetUp() override {
    const ChildResult run = Execute({"run", "arm7", "--headless", "--duration", "0.05", "--set",
                                     "noise.joint_position=1e-4", "--out", directory()});
    ASSERT_EQ(run.code, 0) << run.err;
  }
  std::string directory() const { return (folder_.path() / "run").string(); }

  TemporaryFolder folder_;
};

TEST_F(ReplayVerb, RepeatsARunBitForBit) {
  const ChildResult result = Execute({"replay", directory(), "--headless"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("51 rows, 0 to 0.05 s"));
  EXPECT_THAT(result.out, HasSubstr("repeated bit for bit"));
}

TEST_F(ReplayVerb, TellsWhereARunDiffers) {
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
  const ChildResult result = Execute({"replay", directory(), "--headless"});
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_THAT(result.out, HasSubstr("the same bits up to row"));
  EXPECT_THAT(result.err, HasSubstr("the run is not repeated"));
}

TEST_F(ReplayVerb, RefusesWhatIsNoRun) {
  const ChildResult result = Execute({"replay", folder_.path().string(), "--headless"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("is no run folder"));
}

}  // namespace replay_app_test
}  // namespace civita
