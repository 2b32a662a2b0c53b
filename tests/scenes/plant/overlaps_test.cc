// Bodies that are inside each other at the start are not thrown apart.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "civita/scenes/plant/floating.h"
#include "tests/scenes/scene_fixture.h"

namespace civita {
namespace overlaps_test {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// A hip and a knee whose two ends overlap behind the knee's small body; `shank` its name, `hip`
/// the first joint.
std::string Leg(const std::string& shank, const std::string& more = "",
                const std::string& hip = R"(<joint name="hip" axis="0 1 0"/>)") {
  return R"(<mujoco><option timestep=".001"/><worldbody><body name="thigh">)" + hip +
         R"(<geom type="capsule" size=".05" fromto="0 0 0 0 0 -.3"/>
      <body name="knee" pos="0 0 -.3"><joint name="k" axis="0 1 0"/><geom size=".03"/>
        <body )" +
         shank + R"(><joint name="twist"/>
          <geom type="capsule" size=".05" fromto="0 0 0 0 0 -.3"/></body></body></body>)" +
         more + "</worldbody></mujoco>";
}

/// Contacts at the start.
int CountContacts(const Scene& scene) {
  const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(scene.mj.get()));
  Eigen::VectorXd::Map(d->qpos, scene.mj->nq) = scene.q_start;
  mj_fwdPosition(scene.mj.get(), d.get());
  return d->ncon;
}

class Overlaps : public SceneTest {};

TEST_F(Overlaps, LoseTheirContacts) {
  const auto scene = Load(Leg("name='shank'"));
  EXPECT_THAT(scene->notices, Contains("bodies overlap at the start, and their contacts are left "
                                       "out: thigh and shank (0.1 m)"));
  EXPECT_EQ(CountContacts(*scene), 0);
  EXPECT_EQ(scene->mj->nexclude, 1);
}

TEST_F(Overlaps, OfBodiesWithoutNames) {
  const auto scene = Load(Leg(""));
  EXPECT_THAT(scene->notices, Contains(HasSubstr("left out: thigh and body 3 (0.1 m)")));
  EXPECT_EQ(CountContacts(*scene), 0);
}

TEST_F(Overlaps, WithWhatIsFixed) {
  const std::string wall = R"(<geom type="box" size=".1 .1 .1" pos=".12 0 -.6"/>)";
  const auto scene = Load(Leg("name='shank'", wall));
  EXPECT_THAT(scene->notices, Contains(HasSubstr("world and shank (0.03 m)")));
  EXPECT_EQ(CountContacts(*scene), 0);
}

TEST_F(Overlaps, KeepWhatAFloatingRobotStandsOn) {
  const std::string floor = R"(<geom type="plane" size="1 1 .1" pos="0 0 -.6"/>)";
  std::string xml = Leg("name='shank'", floor, "<freejoint/>");
  xml.insert(xml.find("</mujoco>"), R"(<actuator><motor joint="k"/></actuator>)");
  const auto scene = Load(xml);
  EXPECT_THAT(scene->notices, Contains(HasSubstr("left out: thigh and shank (0.1 m)")));
  EXPECT_EQ(CountContacts(*scene), 1) << "the foot is 5 cm in the floor";
}

TEST_F(Overlaps, KeepLooseObjectsAndTouches) {
  const std::string ball = R"(<body pos=".09 0 -.6"><freejoint/><geom size=".05"/></body>)";
  const std::string motors = R"(<actuator><motor joint="hip"/></actuator>)";
  std::string xml = Leg("name='shank'", ball);
  xml.insert(xml.find("</mujoco>"), motors);
  const auto scene = Load(xml);
  EXPECT_THAT(scene->notices, Contains(HasSubstr("left out: thigh and shank (0.1 m)")));
  EXPECT_EQ(CountContacts(*scene), 1) << "the ball";

  const std::string touching = R"(<geom type="box" size=".1 .1 .1" pos=".1499 0 -.6"/>)";
  EXPECT_GT(CountContacts(*Load(Leg("name='shank'", touching))), 0) << "0.1 mm";
}

TEST_F(Overlaps, AreOfNoConcernWithoutContacts) {
  for (const char* set : {"physics.contacts=false", "control.mode=every_stage"}) {
    SCOPED_TRACE(set);
    EXPECT_THAT(Load(Leg("name='shank'"), {set})->notices, Not(Contains(HasSubstr("overlap"))));
  }
}

}  // namespace overlaps_test
}  // namespace civita
