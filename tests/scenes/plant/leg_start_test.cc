#include "civita/scenes/plant/leg_start.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "civita/controllers/legs/standing.h"
#include "civita/error.h"
#include "civita/scenes/scene.h"
#include "tests/scenes/plant/standing_models.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace leg_start_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class LegStartTest : public testing::Test {
 protected:
  std::unique_ptr<Scene> Load(const Biped& biped, std::vector<std::string> overrides = {}) {
    overrides.insert(overrides.begin(), {"controller.type=whole_body", "reference.type=hold",
                                         "legs.feet=[l_foot, r_foot]"});
    return LoadScene(ReadConfig(folder_.Write("m.xml", ToMjcf(biped)), overrides));
  }
  std::string ErrorOf(const Biped& biped, const std::vector<std::string>& overrides = {}) {
    try {
      Load(biped, overrides);
    } catch (const UserError& error) {
      return folder_.WithoutPath(error.what());
    }
    return "";
  }
  TemporaryFolder folder_;
};

TEST_F(LegStartTest, AStandingRobotHasNoFaults) {
  const auto scene = Load({});
  EXPECT_THAT(FindStartFaults(*scene, FindFloorPlane({}, *scene->mj)), IsEmpty());
  EXPECT_THAT(scene->notices, IsEmpty());
  EXPECT_NEAR(scene->q_start[2], 0.598637, 1e-9);
}

// Neither the axes of the soles' bodies nor those of the trunk are the world's.
TEST_F(LegStartTest, AxesOfTheFileDoNotMatter) {
  const auto scene = Load({.base_quat = "0.5 -0.5 0.5 0.5",
                           .base_back = "0.5 0.5 -0.5 -0.5",
                           .sole_quat = {"0.6 0.8 0 0", "0.5 0.5 -0.5 0.5"},
                           .sole_back = {"0.6 -0.8 0 0", "0.5 -0.5 0.5 -0.5"}});
  EXPECT_THAT(FindStartFaults(*scene, FindFloorPlane({}, *scene->mj)), IsEmpty());
}

TEST_F(LegStartTest, TheStartIsSetOnTheFloorWithoutAngles) {
  for (const double height : {0.2, 0.9}) {
    const auto scene = Load({.height = height});
    EXPECT_NEAR(scene->q_start[2], 0.598637, 1e-6);
    EXPECT_THAT(scene->notices,
                ElementsAre(height < 0.5 ? "the keyframe home is raised by 0.3986 m so that its "
                                           "feet touch the floor"
                                         : "the keyframe home is lowered by 0.3014 m so that its "
                                           "feet touch the floor"));
  }
}

TEST_F(LegStartTest, TheFloorIsWhereTheModelHasIt) {
  std::string text = ToMjcf({});
  const std::string floor = "<geom name=\"floor\" type=\"plane\"";
  text.replace(text.find(floor), floor.size(), floor + " pos=\"0 0 -0.25\"");
  const auto scene = LoadScene(ReadConfig(
      folder_.Write("low.xml", text),
      {"controller.type=whole_body", "reference.type=hold", "legs.feet=[l_foot, r_foot]"}));
  EXPECT_NEAR(scene->q_start[2], 0.348637, 1e-6);
}

// Without feet that are named: a keyframe whose feet are at different heights is no pose to stand
// in.
TEST_F(LegStartTest, AKeyframeThatCannotStandIsReplaced) {
  const auto load = [this](const std::string& text) {
    return LoadScene(ReadConfig(folder_.Write("m.xml", text), {"controller.type=whole_body"}));
  };
  EXPECT_THAT(load(ToMjcf({}))->notices, Not(Contains(HasSubstr("initial.joints"))));
  std::string text = ToMjcf({});
  const std::string leg = " 0 0 -0.400000 0.800000 -0.400000 0";
  text.replace(text.find(leg), leg.size(), " 0 0 -0.9 1.8 -0.9 0");
  const auto scene = load(text);
  EXPECT_THAT(scene->notices,
              Contains(HasSubstr("the centre of mass over the feet; in the keyframe home they "
                                 "differ by 0.1797 m in height")));
  EXPECT_EQ(scene->q_start.segment(7, 6), scene->q_start.tail(6));
  EXPECT_NEAR(scene->q_start[10], 0.75, 0.05);
}

// Friction as soft as MuJoCo's own lets feet creep, unless the file or the config has another.
TEST_F(LegStartTest, FrictionIsStiffUnlessItIsGiven) {
  std::string text = ToMjcf({});
  const auto load = [&](std::vector<std::string> overrides) {
    overrides.insert(overrides.begin(), "controller.type=whole_body");
    return LoadScene(ReadConfig(folder_.Write("m.xml", text), overrides));
  };
  EXPECT_THAT(load({})->notices, Not(Contains(HasSubstr("impratio"))));
  EXPECT_EQ(load({"physics.impratio=3"})->mj->opt.impratio, 3);
  const std::string option = " cone=\"elliptic\" impratio=\"10\"";
  text.erase(text.find(option), option.size());
  const auto scene = load({});
  EXPECT_THAT(scene->notices, Contains(HasSubstr("physics.impratio: 10 (with MuJoCo's own 1")));
  EXPECT_EQ(scene->mj->opt.impratio, 10);
  EXPECT_EQ(scene->mj->opt.cone, mjCONE_ELLIPTIC);
  EXPECT_EQ(load({"physics.impratio=1"})->mj->opt.impratio, 1);
  EXPECT_EQ(Load({})->mj->opt.impratio, 10) << "the file's own";
}

TEST_F(LegStartTest, FaultsAreNamed) {
  EXPECT_THAT(ErrorOf({}, {"initial.joints.l_knee=1.1"}),
              testing::StartsWith("--set initial.joints.l_knee: the robot cannot stand at its "
                                  "start: foot l_foot is 0.01319 m above the floor"));
  EXPECT_THAT(
      ErrorOf({}, {"initial.joints.l_ankle=-0.2", "initial.joints.r_ankle=-0.2"}),
      HasSubstr("the sole of l_foot is not level: its balls differ by 0.03973 m in height"));
  EXPECT_THAT(ErrorOf({.effort = 6}), HasSubstr("joint l_knee needs "));
  EXPECT_THAT(ErrorOf({.effort = 6}), HasSubstr(" N·m to stand, its limit is 6"));
  EXPECT_THAT(ErrorOf({}, {"initial.joints.l_pitch=-0.7", "initial.joints.l_ankle=-0.1",
                           "initial.joints.r_pitch=-0.7", "initial.joints.r_ankle=-0.1"}),
              HasSubstr("m outside the support of the feet"));
}

// Shapes other than the balls count too.
TEST_F(LegStartTest, ShapesInTheFloorAreNamed) {
  std::string text = ToMjcf({});
  const std::string knee = "<body name='l_ankle'";
  text.insert(text.find(knee),
              "<geom type='box' size='.02 .02 .2' pos='0 0 -.3' contype='0' conaffinity='1' "
              "mass='0'/>");
  try {
    LoadScene(ReadConfig(
        folder_.Write("deep.xml", text),
        {"controller.type=whole_body", "reference.type=hold", "legs.feet=[l_foot, r_foot]"}));
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a shape of l_knee is "));
    EXPECT_THAT(error.what(), HasSubstr(" m in the floor"));
  }
}

// Who asks for a start error or gives the state gets notices.
TEST_F(LegStartTest, AnAskedErrorIsNoFault) {
  const auto scene = Load(
      {.effort = 6}, {"initial.v_error=[0.1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]"});
  EXPECT_THAT(scene->notices, testing::Contains(HasSubstr("at the start joint l_knee needs")));
  EXPECT_THAT(scene->notices, testing::Contains(HasSubstr("at the start the law does not begin at "
                                                          "rest: V(0) is ")));
  EXPECT_THAT(Load({.effort = 6}, {"throw.at_s=1"})->notices,
              testing::Contains(HasSubstr("at the start joint l_knee needs")));
}

// Each step rests on one foot, which asks more of its joints than standing.
TEST_F(LegStartTest, AWalkThatEffortsForbidIsRefused) {
  const auto strong = Load({});
  double most = 0;
  for (const size_t foot : {0, 1}) {
    const Eigen::VectorXd tau =
        CalcOnOneFoot(strong->control_model, *strong->legs, strong->q_start, foot);
    EXPECT_LE(tau.head<6>().cwiseAbs().maxCoeff(), 1e-9) << "the forces are in balance";
    most = std::max(most, tau.cwiseAbs().maxCoeff());
  }
  const std::vector<std::string> walk = {"reference.type=body", "reference.motion=walk",
                                         "reference.velocity=[0.2, 0]"};
  EXPECT_THAT(ErrorOf({.effort = 1.4 * most}, walk), HasSubstr("for a step, joint l_knee needs "));
  EXPECT_EQ(ErrorOf({.effort = 1.4 * most}), "");
  EXPECT_EQ(ErrorOf({.effort = 1.6 * most}, walk), "");
}

TEST_F(LegStartTest, AutoIsTheWordForNoLegsGiven) {
  folder_.Write("m.xml", ToMjcf({}));
  const std::string file = "model: m.xml\ncontroller: {type: whole_body}\nlegs: ";
  const auto found = LoadScene(ReadConfig(folder_.Write("auto.yaml", file + "auto\n"), {}));
  ASSERT_EQ(found->legs->feet.size(), 2);
  EXPECT_EQ(found->legs->feet[0].name, "l_foot");
  const std::string named = folder_.Write("named.yaml", file + "{feet: [r_foot, l_foot]}\n");
  EXPECT_THAT(ReadConfig(named, {"legs=auto"}).legs.feet, IsEmpty());
  EXPECT_THROW(ReadConfig(named, {"legs=automatic"}), UserError);
}

}  // namespace leg_start_test
}  // namespace civita
