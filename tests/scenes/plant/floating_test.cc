#include "civita/scenes/plant/floating.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "civita/scenes/scene.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace floating_test {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A crab on a free joint with one motor, and what else is given.
std::string Crab(const std::string& world, const std::string& rest = "",
                 const std::string& option = "") {
  return "<mujoco>" + option + "<worldbody>" + world + R"(
    <body name="shell" pos="0 0 0.3"><freejoint name="drift"/>
      <geom type="box" size="0.1 0.1 0.03" mass="2"/>
      <body name="claw" pos="0.1 0 0"><joint name="grip" axis="0 1 0"/>
        <geom type="capsule" size="0.01" fromto="0 0 0 0.1 0 -0.1" mass="0.1"/></body>
    </body></worldbody><actuator><motor joint="grip"/></actuator>)" +
         rest + "</mujoco>";
}

std::unique_ptr<Scene> Load(const std::string& mjcf, const std::vector<std::string>& overrides = {},
                            const std::string& name = "crab.xml") {
  const TemporaryFolder folder;
  return LoadScene(ReadConfig(folder.Write(name, mjcf), overrides));
}

constexpr const char* kFloor = R"(<geom type="plane" size="1 1 1"/>)";

TEST(FloatingBase, IsNamedAmongThePassiveJointsAndFallsFreely) {
  const std::unique_ptr<Scene> scene = Load(Crab(""));
  ASSERT_EQ(scene->free_parts.bases.size(), 1u);
  EXPECT_FALSE(scene->free_parts.bases[0].meets_floor);
  EXPECT_FALSE(scene->free_parts.bases[0].tied);
  EXPECT_THAT(scene->notices, Contains("joints that nothing drives stay passive: drift"));
  EXPECT_THAT(scene->notices,
              Contains(AllOf(HasSubstr("shell floats"), HasSubstr("falls freely"),
                             HasSubstr("no floor"), HasSubstr("controller.type=whole_body"),
                             HasSubstr("on its feet"), Not(HasSubstr("contacts are off")))));
}

TEST(FloatingBase, TheNoteSaysWhatIsMissing) {
  const auto notes = [](const std::string& mjcf, const std::vector<std::string>& overrides = {}) {
    return Load(mjcf, overrides)->notices;
  };
  EXPECT_THAT(notes(Crab(kFloor)), Contains(AllOf(HasSubstr("does not balance the robot"),
                                                  Not(HasSubstr("falls freely")))));
  EXPECT_THAT(notes(Crab(kFloor), {"physics.contacts=false"}),
              Contains(AllOf(HasSubstr("falls freely: contacts are off (physics.contacts=true)"),
                             Not(HasSubstr("no floor")))));
  EXPECT_THAT(notes(Crab(""), {"physics.contacts=false"}),
              Contains(HasSubstr("no floor that it can touch, and contacts are off")));
  EXPECT_THAT(notes(Crab(kFloor), {"control.mode=every_stage"}),
              Contains(HasSubstr("control.mode=every_stage has no contacts")));
  // A floor with which the robot does not collide is none.
  EXPECT_THAT(notes(Crab(R"(<geom type="plane" size="1 1 1" contype="2" conaffinity="2"/>)")),
              Contains(HasSubstr("no floor that it can touch")));
  // One that an explicit pair joins to it is one.
  EXPECT_THAT(notes(Crab(R"(<geom name="f" type="plane" size="1 1 1" contype="0" conaffinity="0"/>
      <body name="x" pos="0 0 1"><freejoint/><geom name="g" size="0.1"/>
        <body><joint name="k"/><geom size="0.05" pos="0.1 0 0"/></body></body>)",
                         R"(<actuator><motor joint="k"/></actuator>
      <contact><pair geom1="g" geom2="f"/></contact>)")),
              Contains(HasSubstr("x floats and no motor moves it")));
}

TEST(FloatingBase, WithoutGravityOrTiedItIsNotSaidToFall) {
  const auto falls = HasSubstr("floats");
  EXPECT_THAT(Load(Crab("", "", R"(<option gravity="0 0 0"/>)"))->notices, Not(Contains(falls)));
  EXPECT_THAT(Load(Crab("", "", R"(<option><flag gravity="disable"/></option>)"))->notices,
              Not(Contains(falls)));
  const std::unique_ptr<Scene> tied =
      Load(Crab("", R"(<equality><weld body1="shell"/></equality>)"));
  EXPECT_TRUE(tied->free_parts.bases.at(0).tied);
  EXPECT_THAT(tied->notices, Not(Contains(falls)));
}

TEST(FloatingBase, InThePlaneOnSlides) {
  const auto hopper = [](const std::string& slides, const std::string& motors = "") {
    return "<mujoco><worldbody><body name=\"torso\" pos=\"0 0 1\">" + slides + R"(
      <joint name="pitch" axis="0 1 0"/><geom size="0.1" mass="1"/>
      <body><joint name="hip" axis="0 1 0"/><geom size="0.05" pos="0.2 0 0" mass="0.2"/></body>
      </body></worldbody><actuator><motor joint="hip"/>)" +
           motors + "</actuator></mujoco>";
  };
  const std::string x = R"(<joint name="x" type="slide" axis="1 0 0"/>)";
  const std::string z = R"(<joint name="z" type="slide" axis="0 0 1"/>)";
  EXPECT_EQ(Load(hopper(x + z))->free_parts.bases.size(), 1u);
  EXPECT_THAT(Load(hopper(x + z))->notices, Contains(HasSubstr("torso floats and nothing holds")));
  EXPECT_THAT(Load(hopper(x))->free_parts.bases, IsEmpty()) << "a level slide does not sink";
  EXPECT_THAT(Load(hopper(x + z, R"(<motor joint="z"/>)"))->free_parts.bases, IsEmpty());
}

TEST(FloatingBase, AMotorOnTheFreeJointHoldsIt) {
  const std::unique_ptr<Scene> scene =
      Load(Crab("", R"(<actuator><motor joint="drift" gear="0 0 1 0 0 0"/></actuator>)"));
  EXPECT_THAT(scene->free_parts.bases, IsEmpty());
}

// Without actuators all joints are driven, but not those that let the robot float.
TEST(FloatingBase, NoMotorIsInventedForIt) {
  const std::string inertial =
      "<inertial><mass value='3'/><inertia ixx='.02' ixy='0' ixz='0' iyy='.03' iyz='0' izz='.04'/>"
      "</inertial>";
  const std::unique_ptr<Scene> urdf = Load(
      "<robot name='squid'><link name='sea'/><link name='mantle'>" + inertial +
          "</link><link name='arm'>" + inertial +
          "</link><joint name='swim' type='floating'><parent link='sea'/><child "
          "link='mantle'/></joint>"
          "<joint name='bend' type='continuous'><parent link='mantle'/><child link='arm'/></joint>"
          "</robot>",
      {}, "squid.urdf");
  std::string crab = Crab("");
  crab.erase(crab.find("<actuator>"), crab.find("</actuator>") + 11 - crab.find("<actuator>"));
  const std::unique_ptr<Scene> mjcf = Load(crab);
  for (const Scene* scene : {urdf.get(), mjcf.get()}) {
    for (int iv = 0; iv < 6; ++iv) EXPECT_TRUE(scene->actuation.is_passive(iv));
    EXPECT_FALSE(scene->actuation.is_passive(6));
    EXPECT_EQ(scene->free_parts.bases.size(), 1u);
    EXPECT_THAT(scene->notices, Contains(HasSubstr("floats and nothing holds it")));
  }
  EXPECT_THAT(urdf->notices, Contains("joints that nothing drives stay passive: swim"));
  // A satellite has thrusters.
  std::string satellite = crab;
  satellite.replace(0, 8, "<mujoco><option gravity=\"0 0 0\"/>");
  EXPECT_FALSE(Load(satellite)->actuation.is_passive(0));
  // Where there is nothing else to drive, a wrench on the body does, and is told.
  const std::unique_ptr<Scene> alone = Load(R"(<mujoco><worldbody>
    <body pos="0 0 1"><freejoint name="drift"/><geom size="0.05" mass="1"/></body></worldbody></mujoco>)");
  EXPECT_FALSE(alone->actuation.is_passive(2));
  EXPECT_THAT(alone->notices,
              Contains(HasSubstr("forces and moments on 1 are taken as its drives")));
}

TEST(LooseObjects, AreTreesThatNoMotorMovesAndNothingTiesToOne) {
  const char* props = R"(
    <body name="ball" pos="1 0 1"><freejoint/><geom size="0.05" mass="1"/></body>
    <body name="door" pos="2 0 1"><joint axis="0 0 1"/><geom size="0.05" pos="0.2 0 0" mass="1"/></body>
    <body name="rod" pos="3 0 1"><joint name="turn" axis="0 0 1"/>
      <geom size="0.05" pos="0.2 0 0" mass="1"/></body>)";
  const char* tie = R"(<equality><joint joint1="turn" joint2="grip"/></equality>)";
  const std::unique_ptr<Scene> scene = Load(Crab(props, tie));
  EXPECT_THAT(scene->free_parts.objects, ElementsAre("ball", "door"));
  EXPECT_EQ(scene->free_parts.loose.size(), 2u);
  EXPECT_THAT(scene->notices, Contains("objects that no motor moves are no part of the errors: "
                                       "ball, door"));
  EXPECT_EQ(scene->free_parts.bases.size(), 1u) << "the ball is no robot";
  const char* tendon = R"(<tendon><fixed name="t"><joint joint="turn" coef="1"/>
    <joint joint="grip" coef="1"/></fixed></tendon>)";
  EXPECT_THAT(Load(Crab(props, tendon))->free_parts.objects, ElementsAre("ball", "door"));
}

TEST(LooseObjects, WhereNothingIsDrivenAllIsRobot) {
  const std::unique_ptr<Scene> scene = Load(R"(<mujoco><worldbody>
    <body name="jelly" pos="0 0 1"><freejoint/><geom size="0.05" mass="1"/><site name="s"/></body>
    </worldbody><actuator><general site="s" gear="0 0 1 0 0 0"/></actuator></mujoco>)");
  EXPECT_THAT(scene->free_parts.objects, IsEmpty());
  EXPECT_EQ(scene->free_parts.bases.size(), 1u);
  EXPECT_THAT(scene->notices, Contains(HasSubstr("jelly floats and nothing holds it")));
}

}  // namespace floating_test
}  // namespace civita
