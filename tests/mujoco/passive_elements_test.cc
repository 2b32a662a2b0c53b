// Passive forces against MuJoCo's own, at random states, with every flag and every kind of force
// that only MuJoCo has.

#include "civita/mujoco/passive_elements.h"

#include <tuple>

#include "civita/error.h"
#include "civita/manifold.h"
#include "civita/mujoco/constraints.h"
#include "civita/mujoco/convert.h"
#include "civita/passive_forces.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/core_dynamics.h"
#include "tests/oracles/mujoco/mujoco_passive.h"
#include "tests/oracles/mujoco/mujoco_tree.h"
#include "tests/oracles/random_model.h"
#include "tests/oracles/seeds.h"

namespace civita {
namespace passive_elements_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using ModelPtr = std::unique_ptr<mjModel, MujocoDeleter>;

/// The largest difference of the passive forces from MuJoCo's over some states, relative to them.
double ErrorAt(const mjModel& m) {
  const Model model = BuildModel(m);
  double worst = 0;
  for (unsigned seed = 0; seed < 5; ++seed) worst = std::max(worst, PassiveError(m, model, seed));
  return worst;
}

TEST(PassiveElements, OfRandomTreesAreMujocos) {
  for (unsigned seed = 0; seed < Seeds(150); ++seed) {
    SCOPED_TRACE(seed);
    const TreeSpec spec = RandomTree(seed, {.passive = true, .helical = false});
    const MujocoTree tree = LoadInMujoco(spec);
    const Model model = BuildModel(*tree.model);
    ASSERT_LE(PassiveError(*tree.model, model, seed), 1e-13);
    ASSERT_THAT(DescribeUnmodelledForces(*tree.model), IsEmpty());
    // The Model that was built without MuJoCo has the same forces.
    std::mt19937 random(seed);
    const Eigen::VectorXd q = RandomPosition(spec, &random), v = RandomVector(spec.nv, &random);
    Eigen::VectorXd ours = Eigen::VectorXd::Zero(spec.nv), theirs = ours;
    AddPassiveForces(BuildTree(spec), q, v, {.speed = 0.1}, 1, ours);
    AddPassiveForces(model, tree.ToQpos(q), tree.ToQvel(v), {.speed = 0.1}, 1, theirs);
    ASSERT_LE(RelativeError(tree.FromQvel(theirs), ours), 1e-12);
  }
}

/// A mechanism with every kind of force that the Model has.
std::string EveryKind(const std::string& flags, const std::string& more = "") {
  return "<mujoco><option><flag " + flags + R"(/></option><worldbody>
    <body pos="0 0 1"><joint name="a" axis="0 1 0" ref="20" springref="50" stiffness="10 -5 3"
      damping="1 2 3" frictionloss="2" limited="true" range="-9 9"/>
      <geom type="capsule" size=".03" fromto="0 0 0 .4 0 0"/>
      <body name="fore" pos=".4 0 0"><joint name="b" type="slide" axis="0 1 0" stiffness="7"/>
        <geom type="capsule" size=".03" fromto="0 0 0 .4 0 0"/>
        <body pos=".4 0 0"><joint name="c" type="ball" stiffness="3 2 1" damping=".5 .1 .2"
          frictionloss=".3"/><geom size=".1" pos=".1 .2 0"/><site name="tip"/></body></body></body>
    <body pos="2 0 1"><joint type="free" stiffness="4 3 2" damping=".1 .2 .3"/><geom size=".1"/></body>
    <site name="wall" pos="0 0 2"/></worldbody>
    <tendon><fixed name="cord" stiffness="6 5 4" springlength="-.2 .3" damping="1 2 3"
      frictionloss="1.5"><joint joint="a" coef="2"/><joint joint="b" coef="-1.5"/></fixed></tendon>
    <actuator><motor joint="a" gear="-3" damping=".4 .3 .2" armature=".2"/>
      <motor jointinparent="a" gear="2" damping=".1" armature=".1"/>
      <motor joint="c" gear="2 1 0" damping=".2 0 .1" armature=".3"/>
      <motor tendon="cord" gear="1.5" damping=".3 .2 .1"/></actuator>)" +
         more + "</mujoco>";
}

TEST(PassiveElements, ObeyFlags) {
  const char* names[] = {"spring", "damper", "frictionloss", "constraint", "gravity", "limit"};
  for (unsigned disabled = 0; disabled < 64; ++disabled) {
    std::string flags;
    for (unsigned i = 0; i < 6; ++i) {
      if ((disabled >> i & 1) != 0) flags += std::string(names[i]) + "=\"disable\" ";
    }
    SCOPED_TRACE(flags);
    const ModelPtr m = CompileMjcf(EveryKind(flags));
    EXPECT_LE(ErrorAt(*m), 1e-13);
    EXPECT_THAT(DescribeUnmodelledForces(*m), IsEmpty());
  }
}

TEST(PassiveElements, SeveralActuatorsOfAJointAddUp) {
  const ModelPtr m = CompileMjcf(EveryKind(""));
  ASSERT_EQ(m->jnt_actuatorid[0], -2);  // MuJoCo's mark of several
  const Model model = BuildModel(*m);
  EXPECT_DOUBLE_EQ(model.damping()[0], 1 + 9 * 0.4 + 4 * 0.1);
  EXPECT_DOUBLE_EQ(model.damping_poly()(0, 1), 3 + 9 * 0.2);
  EXPECT_DOUBLE_EQ(model.armature()[0], 9 * 0.2 + 4 * 0.1);
  EXPECT_DOUBLE_EQ(model.armature()[3], 4 * 0.3);
  const std::unique_ptr<mjData, MujocoDeleter> d(mj_makeData(m.get()));
  mj_forward(m.get(), d.get());
  Eigen::MatrixXd H(m->nv, m->nv);
  mj_fullM(m.get(), d.get(), H.data());
  const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(m->qpos0, m->nq);
  EXPECT_LE(RelativeError(CalcCoreDynamics(model, q, Eigen::VectorXd::Zero(m->nv)).H, H), 1e-13);
}

TEST(PassiveElements, ASpringsRestIsTheModelsPose) {
  const ModelPtr m = CompileMjcf(EveryKind(""));
  mju_copy(m->qpos_spring + m->jnt_qposadr[2], (const mjtNum[]){0.8, 0.6, 0, 0}, 4);
  m->qpos_spring[m->jnt_qposadr[3]] += 0.3;
  m->tendon_lengthspring[1] = 0.1;
  EXPECT_LE(ErrorAt(*m), 1e-13);
}

/// What `more` of the elements, or `flags`, is called, and that without it nothing is called.
std::vector<std::string> Describe(const std::string& more, const std::string& flags = "") {
  return DescribeUnmodelledForces(*CompileMjcf(EveryKind(flags, more)));
}

constexpr char kActing[] = ": they act on the robot, but the law does not know of them";

TEST(PassiveElements, ForcesOfSpatialTendonsAreNamed) {
  const auto rope = [](const std::string& force) {
    return "<tendon><spatial name=\"rope\" " + force +
           "><site site=\"tip\"/><site site=\"wall\"/></spatial></tendon>";
  };
  EXPECT_THAT(Describe(rope("")), IsEmpty());
  const std::tuple<std::string, std::string, std::string> kinds[] = {
      {"stiffness='0 0 2'", "springs of spatial tendons", "spring"},
      {"damping='0 1 0'", "damping of spatial tendons", "damper"},
      {"frictionloss='1'", "dry friction of spatial tendons", "frictionloss"},
      {"frictionloss='1'", "dry friction of spatial tendons", "constraint"},
      {"limited='true' range='0 5'", "limits of tendons", "limit"},
      {"limited='true' range='0 5'", "limits of tendons", "constraint"}};
  for (const auto& [force, kind, flag] : kinds) {
    EXPECT_THAT(Describe(rope(force)), ElementsAre(kind + " rope" + kActing));
    EXPECT_THAT(Describe(rope(force), flag + "='disable'"), IsEmpty());
  }
  EXPECT_THAT(Describe(rope("") + "<actuator><motor tendon='rope' damping='1'/></actuator>"),
              ElementsAre(HasSubstr("damping of spatial tendons rope")));
  // The fixed tendon's forces are the Model's; the limits of both are not.
  EXPECT_THAT(
      Describe(rope("stiffness='1' limited='true' range='0 5'") +
               "<tendon><fixed limited='true' range='0 5'><joint joint='a' coef='1'/></fixed>"
               "</tendon>"),
      ElementsAre(std::string("limits of tendons rope, 2") + kActing,
                  std::string("springs of spatial tendons rope") + kActing));
}

TEST(PassiveElements, OtherForcesAreNamed) {
  const auto world = [](const std::string& body) { return "<worldbody>" + body + "</worldbody>"; };
  EXPECT_THAT(Describe(world("<geom name='tape' type='plane' size='1 1 1' adhesion='3'/>")),
              ElementsAre(std::string("adhesion of geoms tape") + kActing));
  EXPECT_THAT(Describe(world("<geom name='tape' type='plane' size='1 1 1' adhesion='3'/>"),
                       "contact='disable'"),
              IsEmpty());
  const auto flex = [&](const std::string& count, const std::string& elements) {
    return world("<flexcomp name='cloth' type='grid' spacing='.1 .1 .1' mass='1' pos='5 0 1' " +
                 count + ">" + elements + "</flexcomp>");
  };
  for (const std::string& cloth :
       {flex("count='4 1 1' dim='1'", "<edge stiffness='5' damping='2'/>"),
        flex("count='3 3 1' dim='2'",
             "<elasticity young='1e4' thickness='.01' damping='.1' "
             "elastic2d='both'/>")}) {
    EXPECT_THAT(Describe(cloth), ElementsAre(HasSubstr("elasticity of flexes cloth"),
                                             HasSubstr("damping of flexes cloth")));
    EXPECT_THAT(Describe(cloth, "spring='disable'"),
                ElementsAre(HasSubstr("damping of flexes cloth")));
  }
  EXPECT_THAT(Describe(flex("count='3 3 1' dim='2'", "")), IsEmpty());
}

TEST(PassiveElements, SpringsThatYieldAndDampersThatFallAreNamed) {
  EXPECT_THAT(Describe("<worldbody><body pos='3 0 1'><joint name='wire' stiffness='2' "
                       "springyield='9'/><geom size='.1'/></body></worldbody>"),
              ElementsAre("springs of joints wire: the law does not know that they yield "
                          "(springyield)"));
  EXPECT_THAT(Describe("<worldbody><body pos='3 0 1'><joint name='engine' damping='-.5'/>"
                       "<geom size='.1'/></body></worldbody>"),
              ElementsAre("negative damping of joints engine (-0.5): it drives them, as the file "
                          "says"));
  for (const char* damping : {"0 -1", "1 -2 1", "1 1 -1"}) {
    SCOPED_TRACE(damping);
    const std::string joint =
        std::string("<worldbody><body pos='3 0 1'><joint name='fan' damping='") + damping +
        "'/><geom size='.1'/></body></worldbody>";
    EXPECT_THAT(Describe(joint),
                ElementsAre(HasSubstr("damping of joints fan: at some velocities")));
    EXPECT_THAT(Describe(joint, "damper='disable'"), IsEmpty());
  }
  EXPECT_THAT(Describe("<tendon><fixed name='belt' damping='3 -3.1 1'><joint joint='a' coef='1'/>"
                       "</fixed></tendon>"),
              ElementsAre(HasSubstr("damping of tendons belt: at some velocities")));
  EXPECT_THAT(Describe("<tendon><fixed damping='3 -2.9 1'><joint joint='a' coef='1'/></fixed>"
                       "</tendon>"),
              IsEmpty());
}

TEST(PassiveElements, WhatActsOnNoBodyIsNoError) {
  const auto error = [](const std::string& xml) -> std::string {
    try {
      BuildModel(*CompileMjcf(xml));
    } catch (const UserError& refused) {
      return refused.what();
    }
    return "";
  };
  const auto floating = [](const std::string& flags) {
    return "<mujoco><option density='1'><flag " + flags +
           "/></option><worldbody><body gravcomp='1'><joint/><geom size='.1'/></body></worldbody>"
           "</mujoco>";
  };
  EXPECT_THAT(error(floating("")), HasSubstr("gravcomp"));
  EXPECT_THAT(error(floating("spring='disable'")), HasSubstr("gravcomp"));
  EXPECT_EQ(error(floating("spring='disable' damper='disable'")), "");
  EXPECT_THAT(error(EveryKind("",
                              "<actuator><motor name='winch' tendon='cord' armature='1'/>"
                              "</actuator>")),
              HasSubstr("actuator 'winch' adds armature to a tendon"));
}

TEST(PassiveElements, EqualitiesObeyFlags) {
  const std::string pin = "<equality><connect site1='tip' site2='wall'/></equality>";
  for (const char* flag : {"equality", "constraint"}) {
    const ModelPtr m = CompileMjcf(EveryKind(std::string(flag) + "='disable'", pin));
    EXPECT_TRUE(ReadConstraints(*m, BuildModel(*m)).empty()) << flag;
  }
  const ModelPtr m = CompileMjcf(EveryKind("", pin));
  EXPECT_FALSE(ReadConstraints(*m, BuildModel(*m)).empty());
}

}  // namespace passive_elements_test
}  // namespace civita
