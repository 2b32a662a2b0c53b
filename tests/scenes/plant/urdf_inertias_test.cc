#include "civita/scenes/plant/urdf_inertias.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "civita/scenes/plant/model_file.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace urdf_inertias_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string Link(const std::string& name, double mass, double a, double b, double c,
                 const std::string& origin = "0 0 0", const std::string& more = "") {
  return "<link name='" + name + "'><inertial><origin xyz='" + origin + "'/><mass value='" +
         std::to_string(mass) + "'/><inertia ixx='" + std::to_string(a) + "' iyy='" +
         std::to_string(b) + "' izz='" + std::to_string(c) +
         "' ixy='0' ixz='0' iyz='0'/></inertial>" + more + "</link>\n";
}

std::string Joint(const std::string& name, const std::string& type, const std::string& parent,
                  const std::string& child, const std::string& axis,
                  const std::string& origin = "0 0 0.1") {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent +
         "'/><child link='" + child + "'/><origin xyz='" + origin + "'/><axis xyz='" + axis +
         "'/><limit lower='-1' upper='1' effort='5' velocity='2'/></joint>\n";
}

/// What is read from links and joints after a base.
struct Read {
  MjModelPtr m;
  std::vector<std::string> notices;

  explicit Read(const std::string& elements, bool simulated = true, bool contacts = false) {
    const TemporaryFolder folder;
    const std::string file =
        folder.Write("m.urdf", "<robot name='r'>\n<link name='base'/>\n" + elements + "</robot>\n");
    ModelReading reading;
    reading.physics.contacts = contacts;
    reading.simulated = simulated;
    m = LoadModelFile(file, reading, &notices);
  }
  int Body(const char* name) const { return mj_name2id(m.get(), mjOBJ_BODY, name); }
  double Mass(const char* name) const { return m->body_mass[Body(name)]; }
  Eigen::Vector3d Moments(const char* name) const {
    return Eigen::Map<const Eigen::Vector3d>(m->body_inertia + 3 * Body(name));
  }
};

constexpr const char* kPad = R"(<link name="pad"><collision><geometry><cylinder radius="0.3"
  length="0.4"/></geometry></collision></link>)";

TEST(UrdfInertias, ShapesWeighNothingAndFixedLinksStay) {
  const std::string robot = Link("arm", 3, 0.02, 0.02, 0.02, "0.1 0 0") + kPad +
                            Joint("swing", "revolute", "base", "arm", "0 1 0") +
                            Joint("glue", "fixed", "arm", "pad", "0 0 1", "0.2 0 0");
  for (const bool simulated : {true, false}) {
    const Read read(robot, simulated);
    EXPECT_THAT(read.notices, Not(Contains(HasSubstr("inertia"))));
    EXPECT_EQ(read.Mass("pad"), 0);
    EXPECT_EQ(read.Mass("arm"), 3);
    EXPECT_EQ(read.m->body_weldid[read.Body("pad")], read.Body("arm"));
    if (simulated) {
      EXPECT_EQ(read.m->body_subtreemass[read.Body("base")], 3);
    }
    EXPECT_EQ(read.m->ngeom, simulated ? 1 : 0);
  }
}

TEST(UrdfInertias, SettingsForMujocoDoNotCount) {
  const Read read(
      "<mujoco><compiler inertiafromgeom='true' boundmass='7' settotalmass='9'/></mujoco>" +
      Link("arm", 3, 0.02, 0.02, 0.02, "0.1 0 0") + kPad +
      Joint("swing", "revolute", "base", "arm", "0 1 0") +
      Joint("glue", "fixed", "arm", "pad", "0 0 1", "0.2 0 0"));
  EXPECT_THAT(read.notices, Contains("inertias are those of <inertial>; settings of the file for "
                                     "MuJoCo's own do not count: inertiafromgeom, boundmass, "
                                     "settotalmass"));
  EXPECT_EQ(read.Mass("arm"), 3);
  EXPECT_EQ(read.Mass("pad"), 0);
}

// Links that are fixed together, or joined, do not push each other apart.
TEST(UrdfInertias, FixedLinksDoNotTouchTheirParents) {
  const std::string box = "<collision><geometry><box size='0.2 0.2 0.2'/></geometry></collision>";
  const Read read(Link("arm", 3, 0.02, 0.02, 0.02, "0.1 0 0", box) +
                      Link("tip", 1, 0.01, 0.01, 0.01, "0 0 0", box) + kPad +
                      Joint("swing", "revolute", "base", "arm", "0 1 0") +
                      Joint("glue", "fixed", "arm", "pad", "0 0 1", "0.02 0 0") +
                      Joint("bend", "revolute", "pad", "tip", "0 1 0", "0.02 0 0"),
                  true, true);
  const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(read.m.get()));
  mj_forward(read.m.get(), d.get());
  EXPECT_EQ(d->ncon, 0);
}

// A carriage without mass on a massive one is no reason to change a number.
TEST(UrdfInertias, LinksWithoutMassBetweenOthersAreKept) {
  const std::string chain = "<link name='x'/><link name='y'/>" +
                            Link("plate", 2, 0.01, 0.01, 0.02, "0.05 0 0") +
                            Joint("along", "prismatic", "base", "x", "1 0 0") +
                            Joint("across", "prismatic", "x", "y", "0 1 0") +
                            Joint("turn", "continuous", "y", "plate", "0 0 1");
  for (const bool simulated : {true, false}) {
    const Read read(chain, simulated);
    EXPECT_THAT(read.notices, Not(Contains(HasSubstr("joint moves"))));
    EXPECT_EQ(read.Mass("x"), 0);
    EXPECT_EQ(read.Mass("y"), 0);
    if (simulated) {
      EXPECT_EQ(read.m->body_subtreemass[1], 2);
    }
  }
}

TEST(UrdfInertias, TheLeastIsAddedWhereAJointMovesNothing) {
  // A point mass on its own axis; the joint before it is well.
  const std::string point = Link("arm", 3, 0.02, 0.02, 0.02, "0.1 0 0") +
                            Link("dot", 0.5, 0, 0, 0, "0 0 0.2") +
                            Joint("swing", "revolute", "base", "arm", "0 1 0") +
                            Joint("spin", "continuous", "arm", "dot", "0 0 1");
  const Read raised(point);
  EXPECT_THAT(raised.notices,
              Contains("links that their joint turns without inertia about its axis get principal "
                       "moments of at least 1e-6 kg·m², else nothing could be simulated: dot"));
  EXPECT_EQ(raised.Moments("dot"), Eigen::Vector3d::Constant(1e-6));
  EXPECT_EQ(raised.Mass("dot"), 0.5);
  EXPECT_EQ(raised.Moments("arm"), Eigen::Vector3d::Constant(0.02));
  const Read as_it_is(point, false);
  EXPECT_THAT(as_it_is.notices, ElementsAre("links that their joint moves without mass or inertia, "
                                            "which makes H singular: dot"));
  EXPECT_EQ(as_it_is.Moments("dot"), Eigen::Vector3d::Zero());

  const Read shifted("<link name='lift'/>" + Joint("up", "prismatic", "base", "lift", "0 0 1"));
  EXPECT_THAT(shifted.notices, Contains("links that their joint moves without mass get 1e-4 kg, "
                                        "else nothing could be simulated: lift"));
  EXPECT_EQ(shifted.Mass("lift"), 1e-4);

  const Read empty("<link name='a'/><link name='b'/>" +
                   Joint("j", "revolute", "base", "a", "0 0 1") +
                   Joint("k", "revolute", "a", "b", "1 0 0"));
  EXPECT_THAT(empty.notices, Contains(HasSubstr("without mass get 1e-4 kg, else nothing could be "
                                                "simulated: b")));
  EXPECT_THAT(empty.notices, Contains(HasSubstr("kg·m², else nothing could be simulated: a, b")));
}

// Two joints about one axis, of which the first carries a link without inertia: none of H's
// diagonal vanishes.
TEST(UrdfInertias, JointsAboutOneAxisAreFound) {
  const auto chain = [](const std::string& axis) {
    return "<link name='ring'/>" + Link("arm", 3, 0.02, 0.02, 0.02, "0.1 0 0") +
           Joint("outer", "continuous", "base", "ring", "0 0 1") +
           Joint("inner", "continuous", "ring", "arm", axis);
  };
  EXPECT_THAT(Read(chain("0 0 1"), false).notices, Contains(HasSubstr("H singular: ring")));
  EXPECT_THAT(Read(chain("0 0 1")).notices,
              Contains(HasSubstr("at least 1e-6 kg·m², else nothing could be simulated: ring")));
  EXPECT_THAT(Read(chain("0 1 0")).notices, Not(Contains(HasSubstr("ring"))));
}

// Three axes through one point, the outer ones parallel at zero alone.
TEST(UrdfInertias, JointsThatAlignAreFound) {
  const std::string wrist = "<link name='a'/><link name='b'/>" +
                            Link("hand", 3, 0.02, 0.02, 0.02, "0.1 0 0") +
                            Joint("roll", "continuous", "base", "a", "0 0 1") +
                            Joint("pitch", "continuous", "a", "b", "0 1 0") +
                            Joint("yaw", "continuous", "b", "hand", "0 0 1");
  EXPECT_THAT(Read(wrist, false).notices,
              ElementsAre(HasSubstr("H singular in some positions: a")));
}

TEST(UrdfInertias, NegativeEigenvaluesAreToldWithTheirNumber) {
  const std::string robot = Link("arm", 3, -0.004, 0.02, 0.03, "0.1 0 0") +
                            Link("flat", 1, 0.01, 0.01, 0.05) +
                            Joint("swing", "revolute", "base", "arm", "0 1 0") +
                            Joint("bend", "revolute", "arm", "flat", "0 1 0");
  const Read raised(robot), given(robot, false);
  EXPECT_THAT(raised.notices,
              Contains("inertias with a negative eigenvalue, which no body can have, are raised to "
                       "0: arm (-0.004 kg·m²)"));
  EXPECT_THAT(given.notices,
              Contains("inertias with a negative eigenvalue, which no body can have, are taken as "
                       "they stand: arm (-0.004 kg·m²)"));
  for (const Read* read : {&raised, &given}) {
    EXPECT_THAT(read->notices,
                Contains("inertias that no body can have (A + B < C) are taken as they stand: "
                         "flat"));
    EXPECT_EQ(read->Moments("flat"), Eigen::Vector3d(0.01, 0.01, 0.05));
  }
  EXPECT_EQ(raised.Moments("arm"), Eigen::Vector3d(0, 0.02, 0.03));
  EXPECT_EQ(given.Moments("arm"), Eigen::Vector3d(-0.004, 0.02, 0.03));
}

}  // namespace urdf_inertias_test
}  // namespace civita
