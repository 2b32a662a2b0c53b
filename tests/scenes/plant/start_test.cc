#include "civita/scenes/plant/start.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "civita/scenes/scene.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace start_test {

using testing::ElementsAre;

std::string Arm(const std::string& keyframe) {
  return R"(<mujoco><compiler angle="radian" autolimits="true"/>
    <option timestep=".001"/><worldbody>
    <body name="a"><joint name="one" axis="0 1 0" range="0 2"/><geom size=".1"/>
    <body name="b" pos="0 0 .3"><joint name="two" axis="0 1 0" range="-1 1"/><geom size=".1"/>
    <body name="c" pos="0 0 .3"><joint name="three" axis="0 1 0" range="-1 1"/><geom size=".1"/>
    </body></body></body></worldbody>)" +
         keyframe + "</mujoco>";
}

TEST(Start, AKeyframeIsKept) {
  const TemporaryFolder folder;
  const auto scene = LoadScene(ReadConfig(folder.Write(
      "m.xml", Arm(R"(<keyframe><key name="home" qpos="0.1 -1.1 0.5"/></keyframe>)"))));
  EXPECT_EQ(scene->q_start, Eigen::Vector3d(0.1, -1.1, 0.5));
  EXPECT_THAT(
      scene->notices,
      ElementsAre("the keyframe home is nearer to joint limits than a tenth of the range: one",
                  "the keyframe home is beyond joint limits: two",
                  "the reference goes beyond joint limits: two by 0.1 rad at 0 s"));
}

TEST(Start, WithoutAKeyframeItIsInsideTheLimits) {
  const TemporaryFolder folder;
  const auto scene = LoadScene(ReadConfig(folder.Write("m.xml", Arm(""))));
  EXPECT_EQ(scene->q_start, Eigen::Vector3d(0.2, 0, 0));
  EXPECT_THAT(scene->notices, ElementsAre("the start is moved inside the joint limits by a tenth "
                                          "of the range: one"));
}

}  // namespace start_test
}  // namespace civita
