// What a config gives and a run does not use is told.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenes/scene_fixture.h"

namespace civita {
namespace unused_test {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class Unused : public SceneTest {};

TEST_F(Unused, TheRateOfALawThatActsAtEachStage) {
  const std::vector<std::string> every_stage = {"control.mode=every_stage",
                                                "controller.type=slotine_li"};
  std::vector<std::string> with_rate = every_stage;
  with_rate.emplace_back("control.rate_hz=100");
  EXPECT_THAT(Load(Arm(), with_rate)->notices,
              Contains(HasSubstr("control.rate_hz = 100 does not apply: in every_stage")));
  EXPECT_THAT(Load(Arm(), every_stage)->notices, Not(Contains(HasSubstr("rate_hz"))));
}

TEST_F(Unused, PushesAfterTheEnd) {
  folder_.Write("m.xml", Arm());
  const auto notices = [this](const std::string& start, const std::vector<std::string>& sets = {}) {
    return LoadScene(
               ReadConfig(
                   folder_.Write("c.yaml",
                                 "model: m.xml\nduration_s: 2\npushes: [{body: lower, start_s: " +
                                     start + ", duration_s: 0.1, force_N: [1, 0, 0]}]\n"),
                   sets))
        ->notices;
  };
  EXPECT_THAT(notices("2"), Contains("pushes.0 begins at 2 s, and the run ends at 2 s"));
  EXPECT_THAT(notices("1.9"), Not(Contains(HasSubstr("pushes.0"))));
  EXPECT_THAT(notices("2", {"duration_s=1"}), Not(Contains(HasSubstr("pushes.0"))))
      << "made shorter at the command line";
}

TEST_F(Unused, AnglesOfTheStartBesideAConfiguration) {
  const std::string note =
      "initial.q is the start; of initial.joints only the reference's center is made";
  const auto scene = Load(Arm(), {"initial.q=[0.1, 0.2]", "initial.joints.b=0.5"});
  EXPECT_EQ(scene->q_start[1], 0.2);
  EXPECT_EQ(scene->q_home[1], 0.5);
  EXPECT_THAT(scene->notices, Contains(note));
  EXPECT_THAT(Load(Arm(), {"initial.q=[0.1, 0.2]"})->notices, Not(Contains(note)));
}

}  // namespace unused_test
}  // namespace civita
