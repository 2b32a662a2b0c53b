// v̇_r of the law of legged robots is the rate of its v_r in every phase of a gait: by differences
// along a motion of the robot, the reference and the law's state.

#include <gtest/gtest.h>

#include "tests/controllers/legs/legged_motion.h"

namespace civita {
namespace reference_rate_test {

std::vector<GaitCase> Cases() {
  std::vector<GaitCase> cases;
  const std::pair<const char*, LeggedRobot> robots[] = {
      {"Quadruped3", MakeQuadruped(3)}, {"Quadruped5", MakeQuadruped(5)}, {"Biped", MakeBiped()}};
  for (const auto& named : robots) {
    const LeggedRobot& robot = named.second;
    for (const double weight : {0.0, 0.1}) {
      const std::string of = std::string(named.first) + (weight > 0 ? "Momentum" : "");
      const auto add = [&](const char* phase, GaitPhase is, bool base = false) {
        cases.push_back({of + phase, robot, is, weight, base});
      };
      add("Returning", GaitPhase::kReturning);
      add("Resting", GaitPhase::kResting);
      add("RestingBase", GaitPhase::kResting, true);
      add("Passing", GaitPhase::kPassing);
      add("Swinging", GaitPhase::kSwinging);
      add("Pushed", GaitPhase::kPushed);
      add("Held", GaitPhase::kHeld, true);
      add("Lowering", GaitPhase::kLowering, true);
      if (robot.legs->feet.size() != 2) continue;
      add("Shifting", GaitPhase::kShifting);
      add("Straddling", GaitPhase::kSwinging);
      cases.back().straddle = 0.2;
    }
  }
  return cases;
}

class ReferenceRate : public testing::TestWithParam<GaitCase> {};

TEST_P(ReferenceRate, IsThatOfTheReferenceVelocity) {
  LeggedMotion motion(GetParam());
  ASSERT_TRUE(motion.found());
  const Eigen::VectorXd vdot_r =
      motion.At(0, [](const Measurement&, const ControlOutput& output) { return output.sdot_ref; });
  const Eigen::VectorXd rate =
      motion.Differentiate([](const Measurement& at, const ControlOutput& output) {
        return Eigen::VectorXd(at.v - output.s);
      });
  EXPECT_GT(rate.norm(), 1);
  EXPECT_LE((vdot_r - rate).norm(), 1e-6 * rate.norm());
}

INSTANTIATE_TEST_SUITE_P(Gaits, ReferenceRate, testing::ValuesIn(Cases()),
                         [](const auto& each) { return each.param.name; });

}  // namespace reference_rate_test
}  // namespace civita
