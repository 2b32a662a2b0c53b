// Several threads load models at the same time, as survive's workers and the window's loader do.

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <string>
#include <thread>
#include <vector>

#include "civita/scenes/plant/model_file.h"
#include "tests/scenes/scene_fixture.h"

namespace civita {
namespace concurrent_load_test {

TEST_F(SceneTest, LoadsOnSeveralThreadsLeaveMujocosLogAsItWas) {
  const std::string file = folder_.Write("m.xml", Arm());
  const mjLogConfig before = mju_getLogConfig();
  ASSERT_TRUE(before.logto_console) << "what a load switches off meanwhile";
  for (int round = 0; round < 20; ++round) {
    std::vector<std::jthread> loaders;
    for (int i = 0; i < 4; ++i) {
      loaders.emplace_back([&file] {
        for (int k = 0; k < 10; ++k) {
          std::vector<std::string> notices;
          EXPECT_NE(LoadModelFile(file, {}, &notices), nullptr);
        }
      });
    }
    loaders.clear();
    const mjLogConfig after = mju_getLogConfig();
    ASSERT_EQ(after.logto_console, before.logto_console) << "round " << round;
    ASSERT_EQ(after.logto_file, before.logto_file) << "round " << round;
  }
}

}  // namespace concurrent_load_test
}  // namespace civita
