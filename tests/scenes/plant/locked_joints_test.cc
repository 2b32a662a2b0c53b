#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "civita/scenes/plant/model_file.h"
#include "civita/scenes/plant/soft_friction.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace locked_joints_test {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// A turret of 40 kg whose slide and turn are damped by these, with a boom of 5 kg.
std::string Crane(const std::string& of_slide, const std::string& of_turn,
                  const std::string& rest = "") {
  return R"(<mujoco><worldbody><body name="turret" pos="0 0 1">
      <joint name="slide" type="slide" axis="0 0 1" damping=")" +
         of_slide + R"("/><joint name="turn" axis="0 0 1" damping=")" + of_turn + R"("/>
      <geom type="box" size=".2 .2 .1" mass="40"/>
      <body pos=".2 0 0"><joint name="boom" axis="0 1 0" damping="5"/>
        <geom type="capsule" fromto="0 0 0 .6 0 0" size=".04" mass="5"/></body></body></worldbody>)" +
         rest + "</mujoco>";
}

struct Loaded {
  MjModelPtr m;
  std::vector<std::string> notices;
};

Loaded Load(const std::string& mjcf, bool simulated = true) {
  const TemporaryFolder folder;
  Loaded loaded;
  ModelReading reading;
  reading.simulated = simulated;
  loaded.m = LoadModelFile(folder.Write("crane.xml", mjcf), reading, &loaded.notices);
  return loaded;
}

bool HasJoint(const Loaded& loaded, const char* name) {
  return mj_name2id(loaded.m.get(), mjOBJ_JOINT, name) >= 0;
}

TEST(LockedJoints, AreFixedAndNamed) {
  const Loaded crane = Load(Crane("3e9", "5e6"));
  EXPECT_EQ(crane.m->nv, 1);
  EXPECT_TRUE(HasJoint(crane, "boom"));
  EXPECT_THAT(crane.notices, Contains(HasSubstr("are taken as fixed: slide, turn")));
  EXPECT_EQ(Load(Crane("3e9", "5e6"), false).m->nv, 3) << "H, C and g are of the file's joints";
}

TEST(LockedJoints, ForcesDecide) {
  // The weight of 45 kg moves it by 4 mm/s.
  EXPECT_EQ(Load(Crane("1e5", "1")).m->nv, 3);
  EXPECT_EQ(Load(Crane("1e6", "1")).m->nv, 2);
  EXPECT_EQ(Load(Crane("0", "1e5")).m->nv, 3) << "the weight on the lever of the model's size";
  EXPECT_EQ(Load(Crane("0", "1e7")).m->nv, 2);
}

TEST(LockedJoints, TheirSensorsGo) {
  const Loaded crane = Load(
      Crane("1e9", "1", R"(<sensor><jointpos joint="slide"/><jointvel joint="boom"/></sensor>)"));
  EXPECT_EQ(crane.m->nv, 2);
  EXPECT_EQ(crane.m->nsensor, 1);
}

TEST(LockedJoints, StayWhereSomethingElseMovesThem) {
  for (
      const char* rest :
      {R"(<keyframe><key name="home" qpos="0.5 0 0"/></keyframe>)",
       R"(<equality><joint joint1="slide" joint2="boom"/></equality>)",
       R"(<tendon><fixed><joint joint="slide" coef="1"/><joint joint="boom" coef="1"/></fixed></tendon>)",
       R"(<actuator><motor joint="slide"/></actuator>)"}) {
    SCOPED_TRACE(rest);
    const Loaded crane = Load(Crane("1e9", "1", rest));
    EXPECT_TRUE(HasJoint(crane, "slide"));
    EXPECT_THAT(crane.notices,
                Contains(HasSubstr("damping locks these joints, which are simulated")));
  }
  const Loaded keyed =
      Load(Crane("1e9", "1", R"(<keyframe><key name="home" qpos="0 0.5 0.1"/></keyframe>)"));
  EXPECT_FALSE(HasJoint(keyed, "slide"));
  EXPECT_EQ(keyed.m->key_qpos[0], 0.5) << "the turn's";
  EXPECT_THAT(Load(Crane("1e3", "1e3")).notices, Not(Contains(HasSubstr("damping"))));
}

}  // namespace locked_joints_test
}  // namespace civita
