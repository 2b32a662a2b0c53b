#include "civita/scenes/scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "civita/error.h"
#include "civita/regressor.h"
#include "tests/scenes/scene_fixture.h"

namespace civita {
namespace scene_test {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(SceneListTest, StandsInTheConfigs) {
  std::vector<std::string> names, groups;
  for (const SceneInfo& info : Scenes()) {
    SCOPED_TRACE(info.name);
    names.push_back(info.name);
    groups.push_back(info.group);
    EXPECT_FALSE(info.title.empty());
    EXPECT_FALSE(info.line.empty());
    if (info.is_here) continue;
    EXPECT_THAT(info.line, HasSubstr("scripts/fetch_robots"));
  }
  EXPECT_EQ(names.front(), "arm7");
  EXPECT_EQ(names.back(), "tree20");
  EXPECT_THAT(names, testing::IsSupersetOf({"arm7_payload_adaptive", "go2", "g1", "talos"}));
  EXPECT_THAT(groups,
              testing::Each(testing::AnyOf("Arms", "Legged", "Closed chains", "Papers", "Large")));
}

TEST(SceneTableTest, EveryRowLoadsAndControls) {
  for (const SceneInfo& info : Scenes()) {
    if (!info.is_here) continue;
    SCOPED_TRACE(std::string(info.name));
    const auto scene = LoadScene(ReadConfig(std::string(info.name)));
    EXPECT_EQ(scene->config.name, info.name);
    EXPECT_EQ(scene->config.title, info.title);
    if (scene->closed) {
      EXPECT_THAT(scene->notices, Contains(HasSubstr("stay passive")));
      EXPECT_THAT(scene->notices, testing::Each(testing::AnyOf(HasSubstr("stay passive"),
                                                               HasSubstr("simulated harder"))));
    } else {
      EXPECT_THAT(scene->notices, ElementsAre());
    }
    ReferenceState reference{scene->q_start, scene->v_start, scene->v_start};
    scene->reference->Sample(0, reference);
    Measurement measured{0, scene->q_start, scene->v_start};
    if (scene->legs) {  // a standing robot
      const auto feet = static_cast<Eigen::Index>(scene->legs->feet.size());
      measured.foot_force = Eigen::VectorXd::Constant(feet, 100);
    }
    scene->controller->ResetState(measured, reference);
    ControlOutput output(*scene->controller);
    EXPECT_EQ(scene->controller->CalcControl(measured, reference, output), Status::kOk);
    EXPECT_TRUE(output.tau.allFinite());
    Eigen::VectorXd applied(scene->plant.nv());
    const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(scene->mj.get()));
    EXPECT_FALSE(scene->actuation.Apply(output.tau, d.get(), applied)) << "saturated at once";
    EXPECT_EQ(scene->velocity_names.size(), static_cast<size_t>(scene->plant.nv()));
  }
}

TEST_F(SceneTest, ResolvedConfigLoadsTheSameScene) {
  for (const SceneInfo& info : Scenes()) {
    if (!info.is_here) continue;
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
  EXPECT_THAT(scene->config.reference.Numbers("amplitude"),
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
    EXPECT_EQ(folder_.WithoutPath(error.what()), "m.xml: cannot be read: Permission denied");
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

TEST(SceneNoticeTest, StiffDampingIsTold) {
  const auto notices = [](const std::string& K_D, const std::string& mode) {
    return LoadScene(ReadConfig("arm7", {"controller.gain_form=diagonal", "gains.K_D=" + K_D,
                                         "control.mode=" + mode}))
        ->notices;
  };
  EXPECT_THAT(notices("500", "held"), ElementsAre(HasSubstr("gains.K_D is stiff for 1000 Hz")));
  EXPECT_THAT(notices("500", "every_stage"),
              ElementsAre(HasSubstr("gains.K_D is stiff for time steps of 0.001 s")));
  for (const char* mode : {"held", "every_stage"}) {
    EXPECT_THAT(notices("0.1", mode), ElementsAre()) << mode;
  }
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
      ElementsAre(
          HasSubstr("1 geom whose mesh is missing or in a format that is not read, the first is "
                    "package://robot/meshes/b.dae"),
          HasSubstr("links of a URDF do not touch"), HasSubstr("no body can have (A + B < C)"),
          HasSubstr("dry friction of 1 joint")));
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
  EXPECT_THAT(scene->notices,
              Contains(HasSubstr("turns without inertia about its axis get principal moments of at "
                                 "least 1e-6 kg·m², else nothing could be simulated: l1")));
}

TEST_F(SceneTest, UrdfWithoutCollisionGeometryShowsTheVisual) {
  const auto scene = LoadUrdf(R"(<robot name="r"><link name="base"/>
    <joint name="j1" type="continuous"><parent link="base"/><child link="l1"/><axis xyz="0 1 0"/></joint>
    <link name="l1"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
    </inertial><visual><geometry><sphere radius="1"/></geometry></visual></link></robot>)");
  EXPECT_EQ(scene->mj->ngeom, 1);
  EXPECT_EQ(scene->mj->body_mass[2], 2);
}

TEST_F(SceneTest, HashIsOfTheModelAlone) {
  const std::string hash = Load(Arm())->model_hash;
  EXPECT_EQ(hash.size(), 16u);
  EXPECT_EQ(Load(Arm(), {"gains.K_D=3"})->model_hash, hash);
  EXPECT_NE(Load(Arm("", "armature='.01'"))->model_hash, hash);
}

TEST_F(SceneTest, ScaledModelIsTheControllersOnly) {
  const auto scene = Load(Arm(), {"controller.model_scale=0.9"});
  EXPECT_NEAR(scene->control_model.bodies()[0].mass.mass, 0.9 * scene->plant.bodies()[0].mass.mass,
              1e-15);
  EXPECT_EQ(scene->controller->model().id(), scene->control_model.id());
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
  EXPECT_NEAR(believed.bodies()[0].mass.mass, 0.9 * plant.bodies()[0].mass.mass, 1e-15);
  const BodyParameters lower = CalcFrameParameters(believed, believed.FindFrame("lower"));
  const Eigen::Matrix3d inertia =
      (Eigen::Matrix3d() << 2, 0.1, 0.2, 0.1, 3, 0.3, 0.2, 0.3, 4).finished();
  const MassProperties given{3, Eigen::Vector3d(0.1, 0, 0.2), inertia};
  EXPECT_LE((lower - CalcBodyParameters(given)).norm(), 1e-13);
  EXPECT_NE(plant.bodies()[1].mass.mass, 3);
  // The resolved config finds the file from another folder.
  TemporaryFolder elsewhere;
  const auto again = LoadScene(ReadConfig(elsewhere.Write("r.yaml", ToYaml(scene->config))));
  EXPECT_EQ(again->control_model.bodies()[1].mass.mass, believed.bodies()[1].mass.mass);
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

TEST(Scene, LawsThatCountStepsCanOnlyBeHeld) {
  try {
    LoadScene(ReadConfig("quadruped", {"control.mode=every_stage"}));
    FAIL() << "loaded";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "--set control.mode: control.mode every_stage: controller.type whole_body counts "
                 "control steps; valid: held");
  }
}

TEST_F(SceneTest, AdaptiveAndObserverKeysReachTheLaw) {
  const auto scene = Load(Arm(), {"controller={type: adaptive, adapt_bodies: [lower]}",
                                  "gains.gamma=2", "observer={gain: [3, 4], threshold: 1}"});
  EXPECT_EQ(scene->controller->gain(2), Eigen::VectorXd::Constant(1, 2));
  EXPECT_EQ(scene->controller->state().size(), 10 + 2);
  EXPECT_EQ(scene->controller->signals().front().name, "/law/pi_hat/lower/m");
  EXPECT_EQ(scene->controller->signals().back().name, "/observer/in_contact");
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

}  // namespace scene_test
}  // namespace civita
