#include "civita/scenes/motion/body_motion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "civita/error.h"
#include "civita/scenes/scene.h"
#include "tests/scenes/motion/moving_model.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace body_motion_test {

using testing::HasSubstr;

constexpr double kPi = std::numbers::pi;

class BodyMotionTest : public testing::Test {
 protected:
  BodyMotionTest() : model_(MakeModel(&random_)), q_(RandomPosition(model_, &random_)) {}

  BodyCommand BodyAt(const BodyMotion& motion, double t) const {
    return At(model_, *MakeBodyMotion(model_, q_, motion), t).body;
  }
  // The rates against fourth-order differences.
  void ExpectExactRates(const BodyMotion& motion, double t) const {
    constexpr double h = 1e-3;
    const BodyCommand now = BodyAt(motion, t);
    const auto difference = [&](auto value) -> Eigen::Vector3d {
      const auto at = [&](double dt) { return Eigen::Vector3d(value(BodyAt(motion, t + dt))); };
      return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    };
    EXPECT_LT((now.pdot - difference([](const BodyCommand& b) { return b.p; })).norm(), 1e-8) << t;
    EXPECT_LT((now.pddot - difference([](const BodyCommand& b) { return b.pdot; })).norm(), 1e-8)
        << t;
    EXPECT_LT((now.wdot - difference([](const BodyCommand& b) { return b.w; })).norm(), 1e-8) << t;
    const Eigen::Vector3d w = difference([&](const BodyCommand& b) {
      const Eigen::AngleAxisd turn(Eigen::Matrix3d(b.R * now.R.transpose()));
      return Eigen::Vector3d(turn.angle() * turn.axis());
    });
    EXPECT_LT((now.w - w).norm(), 1e-8) << t;
  }

  std::mt19937 random_{7};
  Model model_;
  Eigen::VectorXd q_;
};

BodyMotion Sine() {
  BodyMotion motion{.kind = BodyMotion::Kind::kSine, .start_s = 0.3, .fade_s = 0.5, .commands = {}};
  motion.amplitude << 0.05, 0.05, 0.05, 0.17, 0.17, 0.17;
  return motion;
}

BodyMotion Squat() {
  return {.kind = BodyMotion::Kind::kSquat,
          .start_s = 0.2,
          .for_s = 7,
          .frequency_hz = 0.3,
          .by = {0, 0, -0.1},
          .commands = {}};
}

BodyMotion Shift() {
  BodyMotion motion = Squat();
  motion.kind = BodyMotion::Kind::kShift;
  motion.by = {0.02, 0.04, 0};
  return motion;
}

TEST_F(BodyMotionTest, RatesAreExactAndThePostureStays) {
  for (const BodyMotion& motion : {Sine(), Squat(), Shift()}) {
    for (double t = 0.05; t < 19; t += 0.173) ExpectExactRates(motion, t);
    const ReferenceState state = At(model_, *MakeBodyMotion(model_, q_, motion), 1.234);
    EXPECT_EQ(state.q, q_);
    EXPECT_TRUE(state.v.isZero(0) && state.vdot.isZero(0));
    EXPECT_FALSE(state.body.walk);
    EXPECT_EQ(state.body.lifted, -1);
  }
}

// Checks the second derivative over all fades: a jump would not decrease with h.
TEST_F(BodyMotionTest, AccelerationsAreContinuous) {
  for (const BodyMotion& motion : {Sine(), Squat(), Shift()}) {
    const auto largest_step = [&](double h) {
      double worst = 0;
      BodyCommand before = BodyAt(motion, 0);
      for (double t = h; t < 8; t += h) {
        const BodyCommand now = BodyAt(motion, t);
        worst =
            std::max({worst, (now.pddot - before.pddot).norm(), (now.wdot - before.wdot).norm()});
        before = now;
      }
      return worst;
    };
    EXPECT_LT(largest_step(5e-4), 0.6 * largest_step(1e-3));
  }
}

TEST_F(BodyMotionTest, ASineTakesOneAxisAfterTheOther) {
  const BodyMotion motion = Sine();
  EXPECT_EQ(BodyAt(motion, 0.29).p.norm(), 0);
  for (int axis = 0; axis < 12; ++axis) {
    // A quarter of a period after its fade, each axis is at its amplitude.
    const BodyCommand body = BodyAt(motion, 0.3 + 3 * axis + 0.5 + 0.5);
    Eigen::Vector3d p = Eigen::Vector3d::Zero();
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
    if (axis % 6 < 3) p[axis % 6] = 0.05;
    if (axis % 6 >= 3) R = Eigen::AngleAxisd(0.17, Eigen::Vector3d::Unit(axis % 6 - 3));
    EXPECT_LT((body.p - p).norm(), 1e-14) << axis;
    EXPECT_LT((body.R - R).norm(), 1e-14) << axis;
  }
  BodyMotion one = motion;
  one.amplitude << 0, 0, 0, 0, 0.1, 0;
  one.repeat = false;
  EXPECT_NEAR(BodyAt(one, 1.3).R(0, 2), std::sin(0.1), 1e-14);
  EXPECT_EQ(BodyAt(one, 4.3).R(0, 2), 0);
  EXPECT_NE(BodyAt(motion, 18.3 + 1).p[0], 0);
}

TEST_F(BodyMotionTest, SquatsAndShiftsReachTheirMark) {
  // Within the window: the lowest point after half a period, the farthest one after a quarter.
  EXPECT_LT((BodyAt(Squat(), 0.2 + 0.5 / 0.3).p - Eigen::Vector3d(0, 0, -0.1)).norm(), 1e-14);
  EXPECT_LT(BodyAt(Squat(), 0.2 + 1 / 0.3).p.norm(), 1e-14);
  EXPECT_LT((BodyAt(Shift(), 0.2 + 1.25 / 0.3).p - Eigen::Vector3d(0.02, 0.04, 0)).norm(), 1e-14);
  EXPECT_LT((BodyAt(Shift(), 0.2 + 1.75 / 0.3).p + Eigen::Vector3d(0.02, 0.04, 0)).norm(), 1e-14);
  EXPECT_EQ(BodyAt(Squat(), 7.21).p.norm(), 0);
}

TEST_F(BodyMotionTest, LiftsAFootForAWhile) {
  const BodyMotion motion{
      .kind = BodyMotion::Kind::kLift, .start_s = 1, .for_s = 5, .foot = 2, .commands = {}};
  EXPECT_EQ(BodyAt(motion, 0.99).lifted, -1);
  EXPECT_EQ(BodyAt(motion, 1.01).lifted, 2);
  EXPECT_EQ(BodyAt(motion, 5.99).lifted, 2);
  EXPECT_EQ(BodyAt(motion, 6.01).lifted, -1);
}

TEST_F(BodyMotionTest, WalksACourseAndStops) {
  BodyMotion motion{.kind = BodyMotion::Kind::kWalk, .fade_s = 1, .commands = {}};
  motion.commands = {{.at_s = 1, .velocity = {1, 0}},
                     {.at_s = 1.5, .velocity = {0, 0.4}, .yaw_rate = 0.5},
                     {.at_s = 5, .walk = false}};
  EXPECT_FALSE(BodyAt(motion, 0.99).walk);
  EXPECT_TRUE(BodyAt(motion, 1).walk);
  EXPECT_LT((BodyAt(motion, 1.5).velocity - Eigen::Vector2d(0.5, 0)).norm(), 1e-14);
  const BodyCommand turning = BodyAt(motion, 3);
  EXPECT_LT((turning.velocity - Eigen::Vector2d(0, 0.4)).norm(), 1e-14);
  EXPECT_NEAR(turning.yaw_rate, 0.5, 1e-14);
  // It goes on stepping until it is at rest.
  EXPECT_TRUE(BodyAt(motion, 5.99).walk);
  EXPECT_LT(BodyAt(motion, 5.999).velocity.norm(), 1e-6);
  EXPECT_FALSE(BodyAt(motion, 6.01).walk);
  EXPECT_EQ(BodyAt(motion, 6.01).velocity.norm(), 0);
  // No velocity changes faster than a quintic over the sum of two changes.
  const double h = 1e-3;
  for (double t = 0; t < 7; t += h) {
    const Eigen::Vector2d rate = (BodyAt(motion, t + h).velocity - BodyAt(motion, t).velocity) / h;
    EXPECT_LT(rate.norm(), 1.875 * 2.1) << t;
  }
}

class BodyConfigTest : public testing::Test {
 protected:
  std::unique_ptr<Scene> Load(const std::string& reference,
                              const std::string& joint = "<freejoint name='base'/>") {
    folder_.Write("m.xml", "<mujoco><worldbody><body name='trunk'>" + joint +
                               "<geom size='.1'/><body name='leg'><joint name='hip'/>"
                               "<geom size='.1'/></body></body></worldbody></mujoco>");
    return LoadScene(ReadConfig(
        folder_.Write("c.yaml", "model: m.xml\nreference: {type: body, " + reference + "}\n")));
  }
  std::string ErrorOf(const std::string& reference,
                      const std::string& joint = "<freejoint name='base'/>") {
    try {
      Load(reference, joint);
    } catch (const UserError& error) {
      return folder_.WithoutPath(error.what());
    }
    return "";
  }
  BodyCommand BodyAt(const Scene& scene, double t) {
    return At(scene.plant, *scene.reference, t).body;
  }

  TemporaryFolder folder_;
};

TEST_F(BodyConfigTest, MotionsFillInWhatIsNotGiven) {
  const auto sine = Load("motion: sine, fade_s: 0.5");
  EXPECT_NEAR(BodyAt(*sine, 1).p[0], 0.05, 1e-14);
  EXPECT_NEAR(BodyAt(*sine, 10).R(2, 1), std::sin(10 * kPi / 180), 1e-14);
  EXPECT_THAT(sine->config.reference.Numbers("frequency_hz"), testing::ElementsAre(0.5));
  EXPECT_NEAR(BodyAt(*Load("motion: squat"), 0.5 / 0.3).p[2], -0.1, 1e-14);
  EXPECT_NEAR(BodyAt(*Load("motion: shift"), 1).p[1], 0.04, 1e-14);
  EXPECT_NEAR(BodyAt(*Load("motion: shift, by_m: [0.03, 0, 0]"), 1).p[0], 0.03, 1e-14);
  EXPECT_FALSE(BodyAt(*Load("motion: stand"), 1).walk);
}

TEST_F(BodyConfigTest, WalksComeOneByOneOrAsACourse) {
  const auto walk = Load("motion: walk, start_s: 1, for_s: 4, velocity: [0.5, 0.1], yaw_rate: 0.2");
  EXPECT_FALSE(BodyAt(*walk, 0.9).walk);
  EXPECT_LT((BodyAt(*walk, 3).velocity - Eigen::Vector2d(0.5, 0.1)).norm(), 1e-14);
  EXPECT_EQ(BodyAt(*walk, 3).yaw_rate, 0.2);
  EXPECT_TRUE(BodyAt(*walk, 4.9).walk);
  EXPECT_FALSE(BodyAt(*walk, 5.1).walk);
  const auto course = Load(
      "motion: walk, commands: [{at_s: 1}, {at_s: 2, velocity: [1, 0]}, {at_s: 9, walk: false}]");
  EXPECT_TRUE(BodyAt(*course, 1.5).walk);
  EXPECT_EQ(BodyAt(*course, 5).velocity, Eigen::Vector2d(1, 0));
  EXPECT_FALSE(BodyAt(*course, 10.1).walk);
  // The resolved config gives the same motion.
  const std::string yaml = ToYaml(course->config);
  const SceneConfig again = ReadConfig(folder_.Write("again.yaml", yaml));
  EXPECT_EQ(ToYaml(again), yaml);
  EXPECT_THAT(yaml, HasSubstr("\n  commands:\n"
                              "    - at_s: 1\n      velocity: [0, 0]\n      yaw_rate: 0\n"
                              "      walk: true\n"
                              "    - at_s: 2\n      velocity: [1, 0]\n      yaw_rate: 0\n"
                              "      walk: true\n"
                              "    - at_s: 9\n      velocity: [0, 0]\n      yaw_rate: 0\n"
                              "      walk: false\n"));
}

TEST_F(BodyConfigTest, AStartBesideACourseThatIsNotWalkedStaysInTheResolvedConfig) {
  const auto squat = Load("motion: squat, start_s: 2, commands: [{at_s: 1}]");
  EXPECT_THAT(ToYaml(squat->config), HasSubstr("\n  start_s: 2\n"));
}

TEST_F(BodyConfigTest, MistakesGiveOneLineWithThePlace) {
  EXPECT_THAT(ErrorOf("motion: walk", ""), HasSubstr("c.yaml:2:19: reference.type body moves a "
                                                     "robot whose first joint is free"));
  EXPECT_THAT(ErrorOf("motion: wlak"),
              HasSubstr("c.yaml:2:33: unknown reference.motion 'wlak' (did you mean 'walk'?)"));
  EXPECT_THAT(ErrorOf("motion: sine, amplitude: 0.05"),
              HasSubstr("c.yaml:2:50: reference.amplitude of a body must be 6 numbers"));
  EXPECT_THAT(ErrorOf("motion: squat, frequency_hz: [1, 2]"),
              HasSubstr("c.yaml:2:54: reference.frequency_hz of a body must be one number"));
  EXPECT_THAT(ErrorOf("motion: squat, for_s: 1"),
              HasSubstr("c.yaml:2:47: reference.for_s is 1 s, too short to fade"));
  EXPECT_THAT(ErrorOf("motion: squat, for_s: -1"),
              HasSubstr("c.yaml:2:47: reference.for_s must be a number > 0, not '-1'"));
  EXPECT_THAT(ErrorOf("motion: squat, start_s: -1"),
              HasSubstr("c.yaml:2:49: reference.start_s must be a number ≥ 0, not '-1'"));
  EXPECT_THAT(ErrorOf("motion: walk, velocity: [1]"),
              HasSubstr("c.yaml:2:49: reference.velocity must be 2 numbers"));
  EXPECT_THAT(ErrorOf("motion: walk, yaw_rate: 1, commands: [{at_s: 1}]"),
              HasSubstr("c.yaml:2:49: reference.yaw_rate and reference.commands are both given"));
  EXPECT_THAT(ErrorOf("motion: walk, commands: [{at_s: 1}, {at_s: 1}]"),
              HasSubstr("reference.commands.1.at_s must grow: 1 s follows 1 s"));
  EXPECT_THAT(ErrorOf("motion: walk, commands: [{at_s: 1, velocity: [1, 0], walk: false}]"),
              HasSubstr("c.yaml:2:50: reference.commands.0 stands and has a velocity"));
  EXPECT_THAT(ErrorOf("motion: walk, commands: [{at: 1}]"),
              HasSubstr("c.yaml:2:51: unknown key 'at'; valid: at_s, velocity, yaw_rate, walk"));
  EXPECT_THAT(ErrorOf("motion: walk, commands: {at_s: 1}"),
              HasSubstr("c.yaml:2:49: reference.commands must be a list, not a map"));
  EXPECT_THAT(ErrorOf("motion: lift, foot: hind"),
              HasSubstr("c.yaml:2:45: reference.foot: the config names no feet"));
}

}  // namespace body_motion_test
}  // namespace civita
