#include "civita/scenes/plant/payload.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/rnea.h"
#include "civita/scenes/scene.h"
#include "civita/workspace.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace payload_test {

// Two links; `more` is added to the second one, whose inertia is given about rotated axes.
std::string Arm(const std::string& more) {
  return R"(<mujoco><compiler angle="radian"/><worldbody><body name="upper">
    <joint name="a" axis="0 1 0"/>
    <inertial mass="2" pos="0 0 .2" diaginertia=".03 .03 .002"/>
    <body name="lower" pos="0 0 .4" quat=".8 .6 0 0"><joint name="b" axis="1 0 0.3"/>
    <inertial mass="1.1" pos=".01 -.02 .15" fullinertia=".02 .018 .004 .001 -.002 .003"/>)" +
         more + "</body></body></worldbody></mujoco>";
}

// The payload as a separate body without a joint, which MuJoCo merges.
constexpr const char* kWelded =
    R"(<body pos=".03 .04 .25"><inertial mass="1.7" pos="0 0 0" diaginertia="0.006120 0.006120
    0.006120"/></body>)";

class PayloadTest : public testing::Test {
 protected:
  std::unique_ptr<Scene> Load(const std::string& payload) {
    return LoadScene(ReadConfig(folder_.Write("m.xml", Arm("")), {"payload=" + payload}));
  }
  std::string ErrorOf(const std::string& payload) {
    try {
      Load(payload);
    } catch (const UserError& error) {
      return folder_.WithoutPath(error.what());
    }
    return "";
  }
  TemporaryFolder folder_;
};

struct Dynamics {
  Eigen::MatrixXd H;
  Eigen::VectorXd bias;
};

Dynamics OfMujoco(const mjModel& m) {
  const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(&m));
  d->qpos[0] = 0.7;
  d->qpos[1] = -0.4;
  d->qvel[0] = 1.3;
  d->qvel[1] = -2.1;
  mj_forward(&m, d.get());
  Dynamics dynamics{Eigen::MatrixXd::Zero(2, 2), Eigen::Map<Eigen::Vector2d>(d->qfrc_bias)};
  mj_fullM(&m, d.get(), dynamics.H.data());
  return dynamics;
}

Dynamics OfModel(const Model& model) {
  Workspace<double> workspace(model);
  UpdateKinematics(model, Eigen::Vector2d(0.7, -0.4), Eigen::Vector2d(1.3, -2.1), workspace);
  Dynamics dynamics{Eigen::MatrixXd::Zero(2, 2), Eigen::VectorXd::Zero(2)};
  CalcMassMatrix(model, workspace, dynamics.H);
  CalcBiasForces(model, workspace, dynamics.bias);
  return dynamics;
}

TEST_F(PayloadTest, IsABallWeldedToTheBody) {
  const auto scene = Load(
      "{body: lower, mass_kg: 1.7, at_s: 2, position_m: [0.03, 0.04, 0.25], radius_m: "
      "0.0948683298050514}");
  ASSERT_NE(scene->payload, nullptr);
  EXPECT_EQ(scene->payload->at_s, 2);
  const auto welded = LoadScene(ReadConfig(folder_.Write("welded.xml", Arm(kWelded))));
  const Dynamics expected = OfMujoco(*welded->mj);
  for (const Dynamics& loaded : {OfMujoco(*scene->payload->mj), OfModel(scene->payload->plant)}) {
    EXPECT_LT((loaded.H - expected.H).norm(), 1e-13) << loaded.H << "\n\n" << expected.H;
    EXPECT_LT((loaded.bias - expected.bias).norm(), 1e-12);
  }
  // Before at_s the plant is without it, and the law's model always is.
  const Dynamics before = OfMujoco(*scene->mj);
  for (const Dynamics& light : {OfModel(scene->plant), OfModel(scene->control_model)}) {
    EXPECT_LT((light.H - before.H).norm(), 1e-13);
    EXPECT_LT((light.bias - before.bias).norm(), 1e-12);
  }
  EXPECT_GT((expected.H - before.H).norm(), 0.1);
}

TEST_F(PayloadTest, IsDrawnFromItsTimeOn) {
  const auto scene = Load("{body: lower, mass_kg: 1.7, at_s: 2.5, radius_m: 0.1}");
  const DrawnPayload drawn = FindDrawnPayload(*scene->mj);
  EXPECT_EQ(drawn.at_s, 2.5);
  ASSERT_GE(drawn.geom, 0);
  EXPECT_EQ(scene->mj->geom_size[3 * drawn.geom], 0.1);
  EXPECT_EQ(scene->mj->geom_bodyid[drawn.geom], mj_name2id(scene->mj.get(), mjOBJ_BODY, "lower"));
  EXPECT_EQ(scene->mj->geom_contype[drawn.geom], 0);
  const auto empty = LoadScene(ReadConfig(folder_.Write("m.xml", Arm(""))));
  EXPECT_EQ(empty->payload, nullptr);
  EXPECT_EQ(FindDrawnPayload(*empty->mj).geom, -1);
  EXPECT_NE(scene->model_hash, empty->model_hash);
}

TEST_F(PayloadTest, MistakesNameThePlace) {
  EXPECT_EQ(ErrorOf("{mass_kg: 1}"), "--set payload: payload lacks the key 'body'");
  EXPECT_EQ(ErrorOf("{body: lower, mass_kg: 1, position_m: [1e308, 1e308, 1e308]}"),
            "--set payload: with its payload, body 'lower': mass, com and inertia must be finite, "
            "the mass ≥ 0");
  EXPECT_EQ(ErrorOf("{body: lower}"), "--set payload: payload lacks the key 'mass_kg'");
  EXPECT_EQ(ErrorOf("{body: lower, mass_kg: 0}"),
            "--set payload: payload.mass_kg must be a number > 0, not '0'");
  EXPECT_EQ(ErrorOf("{body: lower, mass_kg: 1, position_m: [1, 2]}"),
            "--set payload: payload.position_m must be 3 numbers");
  EXPECT_EQ(ErrorOf("{body: lowr, mass_kg: 1}"),
            "--set payload: unknown body 'lowr' (did you mean 'lower'?); valid: upper, lower");
}

TEST_F(PayloadTest, ConfigReadsBack) {
  const auto scene = Load("{body: lower, mass_kg: 1.7, at_s: 2, position_m: [0, 0, 0.1]}");
  const std::string yaml = ToYaml(scene->config);
  const auto again = LoadScene(ReadConfig(folder_.Write("c.yaml", yaml)));
  EXPECT_EQ(ToYaml(again->config), yaml);
  EXPECT_EQ(again->model_hash, scene->model_hash);
  ASSERT_NE(again->payload, nullptr);
  EXPECT_EQ(again->payload->mj->body_mass[2], scene->payload->mj->body_mass[2]);
}

}  // namespace payload_test
}  // namespace civita
