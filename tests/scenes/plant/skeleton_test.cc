#include "civita/scenes/plant/skeleton.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
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

// Whether the bones at the model's first position are one piece.
bool AreJoined(const mjModel& m) {
  const std::unique_ptr<mjData, decltype(&mj_deleteData)> d(mj_makeData(&m), mj_deleteData);
  mj_kinematics(&m, d.get());
  std::vector<std::array<Eigen::Vector3d, 2>> apart;
  for (int geom = 0; geom < m.ngeom; ++geom) {
    if (m.geom_type[geom] != mjGEOM_CAPSULE) continue;
    const Eigen::Map<const Eigen::Vector3d> middle(d->geom_xpos + 3 * geom);
    const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> axes(d->geom_xmat +
                                                                              9 * geom);
    const Eigen::Vector3d half = m.geom_size[3 * geom + 1] * axes.col(2);
    apart.push_back({middle - half, middle + half});
  }
  if (apart.empty()) return false;
  std::vector<Eigen::Vector3d> reached = {apart[0][0]};
  for (std::size_t before = 0; before != reached.size();) {
    before = reached.size();
    std::erase_if(apart, [&](const auto& bone) {
      const bool touches = std::ranges::any_of(reached, [&](const Eigen::Vector3d& point) {
        return (point - bone[0]).norm() < 1e-9 || (point - bone[1]).norm() < 1e-9;
      });
      if (touches) reached.insert(reached.end(), bone.begin(), bone.end());
      return touches;
    });
  }
  return apart.empty();
}

// Between upper arm and forearm a flange that is fixed and weighs nothing, below them a shoulder
// that turns and weighs nothing, but carries its motor; at the end a frame of the tool.
TEST(Skeleton, BonesJoinThroughLinksWithoutMassAndFixedOnes) {
  const std::string mass = "<inertial pos='0 0 0.1' mass='1' diaginertia='.1 .1 .01'/>";
  const Read read("m.xml",
                  "<mujoco><worldbody><body name='shoulder' pos='0 0 1'>"
                  "<joint axis='0 0 1'/><body name='motor' pos='0 0.2 0'>" +
                      mass + "<body name='upper' pos='0 0 0.1'><joint axis='0 1 0'/>" + mass +
                      "<body name='flange' pos='0 0 0.4'><body name='fore' pos='0.3 0 0'>"
                      "<joint axis='0 1 0'/>" +
                      mass + "<body name='tool' pos='0 0 0.2'/>" +
                      "</body></body></body></body></body></worldbody></mujoco>");
  EXPECT_THAT(read.notices, Contains(std::string(kTold) + "motor, upper, fore"));
  const mjModel& m = *read.m;
  EXPECT_EQ(std::count(m.geom_type, m.geom_type + m.ngeom, mjGEOM_CAPSULE), 5);
  EXPECT_EQ(std::count(m.geom_type, m.geom_type + m.ngeom, mjGEOM_BOX), 0);
  EXPECT_TRUE(AreJoined(m));
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

// A link that lost its shape keeps the others' shapes; a frame at the hand is no part of the bones.
TEST(Skeleton, OnlyLinksBetweenBonesGetSome) {
  std::string text = Urdf("<visual><geometry><sphere radius='0.1'/></geometry></visual>");
  text.insert(text.find("<link name=\"arm\">"),
              "<link name='plate'/><joint name='p' type='fixed'><origin xyz='0 0 .3'/>"
              "<parent link='arm'/><child link='plate'/></joint>"
              "<link name='camera'/><joint name='c' type='fixed'><origin xyz='0 0 .1'/>"
              "<parent link='hand'/><child link='camera'/></joint>");
  const std::string from = "<joint name=\"b\" type=\"continuous\"><parent link=\"arm\"/>";
  ASSERT_NE(text.find(from), text.npos);
  text.replace(text.find(from), from.size(),
               "<joint name='b' type='continuous'><origin xyz='.2 0 0'/><parent link='plate'/>");
  const Read read("m.urdf", text);
  const mjModel& m = *read.m;
  EXPECT_EQ(std::count(m.geom_type, m.geom_type + m.ngeom, mjGEOM_CAPSULE), 2);
  EXPECT_TRUE(AreJoined(m));
}

}  // namespace skeleton_test
}  // namespace civita
