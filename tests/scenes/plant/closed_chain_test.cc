#include "civita/scenes/plant/closed_chain.h"

#include <gmock/gmock.h>

#include "tests/scenes/scene_fixture.h"

namespace civita {
namespace closed_chain_test {

using testing::Contains;
using testing::HasSubstr;

class ExactLoopsOfAScene : public SceneTest {
 protected:
  /// An arm of two hinges, the second geared to the first.
  std::string ErrorOfGeared(const std::string& joint2, const std::string& more = "") {
    return ErrorOf(Geared(joint2, more), {"plant.loops=exact"});
  }
  static std::string Geared(const std::string& joint2, const std::string& more = "") {
    return Arm(
        "<equality><joint joint1='b' joint2='a' polycoef='0 2 0 0 0'/>" + more + "</equality>",
        joint2);
  }
};

TEST_F(ExactLoopsOfAScene, NeedLoops) {
  EXPECT_THAT(ErrorOf(Arm(), {"plant.loops=exact"}),
              HasSubstr("plant.loops exact: the model has no loops, gears or coupled joints; "
                        "valid: soft"));
}

TEST_F(ExactLoopsOfAScene, RefuseWhatWouldAlwaysActAndDoesNot) {
  EXPECT_THAT(ErrorOfGeared("frictionloss='0.1'"),
              HasSubstr("dry friction does not act then, which the model has at b; valid: soft"));
  EXPECT_THAT(ErrorOf(R"(<mujoco><worldbody><body name="base" pos="0 0 .5"><freejoint/>
      <geom size=".1"/><body name="foot" pos="0 0 -.3"><joint name="hip" axis="0 1 0"/>
      <geom size=".02"/><body pos="0 0 -.1"><joint name="knee" axis="0 1 0"/><geom size=".02"/>
      </body></body></body></worldbody><equality><joint joint1="knee" joint2="hip"/></equality>
      </mujoco>)",
                      {"plant.loops=exact", "legs.feet=[foot]", "controller.type=whole_body"}),
              HasSubstr("a legged robot stands by contacts"));
}

TEST_F(ExactLoopsOfAScene, NameTheEqualityThatClosesNoLoop) {
  EXPECT_THAT(ErrorOf(Arm(R"(<worldbody><site name="p"/><site name="q" pos="1 0 0"/></worldbody>
                             <tendon><spatial name="t"><site site="p"/><site site="q"/></spatial>
                             </tendon><equality><tendon name="rope" tendon1="t"/></equality>)"),
                      {"plant.loops=exact", "controller.type=pd_gravity"}),
              HasSubstr("plant.loops exact: equality 'rope' closes no loop of joints"));
}

TEST_F(ExactLoopsOfAScene, TellWhatDoesNotAct) {
  const auto scene = Load(Geared(""), {"plant.loops=exact"});
  EXPECT_THAT(scene->notices,
              Contains("with plant.loops exact the limits of these joints do not act: a"));
  EXPECT_THAT(scene->notices, Contains("with plant.loops exact contacts do not act"));
  EXPECT_NE(scene->mj->opt.disableflags & mjDSBL_CONSTRAINT, 0);
  const auto soft = Load(Geared(""));
  EXPECT_THAT(soft->notices, testing::Not(Contains(HasSubstr("plant.loops"))));
  EXPECT_EQ(soft->mj->opt.disableflags & mjDSBL_CONSTRAINT, 0);
}

}  // namespace closed_chain_test
}  // namespace civita
