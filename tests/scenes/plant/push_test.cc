#include "civita/scenes/plant/push.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <cmath>

#include "civita/error.h"
#include "civita/scenes/plant/model_file.h"
#include "civita/scenes/scene.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace push_test {

using testing::HasSubstr;

constexpr double kDt = 0.001;

// Impulse transmitted by the steps at k·dt.
Eigen::Vector3d CarriedImpulse(const Push& push, double dt = kDt) {
  Eigen::Vector3d impulse = Eigen::Vector3d::Zero();
  for (int k = 0; k < 1000; ++k) impulse += dt * push.ShareAt(k * dt, dt) * push.force;
  return impulse;
}

TEST(Push, CarriesExactlyTheImpulseAskedFor) {
  const Eigen::Vector3d wanted(3, -4, 0.5);
  for (const PushShape shape : {PushShape::kConstant, PushShape::kHalfSine}) {
    // On the grid of steps and off it; with whole and fractional numbers of steps.
    for (const double start : {0.0, 0.2, 0.2003, 0.2007}) {
      for (const double duration : {0.1, 0.0123, 0.001}) {
        Push push{.body = 1, .start_s = start, .duration_s = duration, .shape = shape};
        push.force = CalcForceOfImpulse(push, wanted, kDt);
        EXPECT_LT((CarriedImpulse(push) - wanted).norm(), 1e-12) << start << ' ' << duration;
      }
    }
  }
}

TEST(Push, NeitherALateNorALongOneTakesLongToPrepare) {
  const Eigen::Vector3d wanted(3, -4, 0.5);
  for (const PushShape shape : {PushShape::kConstant, PushShape::kHalfSine}) {
    const double mean = shape == PushShape::kConstant ? 1 : 2 / M_PI;
    Push push{.body = 1, .start_s = 0.2, .duration_s = 1e9, .shape = shape};
    const Eigen::Vector3d force = CalcForceOfImpulse(push, wanted, kDt);
    EXPECT_LT((force * 1e9 * mean - wanted).norm(), 1e-6);
    push.start_s = 1e13;
    push.duration_s = 0.1;
    EXPECT_TRUE(CalcForceOfImpulse(push, wanted, kDt).allFinite());
    push.start_s = 1e300;
    EXPECT_TRUE(CalcForceOfImpulse(push, wanted, kDt).allFinite());
  }
}

TEST(Push, AHalfSineHasItsPeakInTheMiddle) {
  Push push{.body = 1, .start_s = 0.2, .duration_s = 0.1, .shape = PushShape::kHalfSine};
  EXPECT_EQ(push.ShareAt(0.199, kDt), 0);
  EXPECT_NEAR(push.ShareAt(0.2, kDt), std::sin(0.5 * 0.01 * M_PI), 1e-12);
  EXPECT_NEAR(push.ShareAt(0.25, kDt), std::cos(0.5 * 0.01 * M_PI), 1e-12);
  EXPECT_EQ(push.ShareAt(0.3, kDt), 0);
  // The peak for 0.1 s is J π/2 / 0.1 s, up to the steps' discrete sum.
  EXPECT_NEAR(CalcForceOfImpulse(push, {10, 0, 0}, kDt)[0], 0.5 * M_PI * 100, 0.02);
}

class PushConfigTest : public testing::Test {
 protected:
  std::unique_ptr<Scene> Load(const std::string& push, const char* joint = "<freejoint/>") {
    folder_.Write("m.xml", std::string("<mujoco><worldbody><body name='trunk'>") + joint +
                               "<geom size='.1'/><body name='leg' pos='0 0 1'><joint name='hip'/>"
                               "<geom size='.1'/></body></body></worldbody></mujoco>");
    return LoadScene(ReadConfig(folder_.Write(
        "c.yaml", "model: m.xml\nreference: {type: hold}\npushes:\n  - {" + push + "}\n")));
  }
  std::string ErrorOf(const std::string& push, const char* joint = "<freejoint/>") {
    try {
      Load(push, joint);
    } catch (const UserError& error) {
      return folder_.WithoutPath(error.what());
    }
    return "";
  }
  TemporaryFolder folder_;
};

TEST_F(PushConfigTest, ARobotIsPushedAsAWholeByAnImpulse) {
  const auto scene = Load("start_s: 0.2, duration_s: 0.1, shape: half_sine, impulse_Ns: [0, 5, 0]");
  ASSERT_EQ(scene->pushes.size(), 1u);
  const Push& push = scene->pushes[0];
  EXPECT_EQ(push.body, 1);
  EXPECT_TRUE(push.of_tree);
  EXPECT_EQ(push.shape, PushShape::kHalfSine);
  const double dt = 1 / scene->config.rate_hz;
  EXPECT_LT((CarriedImpulse(push, dt) - Eigen::Vector3d(0, 5, 0)).norm(), 1e-12);
  const std::string yaml = ToYaml(scene->config);
  EXPECT_EQ(ToYaml(ReadConfig(folder_.Write("again.yaml", yaml))), yaml);
  EXPECT_THAT(yaml, testing::Not(HasSubstr("phase_rad"))) << "of a sine alone";
  EXPECT_FALSE(Load("body: leg, force_N: [1, 2, 3]")->pushes[0].of_tree);
}

TEST_F(PushConfigTest, ASineLastsTilTheEndAndAJointHasAForceOfItsOwn) {
  const auto scene = Load(
      "joint: hip, joint_force: [2], shape: sine, frequency_hz: 4, phase_rad: 0.5, start_s: 1");
  const Push& push = scene->pushes[0];
  EXPECT_EQ(push.joint, mj_name2id(scene->mj.get(), mjOBJ_JOINT, "hip"));
  EXPECT_EQ(push.ShareAt(0.9, kDt), 0);
  EXPECT_NEAR(push.ShareAt(1, kDt), std::sin(8 * M_PI * 0.0005 + 0.5), 1e-12);
  EXPECT_NEAR(push.ShareAt(1e6, kDt), std::sin(8 * M_PI * 0.0005 + 0.5), 1e-6);
  const std::string yaml = ToYaml(scene->config);
  EXPECT_THAT(yaml, HasSubstr("phase_rad: 0.5"));
  EXPECT_EQ(ToYaml(ReadConfig(folder_.Write("again.yaml", yaml))), yaml);
}

TEST_F(PushConfigTest, ABodyIsPushedAtAPoint) {
  const auto scene = Load("body: leg, point_m: [0.1, 0, 0.2], force_N: [0, 3, 0]");
  const Push& push = scene->pushes[0];
  const mjModel& m = *scene->mj;
  const std::unique_ptr<mjData, MjDataDeleter> data(mj_makeData(&m));
  for (int i = 0; i < m.nq; ++i) data->qpos[i] = 0.3 * (i + 1);
  mj_normalizeQuat(&m, data->qpos);
  AddPush(m, push, 0.5, data.get());
  mj_fwdPosition(&m, data.get());
  Eigen::VectorXd forces = Eigen::VectorXd::Zero(m.nv), wanted = forces;
  const mjtNum* wrench = data->xfrc_applied + 6 * push.body;
  mj_applyFT(&m, data.get(), wrench, wrench + 3, data->xipos + 3 * push.body, push.body,
             forces.data());
  const Eigen::Vector3d force(0, 1.5, 0), none(0, 0, 0), local(0.1, 0, 0.2);
  Eigen::Vector3d point;
  mju_mulMatVec3(point.data(), data->xmat + 9 * push.body, local.data());
  point += Eigen::Map<const Eigen::Vector3d>(data->xpos + 3 * push.body);
  mj_applyFT(&m, data.get(), force.data(), none.data(), point.data(), push.body, wanted.data());
  EXPECT_LT((forces - wanted).norm(), 1e-14);
  EXPECT_LT((FindPushedPoint(push, *data) - point).norm(), 1e-15);
  EXPECT_THAT(ToYaml(scene->config), HasSubstr("point_m: [0.1, 0, 0.2]"));
  EXPECT_EQ(ErrorOf("force_N: [1, 2, 3], point_m: [0, 0, 0]"),
            "c.yaml:4:35: pushes.0.point_m needs the key 'body'");
  EXPECT_EQ(ErrorOf("body: leg, force_N: [1, 2, 3], point_m: [0, 0]"),
            "c.yaml:4:46: pushes.0.point_m must be 3 numbers");
}

TEST_F(PushConfigTest, MistakesOfSinesAndJointsGiveOneLineWithThePlace) {
  EXPECT_EQ(ErrorOf("joint: knee, joint_force: [1]"),
            "c.yaml:4:13: unknown hinge, slide or ball 'knee'; valid: hip");
  EXPECT_EQ(ErrorOf("joint: hip, joint_force: [1, 2]"),
            "c.yaml:4:31: pushes.0.joint_force has 2 numbers, joint hip 1");
  EXPECT_EQ(ErrorOf("joint: hip"), "c.yaml:4:5: pushes.0 lacks the key 'joint_force'");
  EXPECT_EQ(ErrorOf("joint: hip, body: leg, joint_force: [1]"),
            "c.yaml:4:5: pushes.0 has both body and joint; give one of them");
  EXPECT_EQ(ErrorOf("joint: hip, force_N: [1, 2, 3]"),
            "c.yaml:4:27: pushes.0.force_N acts on a body; on a joint joint_force does");
  EXPECT_EQ(ErrorOf("body: leg, joint_force: [1]"),
            "c.yaml:4:30: pushes.0.joint_force needs the key 'joint'");
  EXPECT_EQ(ErrorOf("force_N: [1, 2, 3], shape: sine"),
            "c.yaml:4:5: pushes.0 lacks the key 'frequency_hz'");
  EXPECT_EQ(ErrorOf("impulse_Ns: [1, 2, 3], shape: sine, frequency_hz: 2"),
            "c.yaml:4:18: pushes.0.impulse_Ns is not of a sine; give force_N");
  EXPECT_EQ(ErrorOf("force_N: [1, 2, 3], frequency_hz: 2"),
            "c.yaml:4:40: pushes.0.frequency_hz is of shape sine alone");
  EXPECT_EQ(ErrorOf("force_N: [1, 2, 3], shape: sine, frequency_hz: 600"),
            "c.yaml:4:53: pushes.0.frequency_hz is 600, control steps resolve less than 250 Hz");
  EXPECT_THAT(ErrorOf("force_N: [1, 2, 3], shape: sine, frequency_hz: 0"),
              HasSubstr("pushes.0.frequency_hz must be a number > 0"));
}

TEST_F(PushConfigTest, MistakesGiveOneLineWithThePlace) {
  EXPECT_THAT(ErrorOf("start_s: 1"),
              HasSubstr("c.yaml:4:5: pushes.0 lacks the key 'force_N' or 'impulse_Ns'"));
  EXPECT_THAT(ErrorOf("force_N: [1, 2, 3], impulse_Ns: [1, 2, 3]"),
              HasSubstr("c.yaml:4:5: pushes.0 has both force_N and impulse_Ns"));
  EXPECT_THAT(ErrorOf("impulse_Ns: [1, 2]"),
              HasSubstr("c.yaml:4:18: pushes.0.impulse_Ns must be 3 numbers"));
  EXPECT_THAT(ErrorOf("force_N: [1, 2, 3], shape: saw"),
              HasSubstr("c.yaml:4:33: unknown pushes.0.shape 'saw'; valid: constant, half_sine, "
                        "sine"));
  EXPECT_THAT(ErrorOf("force_N: [1, 2, 3]", "<joint/>"),
              HasSubstr("c.yaml:4:5: pushes.0 lacks the key 'body'"));
}

}  // namespace push_test
}  // namespace civita
