#include "scenes/scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/kinematics.h"
#include "core/mass_matrix.h"
#include "core/regressor.h"
#include "core/workspace.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// An arm of two hinges; `more` goes into the model.
std::string Arm(const std::string& more = "", const std::string& joint2 = "") {
  return R"(<mujoco><compiler angle="radian"/><worldbody><body name="upper"><joint name="a" axis="0 1 0" range="-2 1"/>
    <geom name="g" size=".02" fromto="0 0 0 0 0 .3" type="capsule"/>
    <body name="lower" pos="0 0 .3"><joint name="b" axis="0 1 0" )" +
         joint2 + R"(/><geom size=".02" fromto="0 0 0 0 0 .3" type="capsule"/></body></body>
    </worldbody>)" +
         more + "</mujoco>";
}

class SceneTest : public testing::Test {
 protected:
  std::unique_ptr<Scene> Load(const std::string& xml, const std::vector<std::string>& sets = {}) {
    return LoadScene(ReadConfig(folder_.Write("m.xml", xml), sets));
  }
  std::unique_ptr<Scene> LoadUrdf(const std::string& urdf,
                                  const std::vector<std::string>& sets = {}) {
    return LoadScene(ReadConfig(folder_.Write("robot/urdf/m.urdf", urdf), sets));
  }
  std::string ErrorOf(const std::string& xml, const std::vector<std::string>& sets = {}) {
    try {
      Load(xml, sets);
    } catch (const UserError& error) {
      return folder_.WithoutPath(error.what());
    }
    return "";
  }
  std::string ErrorOfYaml(const std::string& yaml) {
    folder_.Write("m.xml", Arm());
    try {
      LoadScene(ReadConfig(folder_.Write("c.yaml", "model: m.xml\n" + yaml)));
    } catch (const UserError& error) {
      return folder_.WithoutPath(error.what());
    }
    return "";
  }

  TemporaryFolder folder_;
};

// The torque after limits and what MuJoCo makes of it, for τ at every coordinate.
struct Driven {
  Eigen::VectorXd applied, felt;
  bool limited;
};
Driven Drive(const Scene& scene, const Eigen::VectorXd& tau) {
  const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(scene.mj.get()));
  Driven driven{Eigen::VectorXd::Zero(tau.size()), {}, false};
  driven.limited = scene.actuation.Apply(tau, d.get(), driven.applied);
  mj_forward(scene.mj.get(), d.get());
  driven.felt = Eigen::Map<Eigen::VectorXd>(d->qfrc_applied, tau.size()) +
                Eigen::Map<Eigen::VectorXd>(d->qfrc_actuator, tau.size());
  return driven;
}

TEST(SceneTableTest, EveryRowLoadsAndControls) {
  for (const SceneInfo& info : Scenes()) {
    SCOPED_TRACE(std::string(info.name));
    const auto scene = LoadScene(ReadConfig(std::string(info.name)));
    EXPECT_EQ(scene->config.name, info.name);
    EXPECT_EQ(scene->config.title, info.title);
    const int dof = scene->closed ? scene->closed->nw() : scene->plant.nv();
    EXPECT_THAT(std::string(info.dof), StartsWith(std::to_string(dof) + " "));
    if (scene->closed) {
      EXPECT_THAT(scene->notices, ElementsAre(HasSubstr("stay passive")));
    } else {
      EXPECT_THAT(scene->notices, ElementsAre());
    }
    ReferenceState reference{scene->q_start, scene->v_start, scene->v_start};
    scene->reference->Sample(0, reference);
    Measurement measured{0, scene->q_start, scene->v_start};
    if (scene->legs) {  // standing
      const auto feet = static_cast<Eigen::Index>(scene->legs->feet.size());
      measured.foot_force = Eigen::VectorXd::Constant(feet, 100);
    }
    scene->controller->ResetState(measured, reference);
    ControlOutput output(*scene->controller);
    EXPECT_EQ(scene->controller->CalcControl(measured, reference, output), ControlStatus::kOk);
    EXPECT_TRUE(output.tau.allFinite());
    Eigen::VectorXd applied(scene->plant.nv());
    const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(scene->mj.get()));
    EXPECT_FALSE(scene->actuation.Apply(output.tau, d.get(), applied)) << "saturated at once";
    EXPECT_EQ(scene->velocity_names.size(), static_cast<size_t>(scene->plant.nv()));
  }
}

TEST_F(SceneTest, ResolvedConfigLoadsTheSameScene) {
  for (const SceneInfo& info : Scenes()) {
    const auto scene = LoadScene(ReadConfig(std::string(info.name)));
    const std::string yaml = ToYaml(scene->config);
    const auto again = LoadScene(ReadConfig(folder_.Write("config.yaml", yaml)));
    EXPECT_EQ(ToYaml(again->config), yaml);
    EXPECT_EQ(again->model_hash, scene->model_hash);
    EXPECT_EQ(again->q_start, scene->q_start);
    EXPECT_EQ(again->v_start, scene->v_start);
  }
}

TEST_F(SceneTest, ModelFileGetsAGentleMotionInsideItsLimits) {
  const auto scene = Load(Arm("", "range='0 .4'"));
  EXPECT_NEAR(scene->q_start[0], 0, 1e-12);
  EXPECT_NEAR(scene->q_start[1], 0.04, 1e-12);
  EXPECT_THAT(scene->notices,
              Contains("the start is moved inside the joint limits by a tenth of the "
                       "range: b"));
  EXPECT_THAT(scene->config.reference.amplitude,
              ElementsAre(0.2, testing::DoubleNear(0.01, 1e-12)));
  EXPECT_EQ(scene->mj->opt.timestep, 0.002);
  EXPECT_EQ(scene->config.rate_hz, 500);
  EXPECT_NE(scene->mj->opt.disableflags & mjDSBL_AUTORESET, 0);
  EXPECT_EQ(Load(Arm(), {"physics.timestep_s=0.0005"})->config.rate_hz, 1000);
}

TEST_F(SceneTest, HomeIsTheStart) {
  const auto scene = Load(Arm("<keyframe><key name='home' qpos='-.5 .7'/></keyframe>"));
  EXPECT_EQ(scene->q_start, Eigen::Vector2d(-0.5, 0.7));
  const auto off = Load(Arm("<keyframe><key name='home' qpos='-.5 .7'/></keyframe>"),
                        {"initial.q=[0.1, 0.2]", "initial.v=[1, 2]"});
  EXPECT_EQ(off->q_start, Eigen::Vector2d(0.1, 0.2));
  EXPECT_EQ(off->v_start, Eigen::Vector2d(1, 2));
  ReferenceState reference{off->q_start, off->v_start, off->v_start};
  off->reference->Sample(0, reference);
  EXPECT_EQ(reference.q, Eigen::Vector2d(-0.5, 0.7));
}

TEST_F(SceneTest, WhatTheModelForbidsNamesThePlaceOfTheKey) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"gains: {K_D: [1, 2, 3]}\n",
       "c.yaml:2:14: gains.K_D has 3 numbers; the model wants 1 or nv = 2"},
      {"reference: {amplitude: [1, 2, 3]}\n",
       "c.yaml:2:24: reference.amplitude has 3 numbers; the model wants 1 or nv = 2"},
      {"initial: {q: [1]}\n", "c.yaml:2:14: initial.q has 1 number, the model has nq = 2"},
      {"initial: {v: [1, 2, 3]}\n", "c.yaml:2:14: initial.v has 3 numbers, the model has nv = 2"},
      {"reference: {type: quintic}\n", "c.yaml: reference.to has 0 numbers, the model has nq = 2"},
      {"reference: {type: line, coordinate: 2}\n",
       "c.yaml:2:37: reference.coordinate is 2, the model has nv = 2 (counted from 0)"},
      {"control: {rate_hz: 300}\nphysics: {timestep_s: 0.001}\n",
       "c.yaml:2:20: control.rate_hz = 300: the control period must be a whole multiple of the "
       "timestep, "
       "which is 0.001 s (physics.timestep_s)"},
      {"control: {rate_hz: 1000}\n",
       "c.yaml:2:20: control.rate_hz = 1000: the control period must be a whole multiple of the "
       "timestep, "
       "which is 0.002 s in the model"},
      {"pushes: [{body: lowr, force_N: [1, 2, 3]}]\n",
       "c.yaml:2:17: unknown body 'lowr' (did you mean 'lower'?); valid: upper, lower"},
      {"controller: {type: adaptive}\ngains: {gamma: [1, 2]}\n",
       "c.yaml:3:16: gains.gamma has 2 numbers; 1 is wanted"},
      {"controller: {type: adaptive, adapt_bodies: [lowr]}\n",
       "c.yaml:2:44: controller.adapt_bodies: unknown body 'lowr' (did you mean 'lower'?); valid: "
       "upper, lower"},
      {"observer: {gain: [1, 2, 3]}\n",
       "c.yaml:2:18: observer.gain has 3 numbers; the model wants 1 or nv = 2"},
      {"observer: {compensate: true}\n",
       "c.yaml:2:24: observer.compensate needs observer.gain: there is no observer"},
      {"observer: {threshold: 3}\n",
       "c.yaml:2:23: observer.threshold needs observer.gain: there is no observer"},
      {"controller: {factorization: t:x}\n",
       "c.yaml:2:29: controller.factorization 't:x': t must be a number, not 'x'"},
  };
  for (const auto& [yaml, message] : rows) EXPECT_EQ(ErrorOfYaml(yaml), message) << yaml;
}

TEST_F(SceneTest, ModelsThatDoNotCompileGiveMujocosMessageWithTheFile) {
  EXPECT_THAT(ErrorOf("<mujoco><worldbody>"), StartsWith("m.xml"));
  const std::string unknown = ErrorOf("<mujoco>\n<worldbody>\n<bdy/></worldbody></mujoco>");
  EXPECT_THAT(unknown, StartsWith("m.xml:3: "));
  EXPECT_THAT(unknown, HasSubstr("bdy"));
  EXPECT_THAT(unknown, Not(HasSubstr("\n")));
  EXPECT_EQ(ErrorOf("<mujoco/>"), "m.xml: the model has no joints");
  EXPECT_THAT(ErrorOf("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>"),
              StartsWith("m.xml"));
}

TEST_F(SceneTest, NumbersThatMujocoTakesButCannotSimulate) {
  for (const char* timestep : {"0", "-1", "nan"}) {
    const std::string option = std::string("<option timestep=\"") + timestep + "\"/>";
    EXPECT_EQ(ErrorOf(Arm(option)),
              std::string("m.xml: the timestep must be a number > 0, not ") + timestep);
  }
  for (const char* q : {"nan", "1e+300"}) {
    const std::string key = std::string("<key name=\"home\" qpos=\"0 ") + q + "\"/>";
    EXPECT_THAT(ErrorOf(Arm("<keyframe>" + key + "</keyframe>")),
                StartsWith(std::string("m.xml: the keyframe home has ") + q + " in qpos"));
  }
  EXPECT_THAT(ErrorOf(Arm(), {"physics.timestep_s=1e-300"}),
              StartsWith("--set physics.timestep_s: a control period of 0.001 s takes more than"));
}

TEST_F(SceneTest, ModelsThatMayNotBeReadAreNotCalledEmpty) {
  if (geteuid() == 0) GTEST_SKIP() << "the superuser may read all";
  const std::string file = folder_.Write("m.xml", Arm());
  std::filesystem::permissions(file, std::filesystem::perms::none);
  try {
    LoadScene(ReadConfig(file));
    ADD_FAILURE() << "it was read";
  } catch (const UserError& error) {
    EXPECT_EQ(folder_.WithoutPath(error.what()), "m.xml: cannot be read");
  }
}

TEST_F(SceneTest, GeometryWithoutItsFileIsLeftOut) {
  const auto scene = Load(R"(<mujoco><asset><mesh name="gone" file="gone.stl"/>
    <texture name="wood" type="2d" file="wood.png"/><material name="wooden" texture="wood"/></asset>
    <worldbody><body><joint name="a"/><geom size=".1" material="wooden"/>
    <geom name="shell" type="mesh" mesh="gone"/></body></worldbody>
    <contact><pair geom1="shell" geom2="shell"/></contact></mujoco>)");
  EXPECT_EQ(scene->mj->ngeom, 1);
  EXPECT_THAT(scene->notices,
              Contains(HasSubstr("geometry left out: 1 geom whose mesh is missing")));
  EXPECT_THAT(scene->notices,
              Contains(HasSubstr("textures left out: 1 whose file is missing, the first "
                                 "is wood.png")));
}

TEST_F(SceneTest, ForcesThatTheTreeDoesNotHoldAreSwitchedOff) {
  const auto scene = Load(R"(<mujoco><option density="1" viscosity="2"/><worldbody>
    <body gravcomp="1"><joint name="a"/><geom size=".1"/></body></worldbody>
    <tendon><fixed armature="3"><joint joint="a" coef="1"/></fixed></tendon></mujoco>)");
  EXPECT_THAT(scene->notices, ElementsAre("gravity compensation of 1 body is switched off",
                                          "armature of 1 tendon is switched off",
                                          "the fluid around the bodies is switched off",
                                          HasSubstr("control runs at 500 Hz")));
}

TEST_F(SceneTest, WithoutActuatorsJointsAreDrivenDirectly) {
  const auto scene = Load(Arm("", "actuatorfrcrange='-3 2'"));
  const Driven driven = Drive(*scene, Eigen::Vector2d(1000, 5));
  EXPECT_TRUE(driven.limited);
  EXPECT_EQ(driven.applied, Eigen::Vector2d(1000, 2));
  EXPECT_EQ(driven.felt, driven.applied);
  EXPECT_FALSE(Drive(*scene, Eigen::Vector2d(1000, -3)).limited);
  EXPECT_EQ(scene->actuation.upper()[0], kInfinity);
}

TEST_F(SceneTest, LimitsBelowGravityAreTold) {
  const std::string notice = "the effort limits cannot hold the start against gravity: b";
  const std::string home = "<keyframe><key name='home' qpos='0 1'/></keyframe>";
  EXPECT_THAT(Load(Arm(home, "actuatorfrcrange='-.1 .1'"))->notices, Contains(notice));
  EXPECT_THAT(Load(Arm(home, "actuatorfrcrange='-9 9'"))->notices, Not(Contains(notice)));
}

TEST_F(SceneTest, MotorsGoThroughGearAndRanges) {
  const auto scene = Load(Arm(R"(<actuator>
    <motor joint="a" gear="-50" ctrlrange="-1 2"/><motor joint="b" gear="10"
    forcerange="-.5 .5"/></actuator>)"));
  EXPECT_EQ(scene->actuation.lower(), Eigen::Vector2d(-100, -5));
  EXPECT_EQ(scene->actuation.upper(), Eigen::Vector2d(50, 5));
  Driven driven = Drive(*scene, Eigen::Vector2d(-70, 4));
  EXPECT_FALSE(driven.limited);
  EXPECT_TRUE(driven.felt.isApprox(Eigen::Vector2d(-70, 4), 1e-14));
  driven = Drive(*scene, Eigen::Vector2d(70, 6));
  EXPECT_TRUE(driven.limited);
  EXPECT_TRUE(driven.felt.isApprox(Eigen::Vector2d(50, 5), 1e-14));
  EXPECT_TRUE(driven.applied.isApprox(driven.felt, 1e-14));
}

TEST_F(SceneTest, ArmatureAndDampingOfActuatorsAreTheJoints) {
  const auto scene = Load(Arm(R"(<actuator><motor joint="a" gear="3" armature=".2" damping="2"/>
    <position joint="b" kp="5" armature=".1"/></actuator>)",
                              "armature='.05' damping='.5'"));
  const mjModel* m = scene->mj.get();
  const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(m));
  d->qpos[1] = 0.7;
  d->qvel[0] = d->qvel[1] = 1;
  mj_forward(m, d.get());
  Eigen::Matrix2d H_mujoco;
  mj_fullM(m, d.get(), H_mujoco.data());
  Workspace<double> workspace(scene->plant);
  UpdateKinematics(scene->plant, Eigen::Vector2d(0, 0.7), workspace);
  Eigen::MatrixXd H(2, 2);
  CalcMassMatrix(scene->plant, workspace, H);
  EXPECT_TRUE(H.isApprox(H_mujoco, 1e-12)) << H << "\n\n" << H_mujoco;
  EXPECT_GT(H(0, 0), 1.8);
  EXPECT_NEAR(d->qfrc_passive[0], -scene->plant.damping()[0], 1e-12);
  EXPECT_NEAR(scene->plant.damping()[0], 18, 1e-12);
  EXPECT_NEAR(d->qfrc_passive[1], -scene->plant.damping()[1], 1e-12);
}

TEST_F(SceneTest, ServosAreSwitchedOffAndTheirJointsDriven) {
  const auto scene = Load(Arm(R"(<actuator><position name="servo" joint="a" kp="1000"
    forcerange="-9 9" ctrlrange="1 1.5"/><velocity joint="b" kv="5"/></actuator>)"));
  const Driven driven = Drive(*scene, Eigen::Vector2d(4, 7));
  EXPECT_EQ(driven.felt, Eigen::Vector2d(4, 7));
  EXPECT_EQ(scene->actuation.upper(), Eigen::Vector2d(9, kInfinity));
  EXPECT_THAT(scene->notices,
              Contains("actuators that are no plain motors are switched off, and their "
                       "joints driven directly within the force ranges: servo, 1"));
}

TEST_F(SceneTest, CoordinatesWithoutADriveStayPassive) {
  const auto scene = Load(Arm(R"(<actuator><motor joint="a"/></actuator>)"));
  const Driven driven = Drive(*scene, Eigen::Vector2d(4, 7));
  EXPECT_EQ(driven.felt, Eigen::Vector2d(4, 0));
  EXPECT_EQ(driven.applied, Eigen::Vector2d(4, 0));
  EXPECT_FALSE(driven.limited);
  EXPECT_TRUE(scene->actuation.is_passive(1));
  EXPECT_EQ(scene->config.reference.amplitude[1], 0);
  EXPECT_THAT(scene->notices, Contains("joints that nothing drives stay passive: b"));
}

TEST_F(SceneTest, TwoMotorsOnAJointShareItsTorque) {
  const auto scene = Load(Arm(R"(<actuator><motor joint="a" ctrlrange="-2 2"/>
    <motor joint="a" gear="3" ctrlrange="-1 1"/><motor joint="b"/>
    <position joint="b" kp="10"/></actuator>)"));
  EXPECT_EQ(scene->actuation.upper()[0], 5);
  EXPECT_TRUE(Drive(*scene, Eigen::Vector2d(4, 7)).felt.isApprox(Eigen::Vector2d(4, 7), 1e-14));
  EXPECT_TRUE(Drive(*scene, Eigen::Vector2d(-9, 7)).felt.isApprox(Eigen::Vector2d(-5, 7), 1e-14));
}

TEST_F(SceneTest, OtherTransmissionsAreSwitchedOff) {
  const auto scene =
      Load(Arm(R"(<tendon><fixed name="t"><joint joint="b" coef="1"/></fixed></tendon>
    <actuator><motor name="pull" tendon="t"/><motor joint="a"/></actuator>)"));
  EXPECT_EQ(Drive(*scene, Eigen::Vector2d(4, 7)).felt, Eigen::Vector2d(4, 0));
  EXPECT_THAT(scene->notices, Contains("actuators that act on no joint are switched off: pull"));
}

TEST_F(SceneTest, FreeAndBallJointsAreDrivenByCoordinate) {
  const auto scene = Load(R"(<mujoco><worldbody><body pos="0 0 1"><freejoint name="f"/>
    <geom size=".1"/><body><joint name="b" type="ball"/><geom size=".1" pos=".2 0 0"/></body></body>
    </worldbody><actuator><motor joint="b" gear="0 2 0"/><motor joint="f" gear="0 0 3 0 0 0"/>
    </actuator></mujoco>)");
  Eigen::VectorXd tau = Eigen::VectorXd::Ones(9);
  Eigen::VectorXd expected = Eigen::VectorXd::Zero(9);
  expected[2] = expected[7] = 1;
  EXPECT_TRUE(Drive(*scene, tau).felt.isApprox(expected, 1e-14));
  EXPECT_EQ(scene->config.reference.amplitude, std::vector<double>(9, 0.0));
}

TEST(SceneNoticeTest, StiffDampingIsTold) {
  const auto notices = [](const std::string& K_D, const std::string& mode) {
    return LoadScene(ReadConfig("arm7", {"controller.gain_form=diagonal", "gains.K_D=" + K_D,
                                         "control.mode=" + mode}))
        ->notices;
  };
  EXPECT_THAT(notices("500", "held"), ElementsAre(HasSubstr("gains.K_D is stiff for 1000 Hz")));
  EXPECT_THAT(notices("500", "every_stage"), ElementsAre());
  EXPECT_THAT(notices("0.1", "held"), ElementsAre());
}

TEST_F(SceneTest, CoupledJointsStartAndMoveTogether) {
  const auto scene = Load(Arm("<equality><joint joint1='b' joint2='a' polycoef='.1 -.5 0 0 0'/>"
                              "</equality>"),
                          {"reference.amplitude=0.3"});
  EXPECT_NEAR(scene->q_start[1], 0.1 - 0.5 * scene->q_start[0], 1e-14);
  ReferenceState state{scene->q_start, scene->v_start, scene->v_start};
  scene->reference->Sample(2.3, state);
  EXPECT_NEAR(state.q[1], 0.1 - 0.5 * state.q[0], 1e-14);
  EXPECT_NEAR(state.v[1], -0.5 * state.v[0], 1e-14);
  EXPECT_NE(state.v[0], 0);
}

TEST_F(SceneTest, CouplingsOfCouplingsAreOrdered) {
  const auto scene = Load(R"(<mujoco><worldbody><body><joint name="a"/><geom size=".1"/>
    <body><joint name="b"/><geom size=".1"/><body><joint name="c"/><geom size=".1"/></body></body></body>
    </worldbody><equality><joint joint1="a" joint2="b" polycoef="0 2 0 0 0"/>
    <joint joint1="b" joint2="c" polycoef="0 3 0 0 0"/></equality></mujoco>)");
  ASSERT_EQ(scene->couplings.size(), 2u);
  EXPECT_EQ(scene->couplings[0].iv, 1);
  EXPECT_EQ(scene->couplings[1].iv, 0);
  ReferenceState state{scene->q_start, scene->v_start, scene->v_start};
  scene->reference->Sample(1.3, state);
  EXPECT_NEAR(state.q[0], 6 * state.q[2], 1e-14);
}

constexpr const char* kUrdf = R"(<robot name="r"><link name="base"/>
  <joint name="j1" type="revolute"><parent link="base"/><child link="l1"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="7" velocity="1"/><dynamics friction="0.3" damping="0.01"/></joint>
  <link name="l1"><inertial><mass value="0.1"/><inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0"
  izz="9e-4"/></inertial><collision><geometry><mesh filename="package://robot/meshes/a.obj"/></geometry>
  </collision><collision><geometry><mesh filename="package://robot/meshes/b.dae"/></geometry></collision>
  </link></robot>)";
constexpr const char* kTetrahedron =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

TEST_F(SceneTest, UrdfIsAdapted) {
  folder_.Write("robot/meshes/a.obj", kTetrahedron);
  const auto scene = LoadUrdf(kUrdf);
  EXPECT_EQ(scene->mj->ngeom, 1);
  EXPECT_EQ(scene->mj->opt.timestep, 0.001);
  EXPECT_EQ(scene->actuation.upper()[0], 7);
  EXPECT_NE(scene->mj->opt.disableflags & mjDSBL_CONTACT, 0);
  EXPECT_THAT(
      scene->notices,
      ElementsAre(HasSubstr("1 geom whose mesh is missing or in a format that MuJoCo does not "
                            "read, the first is package://robot/meshes/b.dae"),
                  HasSubstr("links of a URDF do not touch"),
                  HasSubstr("no body can have (A + B < C)"), HasSubstr("dry friction of 1 joint")));
  const auto touching = LoadUrdf(kUrdf, {"physics.contacts=true"});
  EXPECT_EQ(touching->mj->opt.disableflags & mjDSBL_CONTACT, 0);
}

TEST_F(SceneTest, DryFrictionOfLightJointsActsAtLowSpeed) {
  folder_.Write("robot/meshes/a.obj", kTetrahedron);
  const auto scene = LoadUrdf(kUrdf);
  const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(scene->mj.get()));
  // A torque just above the friction of 0.3 N·m moves the joint, one just below does not.
  const auto speed = [&](double torque) {
    mj_resetData(scene->mj.get(), d.get());
    d->qfrc_applied[0] = torque;
    for (int k = 0; k < 20; ++k) mj_step(scene->mj.get(), d.get());
    return d->qvel[0];
  };
  EXPECT_LT(speed(0.29), 0.03);
  EXPECT_GT(speed(0.31), 0.2);
}

TEST_F(SceneTest, UrdfWithoutMassesRuns) {
  const auto scene = LoadUrdf(R"(<robot name="r"><link name="base"/>
    <joint name="j1" type="continuous"><parent link="base"/><child link="l1"/><axis xyz="0 1 0"/></joint>
    <link name="l1"/></robot>)");
  EXPECT_THAT(scene->notices, Contains(HasSubstr("without mass or inertia")));
}

TEST_F(SceneTest, UrdfWithoutCollisionGeometryShowsTheVisual) {
  const auto scene = LoadUrdf(R"(<robot name="r"><link name="base"/>
    <joint name="j1" type="continuous"><parent link="base"/><child link="l1"/><axis xyz="0 1 0"/></joint>
    <link name="l1"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
    </inertial><visual><geometry><sphere radius="1"/></geometry></visual></link></robot>)");
  EXPECT_EQ(scene->mj->ngeom, 1);
  EXPECT_EQ(scene->mj->body_mass[1], 2);
}

TEST_F(SceneTest, HashIsOfTheModelAlone) {
  const std::string hash = Load(Arm())->model_hash;
  EXPECT_EQ(hash.size(), 16u);
  EXPECT_EQ(Load(Arm(), {"gains.K_D=3"})->model_hash, hash);
  EXPECT_NE(Load(Arm("", "armature='.01'"))->model_hash, hash);
}

TEST_F(SceneTest, ScaledModelIsTheControllersOnly) {
  const auto scene = Load(Arm(), {"controller.model_scale=0.9"});
  EXPECT_NEAR(scene->control_model.bodies()[0].inertia.m, 0.9 * scene->plant.bodies()[0].inertia.m,
              1e-15);
  EXPECT_EQ(&scene->controller->model(), &scene->control_model);
}

TEST_F(SceneTest, EstimatesAreTheControllersOnly) {
  folder_.Write(
      "hand.yaml",
      "lower: {mass_kg: 3, com_m: [0.1, 0, 0.2], inertia_kgm2: [2, 3, 4, 0.1, 0.2, 0.3]}");
  folder_.Write("m.xml", Arm());
  const std::string config = folder_.Write(
      "c.yaml", "model: m.xml\ncontroller: {estimate: hand.yaml, model_scale: 0.9}\n");
  const auto scene = LoadScene(ReadConfig(config));
  const Model &plant = scene->plant, &believed = scene->control_model;
  EXPECT_NEAR(believed.bodies()[0].inertia.m, 0.9 * plant.bodies()[0].inertia.m, 1e-15);
  const BodyParameters lower = CalcFrameParameters(believed, believed.FindFrame("lower"));
  const Eigen::Matrix3d inertia =
      (Eigen::Matrix3d() << 2, 0.1, 0.2, 0.1, 3, 0.3, 0.2, 0.3, 4).finished();
  const MassProperties given{3, Eigen::Vector3d(0.1, 0, 0.2), inertia};
  EXPECT_LE((lower - CalcBodyParameters(given)).norm(), 1e-13);
  EXPECT_NE(plant.bodies()[1].inertia.m, 3);
  // The resolved config finds the file from elsewhere.
  TemporaryFolder elsewhere;
  const auto again = LoadScene(ReadConfig(elsewhere.Write("r.yaml", ToYaml(scene->config))));
  EXPECT_EQ(again->control_model.bodies()[1].inertia.m, believed.bodies()[1].inertia.m);
}

TEST_F(SceneTest, EstimatesThatNoBodyCanHaveAreRefused) {
  const auto error_of = [this](const std::string& estimate) {
    folder_.Write("e.yaml", estimate);
    return ErrorOfYaml("controller: {estimate: e.yaml}\n");
  };
  EXPECT_EQ(error_of("lower: {mass_kg: 1, com_m: [0, 0, 0], inertia_kgm2: [1, 1, 3, 0, 0, 0]}"),
            "e.yaml:1:8: the estimate of body lower is not physical: its principal moments of "
            "inertia are 1, 1 and 3 kg·m², and the two smaller ones must be positive and sum to "
            "more than the largest");
  EXPECT_EQ(error_of("lower: {mass_kg: -1, com_m: [0, 0, 0], inertia_kgm2: [1, 1, 1, 0, 0, 0]}"),
            "e.yaml:1:8: the estimate of body lower is not physical: its mass is -1 kg");
  EXPECT_EQ(error_of("lowr: {mass_kg: 1}"),
            "e.yaml:1:1: unknown body 'lowr' (did you mean 'lower'?); valid: upper, lower");
  EXPECT_EQ(error_of("lower: {mass_kg: 1}"), "e.yaml:1:8: body lower lacks the key 'com_m'");
  EXPECT_EQ(error_of("lower: {mass: 1}"),
            "e.yaml:1:9: unknown key 'mass' (did you mean 'mass_kg'?); valid: mass_kg, com_m, "
            "inertia_kgm2");
  EXPECT_EQ(error_of("lower: {mass_kg: 1, com_m: [0, 0], inertia_kgm2: [1, 1, 1, 0, 0, 0]}"),
            "e.yaml:1:28: lower.com_m must be 3 numbers");
  EXPECT_EQ(error_of("[1, 2]"),
            "e.yaml:1:1: estimates are a map from bodies to their inertias, not a list");
  EXPECT_THAT(ErrorOfYaml("controller: {estimate: none.yaml}\n"),
              AllOf(StartsWith("c.yaml:2:24: controller.estimate: no such file: "),
                    HasSubstr("none.yaml")));
}

TEST_F(SceneTest, AdaptiveAndObserverKeysReachTheLaw) {
  const auto scene = Load(Arm(), {"controller={type: adaptive, adapt_bodies: [lower]}",
                                  "gains.gamma=2", "observer={gain: [3, 4], threshold: 1}"});
  EXPECT_EQ(scene->controller->gain(2), Eigen::VectorXd::Constant(1, 2));
  EXPECT_EQ(scene->controller->state().size(), 10 + 2);
  EXPECT_EQ(scene->controller->signal_names().front(), "/pi_hat/lower/m");
  EXPECT_EQ(scene->controller->signal_names().back(), "/contact");
  ASSERT_NE(scene->controller->observer(), nullptr);
  const std::string yaml = ToYaml(scene->config);
  EXPECT_THAT(yaml, HasSubstr("adapt_bodies: [lower]"));
  EXPECT_THAT(yaml, HasSubstr("threshold: [1]"));
}

TEST_F(SceneTest, RelativeInjectionFileIsFoundAgainFromElsewhere) {
  folder_.Write("m.xml", Arm());
  folder_.Write("S.csv", "1,0\n0,1\n1,1\n");
  const auto scene = LoadScene(ReadConfig(
      folder_.Write("c.yaml", "model: m.xml\ncontroller: {factorization: \"joint:2:S.csv\"}\n")));
  EXPECT_EQ(folder_.WithoutPath(scene->config.factorization), "joint:2:S.csv");
  EXPECT_THAT(scene->config.factorization, HasSubstr(folder_.path().string()));
}

TEST_F(SceneTest, PushesFindTheirBody) {
  const auto scene = Load(Arm(), {"pushes=[{body: lower, start_s: 2, force_N: [1, 2, 3]}]"});
  ASSERT_EQ(scene->pushes.size(), 1u);
  EXPECT_EQ(scene->pushes[0].body, 2);
  EXPECT_EQ(scene->pushes[0].force, Eigen::Vector3d(1, 2, 3));
}

}  // namespace
}  // namespace civita
