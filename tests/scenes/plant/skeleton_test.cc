#include "civita/scenes/plant/skeleton.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "civita/scenes/plant/model_file.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace skeleton_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// A brick of 6 kg with edges 0.2, 0.4 and 0.6 m.
constexpr const char* kBrick = R"(<inertial pos="0 0 0" mass="6" diaginertia="0.26 0.2 0.1"/>)";
constexpr const char* kTold = "bodies without shapes are drawn as bones between their joints: ";

struct Read {
  MjModelPtr m;
  std::vector<std::string> notices;

  Read(const std::string& name, const std::string& text, bool simulated = true) {
    const TemporaryFolder folder;
    ModelReading reading;
    reading.simulated = simulated;
    m = LoadModelFile(folder.Write(name, text), reading, &notices);
  }
};

TEST(Skeleton, ABodyWithoutBonesIsABoxOfItsInertia) {
  const std::string text = std::string("<mujoco><worldbody><geom type='plane' size='1 1 1'/>") +
                           "<body name='arm' pos='0 0 1'><joint/>" + kBrick + "</body>" +
                           "<body name='post'><inertial pos='0 0 0' mass='1' "
                           "diaginertia='1 1 1'/></body></worldbody></mujoco>";
  const Read read("m.xml", text), plain("m.xml", text, false);
  EXPECT_THAT(read.notices, ElementsAre(std::string(kTold) + "arm"));
  ASSERT_EQ(read.m->ngeom, 2);
  EXPECT_EQ(read.m->geom_type[1], mjGEOM_BOX);
  EXPECT_NEAR(read.m->geom_size[3], 0.1, 1e-12);
  EXPECT_NEAR(read.m->geom_size[4], 0.2, 1e-12);
  EXPECT_NEAR(read.m->geom_size[5], 0.3, 1e-12);
  EXPECT_EQ(read.m->geom_contype[1] | read.m->geom_conaffinity[1], 0);
  EXPECT_EQ(read.m->body_mass[1], 6);
  EXPECT_EQ(read.m->dof_invweight0[0], plain.m->dof_invweight0[0]);
  EXPECT_EQ(plain.m->ngeom, 1);  // eval draws nothing
}

// The upper arm turns 0.1 m above its frame and ends where the forearm turns; the forearm's centre
// of mass is 0.2 m from there; the post carries nothing and does not move.
TEST(Skeleton, BonesLeadFromJointToJointAndThroughTheLastCentreOfMass) {
  const Read read("m.xml", R"(<mujoco><worldbody><body name="upper" pos="0 0 1">
    <joint axis="0 1 0" pos="0 0 0.1"/><inertial pos="0 0 0.3" mass="2" diaginertia=".1 .1 .01"/>
    <body name="fore" pos="0 0 0.5" quat="0.70710678118 0 0.70710678118 0">
    <joint axis="0 1 0" pos="0 0 0.1"/><inertial pos="0 0 0.3" mass="1" diaginertia=".1 .1 .01"/>
    </body></body></worldbody></mujoco>)");
  EXPECT_THAT(read.notices, Contains(std::string(kTold) + "upper, fore"));
  const mjModel& m = *read.m;
  ASSERT_EQ(m.ngeom, 4);
  const auto expect_bone = [&](int geom, std::vector<double> middle, double half) {
    EXPECT_EQ(m.geom_type[geom], mjGEOM_CAPSULE);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(m.geom_pos[3 * geom + i], middle[static_cast<std::size_t>(i)], 1e-9) << i;
    }
    EXPECT_NEAR(m.geom_size[3 * geom + 1], half, 1e-9);
    EXPECT_EQ(m.geom_contype[geom] | m.geom_conaffinity[geom], 0);
    EXPECT_EQ(m.geom_type[geom + 1], mjGEOM_SPHERE);
    EXPECT_NEAR(m.geom_pos[3 * geom + 5], 0.1, 1e-9) << "where the body turns";
  };
  // To the forearm's joint, at (0.1, 0, 0.5).
  expect_bone(0, {0.05, 0, 0.3}, 0.5 * std::hypot(0.1, 0.4));
  expect_bone(2, {0, 0, 0.3}, 0.2);
  EXPECT_EQ(m.body_mass[1], 2);
  EXPECT_EQ(m.body_inertia[3], 0.1);
}

constexpr const char* kUrdf = R"(<robot name="r"><link name="base"/>
  <joint name="a" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
  <joint name="b" type="continuous"><parent link="arm"/><child link="hand"/><axis xyz="0 1 0"/></joint>
  <link name="arm">INERTIAL<visual><geometry><mesh filename="package://r/arm.dae"/></geometry></visual></link>
  <link name="hand">INERTIALHAND</link></robot>)";
constexpr const char* kInertial = R"(<inertial><mass value="2"/>
  <inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial>)";

std::string Urdf(const std::string& of_hand) {
  std::string text = kUrdf;
  for (size_t at = text.find("INERTIAL"); at != text.npos; at = text.find("INERTIAL", at)) {
    text.replace(at, 8, kInertial);
  }
  return text.replace(text.find("HAND"), 4, of_hand);
}

TEST(Skeleton, LinksOfCollada) {
  const Read all("m.urdf", Urdf(""));
  EXPECT_THAT(all.notices, Contains(HasSubstr("the first is package://r/arm.dae")));
  EXPECT_THAT(all.notices, Contains(std::string(kTold) + "arm, hand"));
  EXPECT_EQ(all.m->ngeom, 2);
  // The hand has a shape that is read.
  const Read one("m.urdf", Urdf("<visual><geometry><sphere radius='0.1'/></geometry></visual>"));
  EXPECT_THAT(one.notices, Contains(std::string(kTold) + "arm"));
  EXPECT_EQ(one.m->ngeom, 2);
}

}  // namespace skeleton_test
}  // namespace civita
