#include "civita/scenes/plant/soft_friction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "civita/controllers/controller.h"
#include "civita/passive_forces.h"
#include "tests/scenes/scene_fixture.h"

namespace civita {
namespace soft_friction_test {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::string Slider(const std::string& friction, const std::string& flags = "") {
  return "<mujoco><option gravity='0 0 0'><flag " + flags +
         "/></option><worldbody><body><joint name='rail' type='slide' axis='1 0 0' " + friction +
         "/><geom size='.1' mass='.2'/></body></worldbody></mujoco>";
}

// Where nothing accelerates, MuJoCo's friction grows with v up to this velocity.
TEST_F(SceneTest, FrictionIsFullFromTheVelocityOn) {
  const auto scene = Load(Slider("frictionloss='3'"));
  const mjModel* m = scene->mj.get();
  const double full = CalcFullFrictionSpeed(m->dof_frictionloss[0], m->dof_invweight0[0],
                                            m->dof_solref, m->dof_solimp);
  EXPECT_GT(full, 0.01);
  const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(m));
  for (const double share : {0.25, 0.5, 0.99, 1.5}) {
    d->qvel[0] = share * full;
    d->qacc[0] = 0;
    mj_inverse(m, d.get());
    EXPECT_NEAR(d->qfrc_constraint[0], -3 * std::min(share, 1.0), 1e-9) << share;
  }
}

TEST_F(SceneTest, SoftFrictionIsTold) {
  const auto notices = [this](const std::string& friction, const std::string& flags = "") {
    return Load(Slider(friction, flags))->notices;
  };
  const auto told = Contains(HasSubstr("dry friction is soft in the simulation"));
  EXPECT_THAT(notices("frictionloss='30'"), told);
  EXPECT_THAT(notices("frictionloss='30'"), Contains(HasSubstr(": rail (")));
  EXPECT_THAT(notices("frictionloss='.1'"), Not(told));
  EXPECT_THAT(notices("frictionloss='30' solimpfriction='.999 .999 .001'"), Not(told));
  EXPECT_THAT(notices("frictionloss='30'", "frictionloss='disable'"), Not(told));
  EXPECT_THAT(notices("frictionloss='30'", "constraint='disable'"), Not(told));
}

TEST_F(SceneTest, SoftFrictionOfTendonsIsTold) {
  const auto scene = Load(
      "<mujoco><worldbody><body><joint name='a'/><geom size='.05'/></body></worldbody><tendon>"
      "<fixed name='belt' frictionloss='2'><joint joint='a' coef='1'/></fixed></tendon></mujoco>");
  EXPECT_THAT(scene->notices, Contains(HasSubstr(": tendon belt (")));
}

// The law cancels what the simulator's friction is at a velocity that does not change.
TEST_F(SceneTest, LawsTakeFrictionAsSoftAsItIsSimulated) {
  for (const char* model :
       {"<joint name='rail' type='slide' axis='1 0 0' frictionloss='30'/>|",
        "<joint name='rail' type='slide' axis='1 0 0'/>|<tendon><fixed frictionloss='300'><joint "
        "joint='rail' coef='.5'/></fixed></tendon>"}) {
    SCOPED_TRACE(model);
    const std::string text = model, joint = text.substr(0, text.find('|'));
    const auto scene = Load("<mujoco><option gravity='0 0 0'/><worldbody><body>" + joint +
                            "<geom size='.1' mass='.2'/></body></worldbody>" +
                            text.substr(text.find('|') + 1) + "</mujoco>");
    const mjModel* m = scene->mj.get();
    const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(m));
    const Eigen::VectorXd full = FindFullFrictionSpeeds(*m, scene->control_model);
    const double most = full.maxCoeff();
    ASSERT_GT(most, 0);
    for (const double v : {0.1 * most, 0.7 * most, 3 * most}) {
      d->qvel[0] = v;
      mj_inverse(m, d.get());
      Eigen::VectorXd tau = Eigen::VectorXd::Zero(1);
      AddPassiveForces(scene->control_model, Eigen::VectorXd::Zero(1),
                       Eigen::VectorXd::Constant(1, v),
                       {.speed = kFrictionVelocity, .full_speeds = full}, 1, tau);
      EXPECT_NEAR(tau[0], d->qfrc_constraint[0], 1e-9) << v;
    }
  }
}

}  // namespace soft_friction_test
}  // namespace civita
