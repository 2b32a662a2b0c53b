#include <mujoco/mujoco.h>

#include <filesystem>
#include <string>

#include "civita/build_info.h"
#include "gtest/gtest.h"

namespace civita {
namespace build_test {

TEST(BuildTest, MujocoIsTheVersionThatTheBuildAsksFor) {
  EXPECT_EQ(mj_version(), mjVERSION_HEADER);
  EXPECT_EQ(mj_versionString(), std::string(kMujocoVersion));
}

TEST(BuildTest, SourceDirHoldsTheSources) {
  EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(kSourceDir) / "core"));
}

}  // namespace build_test
}  // namespace civita
