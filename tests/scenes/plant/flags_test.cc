// Flags of a model that disable forces, and notices of forces that only the simulated robot has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "tests/scenes/scene_fixture.h"

namespace civita {
namespace flags_test {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class Flags : public SceneTest {
 protected:
  /// Two hinges, a slide and a rope; `flags` of the option, `more` elements.
  std::unique_ptr<Scene> LoadArm(const std::string& flags, const std::string& more,
                                 const std::vector<std::string>& sets = {}) {
    return Load("<mujoco><option><flag " + flags + R"(/></option><worldbody>
      <body pos="0 0 1"><joint name="upper" axis="0 1 0" limited="true" range="0 60"/>
        <geom size=".05" pos=".2 0 0"/><body pos=".4 0 0"><joint name="fore" axis="0 1 0"/>
        <geom size=".05" pos=".2 0 0"/><site name="hand" pos=".4 0 0"/></body></body>
      <body pos="0 1 0"><joint name="cart" type="slide" axis="1 0 0"/><geom size=".05"/></body>
      <site name="hook" pos=".8 0 1"/></worldbody>)" +
                    more + "</mujoco>",
                sets);
  }
  static long Count(const std::vector<std::string>& notices, const std::string& text) {
    return std::ranges::count_if(
        notices, [&](const std::string& notice) { return notice.find(text) != std::string::npos; });
  }
};

TEST_F(Flags, EqualitiesThatAreDisabledCloseNoLoop) {
  const std::string pin = "<equality><connect name='pin' site1='hand' site2='hook'/></equality>";
  const std::string gear =
      "<equality><joint name='gear' joint1='fore' joint2='upper' polycoef='0 2 0 0 0'/></equality>";
  EXPECT_NE(LoadArm("", gear)->closed, nullptr);
  EXPECT_EQ(LoadArm("", gear)->couplings.size(), 1u);
  for (const char* flag : {"equality='disable'", "constraint='disable'"}) {
    for (const std::string& equality : {pin, gear}) {
      const auto scene = LoadArm(flag, equality);
      EXPECT_EQ(scene->closed, nullptr);
      EXPECT_TRUE(scene->couplings.empty());
      EXPECT_EQ(Count(scene->notices, "law does not know"), 0);
      EXPECT_EQ(Count(scene->notices, "controller does not know"), 0);
    }
  }
}

TEST_F(Flags, LimitsThatAreDisabledMoveNoStart) {
  constexpr const char* kMoved = "the start is moved inside the joint limits";
  EXPECT_EQ(Count(LoadArm("", "")->notices, kMoved), 1);
  for (const char* flag : {"limit='disable'", "constraint='disable'"}) {
    const auto scene = LoadArm(flag, "");
    EXPECT_EQ(Count(scene->notices, kMoved), 0);
    EXPECT_EQ(scene->q_start[0], scene->mj->qpos0[0]);
  }
}

TEST_F(Flags, FrictionThatIsDisabledDoesNotStandAgainstExactLoops) {
  const std::string gear =
      "<tendon><fixed frictionloss='2'><joint joint='cart' coef='1'/></fixed></tendon>"
      "<equality><joint joint1='fore' joint2='upper' polycoef='0 2 0 0 0'/></equality>";
  const std::vector<std::string> exact = {"plant.loops=exact"};
  EXPECT_THROW(LoadArm("", gear, exact), UserError);
  EXPECT_NE(LoadArm("frictionloss='disable'", gear, exact)->closed, nullptr);
}

TEST_F(Flags, AnEqualityOfTendonsIsToldOnce) {
  const std::string belt =
      "<tendon><fixed name='a'><joint joint='upper' coef='1'/><joint joint='fore' "
      "coef='1'/></fixed>"
      "<fixed name='b'><joint joint='cart' coef='1'/></fixed></tendon>"
      "<equality><tendon name='belt' tendon1='a' tendon2='b'/></equality>";
  const auto scene = LoadArm("", belt);
  EXPECT_EQ(Count(scene->notices, "not know"), 1);
  EXPECT_EQ(Count(scene->notices, "belt"), 1);
  EXPECT_EQ(Count(LoadArm("equality='disable'", belt)->notices, "not know"), 0);
}

TEST_F(Flags, ForcesOfTheSimulatedRobotAloneAreTold) {
  const auto rope = [](const std::string& force) {
    return "<tendon><spatial name='rope' " + force +
           "><site site='hand'/><site site='hook'/></spatial></tendon>";
  };
  EXPECT_THAT(LoadArm("", rope("stiffness='5'"))->notices,
              Contains("springs of spatial tendons rope: they act on the robot, but the law does "
                       "not know of them"));
  EXPECT_THAT(LoadArm("spring='disable'", rope("stiffness='5'"))->notices,
              Not(Contains(HasSubstr("rope"))));
}

}  // namespace flags_test
}  // namespace civita
