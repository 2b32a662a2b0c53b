#include "civita/scenes/plant/inertia_boxes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "civita/scenes/plant/model_file.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace inertia_boxes_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// A brick of 6 kg with edges 0.2, 0.4 and 0.6 m.
constexpr const char* kBrick = R"(<inertial pos="0.1 0 0.3" mass="6" diaginertia="0.26 0.2 0.1"/>)";
constexpr const char* kTold = "bodies without shapes are drawn as boxes of their inertia: ";

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

TEST(InertiaBoxes, ARobotWithoutShapesIsSeen) {
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
  EXPECT_EQ(read.m->geom_pos[3], 0.1);
  EXPECT_EQ(read.m->geom_contype[1] | read.m->geom_conaffinity[1], 0);
  EXPECT_EQ(read.m->body_mass[1], 6);
  EXPECT_EQ(read.m->dof_invweight0[0], plain.m->dof_invweight0[0]);
  EXPECT_EQ(plain.m->ngeom, 1);  // eval draws nothing
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

TEST(InertiaBoxes, LinksOfCollada) {
  const Read all("m.urdf", Urdf(""));
  EXPECT_THAT(all.notices, Contains(HasSubstr("the first is package://r/arm.dae")));
  EXPECT_THAT(all.notices, Contains(std::string(kTold) + "arm, hand"));
  EXPECT_EQ(all.m->ngeom, 2);
  // The hand has a shape that is read.
  const Read one("m.urdf", Urdf("<visual><geometry><sphere radius='0.1'/></geometry></visual>"));
  EXPECT_THAT(one.notices, Contains(std::string(kTold) + "arm"));
  EXPECT_EQ(one.m->ngeom, 2);
}

}  // namespace inertia_boxes_test
}  // namespace civita
