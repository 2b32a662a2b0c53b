#include "civita/scenes/plant/urdf_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/text.h"
#include "civita/error.h"
#include "civita/scenes/plant/model_file.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace urdf_text_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kInertial =
    "<inertial><mass value='2'/><inertia ixx='.1' ixy='0' ixz='0' iyy='.2' iyz='0' "
    "izz='.2'/></inertial>";

std::string Link(const std::string& name, const std::string& more = "") {
  return "<link name='" + name + "'>" + kInertial + more + "</link>\n";
}

std::string Joint(const std::string& name, const std::string& parent, const std::string& child,
                  const std::string& more = "", const std::string& type = "revolute") {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent +
         "'/><child link='" + child + "'/>" + more + "</joint>\n";
}

/// A forearm on an upper arm, joints `elbow` and `wrist`.
std::string Arm(const std::string& of_hand = "", const std::string& of_wrist = "",
                const std::string& more = "") {
  return "<robot name='arm'>\n" + Link("shelf") + Link("forearm") + Link("hand", of_hand) +
         Joint("elbow", "shelf", "forearm", "<axis xyz='0 1 0'/>") +
         Joint("wrist", "forearm", "hand", "<axis xyz='0 0 1'/>" + of_wrist) + more + "</robot>";
}

struct Loaded {
  MjModelPtr m;
  std::string notices, error;  ///< without the folder
};

Loaded Load(const std::string& urdf) {
  const TemporaryFolder folder;
  const std::string file = folder.Write("arm.urdf", urdf);
  Loaded loaded;
  std::vector<std::string> notices;
  try {
    loaded.m = LoadModelFile(file, {}, &notices);
  } catch (const UserError& error) {
    loaded.error = folder.WithoutPath(error.what());
  }
  std::erase_if(notices, [](const std::string& n) {
    return n.starts_with("the links of a URDF do not") ||
           n.starts_with("bodies without shapes are drawn as bones");
  });
  loaded.notices = folder.WithoutPath(internal::Join(notices, "\n"));
  return loaded;
}

/// Shapes but for the boxes that stand for those that are not there.
int CountShapes(const mjModel& m) {
  int count = 0;
  for (int i = 0; i < m.ngeom; ++i) {
    if (m.geom_type[i] != mjGEOM_BOX || m.geom_contype[i] != 0) ++count;
  }
  return count;
}

std::string NoticesOf(const std::string& urdf) {
  const Loaded loaded = Load(urdf);
  EXPECT_EQ(loaded.error, "");
  return loaded.notices;
}

std::string ErrorOf(const std::string& urdf) { return Load(urdf).error; }

TEST(UrdfText, AGoodFileHasNoNotice) {
  const Loaded arm =
      Load(Arm("<collision name='palm'><geometry><box size='.1 .1 .1'/></geometry></collision>",
               "<limit lower='-1' upper='2' effort='5' velocity='3'/>"));
  EXPECT_EQ(arm.error + arm.notices, "");
  ASSERT_EQ(arm.m->nv, 2);
  EXPECT_EQ(arm.m->jnt_range[3], 2);
  EXPECT_EQ(arm.m->ngeom, 1);
}

TEST(UrdfText, ShapesThatMujocoRefusesAreLeftOut) {
  const auto shape = [](const std::string& kind, const std::string& form) {
    return "<" + kind + "><geometry>" + form + "</geometry></" + kind + ">";
  };
  for (const std::string& form : std::vector<std::string>{
           "<sphere radius='0'/>", "<sphere/>", "<cylinder radius='.1'/>", "<cone size='1'/>",
           "<cylinder length='1' radius='-.1'/>", "<box size='1 2'/>", "<box size='1,2,3'/>",
           "<box size='1 1 nan'/>", "<capsule length='.2'/>", "<mesh/>", "<mesh filename=''/>",
           "<mesh filename='a.stl' scale='1 1 1 1'/>", "<mesh filename='a.stl' scale='0 1 1'/>", "",
           "<!-- <box size='1 1 1'/> -->"}) {
    for (const std::string kind : {"visual", "collision"}) {
      const Loaded arm = Load(Arm("\n" + shape(kind, form)));
      ASSERT_EQ(arm.error, "") << form;
      EXPECT_THAT(arm.notices,
                  HasSubstr("geometry left out: " + kind + " of link 'hand', line 5 ("))
          << form;
      EXPECT_EQ(CountShapes(*arm.m), 0);
      EXPECT_EQ(arm.m->body_mass[2], 2);
    }
  }
  // What is right beside it stays.
  const Loaded arm = Load(Arm(shape("collision", "<sphere radius='0'/>") +
                              shape("collision", "<capsule radius='.1' length='.2'/>")));
  EXPECT_EQ(CountShapes(*arm.m), 1);
}

TEST(UrdfText, TheFirstOfTwoCounts) {
  const std::string heavy =
      "<inertial><mass value='9'/><inertia ixx='9' ixy='0' ixz='0' iyy='9' iyz='0' "
      "izz='9'/></inertial>";
  const Loaded arm = Load(Arm("\n" + heavy));
  EXPECT_EQ(arm.m->body_mass[2], 2);
  EXPECT_EQ(arm.notices,
            "left out because the first one counts: <inertial> of link 'hand', line 5");
  EXPECT_THAT(NoticesOf(Arm("", "<axis xyz='1 0 0'/>")), HasSubstr("<axis> of joint 'wrist'"));
  EXPECT_THAT(NoticesOf(Arm("<visual><geometry><box size='1 1 1'/></geometry>"
                            "<material name='red'/><material name='blue'/></visual>")),
              AllOf(HasSubstr("materials left out: 'blue', line 4"), Not(HasSubstr("red"))));
  EXPECT_THAT(NoticesOf(Arm("<visual><geometry><box size='1 1 1'/></geometry>"
                            "<material name='red'><color rgba='1 0 0'/></material></visual>")),
              HasSubstr("materials left out: 'red', line 4 (rgba=\"1 0 0\" is not 4 numbers)"));
  const std::string shape = "<visual name='v'><geometry><box size='1 1 1'/></geometry></visual>";
  const Loaded twice = Load(Arm(shape + shape));
  EXPECT_EQ(twice.notices, "names left out that several shapes have: v");
  EXPECT_EQ(twice.m->ngeom, 2);
}

TEST(UrdfText, LimitsThatMeanNothingAreLeftOut) {
  const auto wrist = [](const std::string& limit) {
    return Load(Arm("", "<limit " + limit + "/>"));
  };
  for (const std::string limits :
       {"lower='1' upper='-1'", "lower='.5' upper='.5'", "lower='0' upper='inf'", "lower='1'"}) {
    const Loaded arm = wrist(limits);
    EXPECT_THAT(arm.notices, HasSubstr("joint 'wrist': its limits ")) << limits;
    EXPECT_EQ(arm.m->jnt_limited[1], 0);
  }
  // One that is missing is 0.
  EXPECT_EQ(wrist("upper='2'").m->jnt_range[3], 2);
  EXPECT_EQ(wrist("upper='2'").m->jnt_limited[1], 1);
  EXPECT_EQ(wrist("lower='-inf' upper='inf' effort='inf'").notices, "");
  const Loaded arm = wrist("effort='-5' velocity='-1'");
  EXPECT_THAT(arm.notices, AllOf(HasSubstr("joint 'wrist': effort -5 is left out"),
                                 HasSubstr("joint 'wrist': velocity -1 is left out")));
  EXPECT_EQ(arm.m->jnt_actfrclimited[1], 0);
  EXPECT_THAT(NoticesOf(Arm("", "<dynamics friction='-.1'/>")),
              HasSubstr("joint 'wrist': friction -.1 is left out"));
}

TEST(UrdfText, NegativeDampingActsAndIsTold) {
  const Loaded arm = Load(Arm("", "<dynamics damping='-0.25'/>"));
  EXPECT_THAT(arm.notices, HasSubstr("negative damping of joints wrist (-0.25): it drives them"));
  EXPECT_EQ(arm.m->dof_damping[1], -0.25);
}

TEST(UrdfText, MimicsWithoutALeaderAreLeftOut) {
  const auto mimic = [](const std::string& joint) { return "<mimic joint='" + joint + "'/>"; };
  EXPECT_EQ(NoticesOf(Arm("", mimic("elbow"))), "");
  EXPECT_EQ(Load(Arm("", mimic("elbow"))).m->neq, 1);
  EXPECT_EQ(NoticesOf(Arm("", mimic("elbo"))),
            "joint 'wrist': its <mimic> is left out, joint 'elbo' is not there");
  EXPECT_EQ(NoticesOf(Arm("", mimic("wrist"))),
            "joint 'wrist': its <mimic> is left out, it names the joint itself");
  EXPECT_EQ(NoticesOf(Arm("", "<mimic/>")),
            "joint 'wrist': its <mimic> is left out, it names no joint");
  const std::string tip = Link("tip") + Joint("weld", "hand", "tip", "", "fixed");
  EXPECT_EQ(NoticesOf(Arm("", mimic("weld"), tip)),
            "joint 'wrist': its <mimic> is left out, joint 'weld' has no axis of its own");
  const std::string circle = Link("tip") + Joint("last", "hand", "tip", mimic("wrist")) +
                             Link("tuft") + Joint("free", "tip", "tuft", mimic("last"));
  const Loaded arm = Load(Arm("", mimic("last"), circle));
  EXPECT_THAT(arm.notices,
              AllOf(HasSubstr("joint 'wrist': its <mimic> is left out, joint 'last' mimics it"),
                    HasSubstr("joint 'last': its <mimic> is left out, joint 'wrist' mimics it")));
  EXPECT_EQ(arm.m->neq, 1);
}

TEST(UrdfText, NamesThatAreTaken) {
  const Loaded arm = Load(Arm("", "", Link("tip") + Joint("wrist", "hand", "tip")));
  EXPECT_EQ(arm.notices,
            "two joints are named 'wrist', in lines 6 and 8: the second is called 'wrist_2'");
  EXPECT_STREQ(mj_id2name(arm.m.get(), mjOBJ_JOINT, 2), "wrist_2");
  EXPECT_EQ(ErrorOf(Arm("", "", Link("hand"))),
            "arm.urdf:7: there is a link 'hand' already, in line 4");
  EXPECT_EQ(ErrorOf(Arm("", "", "<link/>")), "arm.urdf:7: a <link> has no name");
  EXPECT_EQ(ErrorOf(Arm("", "", "<joint type='fixed'/>")), "arm.urdf:7: a <joint> has no name");
}

TEST(UrdfText, SeveralRoots) {
  const Loaded arm = Load(Arm("", "", Link("lamp")));
  EXPECT_EQ(arm.notices,
            "no joint has these links as its child, they are fixed to the world: "
            "shelf, lamp");
  EXPECT_EQ(arm.m->nv, 2);
  EXPECT_EQ(NoticesOf("<robot name='r'><link name='world'/>" + Link("a") +
                      Joint("j", "world", "a") + "</robot>"),
            "");
}

TEST(UrdfText, FloatingLinksHangOnTheWorldWhereTheirParentsAreFixed) {
  const Loaded loaded = Load(
      "<robot name='ship'>\n" + Link("quay") + Link("mast") + Link("buoy") + Link("flag") +
      Joint("post", "quay", "mast", "<origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/>", "fixed") +
      Joint("sea", "mast", "buoy", "<origin xyz='2 0 3' rpy='0.3 0 0'/>", "floating") +
      Joint("wind", "buoy", "flag", "<axis xyz='0 0 1'/>") + "</robot>");
  ASSERT_TRUE(loaded.m) << loaded.error;
  EXPECT_EQ(loaded.m->nv, 7);
  const int buoy = mj_name2id(loaded.m.get(), mjOBJ_BODY, "buoy");
  EXPECT_EQ(loaded.m->body_parentid[buoy], 0);
  const Eigen::Map<const Eigen::Vector3d> p(loaded.m->body_pos + 3 * buoy);
  EXPECT_LT((p - Eigen::Vector3d(1, 2, 3)).norm(), 1e-12);
  const mjtNum* quat = loaded.m->body_quat + 4 * buoy;
  const Eigen::Quaterniond R = Eigen::AngleAxisd(std::acos(0.0), Eigen::Vector3d::UnitZ()) *
                               Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitX());
  EXPECT_LT(R.angularDistance(Eigen::Quaterniond(quat[0], quat[1], quat[2], quat[3])), 1e-12);
}

TEST(UrdfText, WhatIsNoTreeIsRefused) {
  EXPECT_EQ(ErrorOf(Arm("", "", Joint("more", "shelf", "hand"))),
            "arm.urdf:7: link 'hand' is the child of two joints, 'wrist' in line 6 and 'more'");
  EXPECT_EQ(ErrorOf(Arm("", "", Joint("more", "hand", "hnad"))),
            "arm.urdf:7: <child> of joint 'more': unknown link 'hnad' (did you mean 'hand'?); "
            "valid: forearm, hand, shelf");
  EXPECT_THAT(ErrorOf(Arm("", "", Joint("more", "", "hand"))),
              HasSubstr("arm.urdf:7: <parent> of joint 'more': unknown link ''"));
  EXPECT_EQ(ErrorOf(Arm("", "", "<joint name='more' type='fixed'/>")),
            "arm.urdf:7: joint 'more' has no <parent>");
  EXPECT_EQ(ErrorOf(Arm("", "", Joint("more", "hand", "shelf"))),
            "arm.urdf:7: these joints go round in a circle: more, wrist, elbow");
  EXPECT_EQ(
      ErrorOf(Arm("", "", Link("a") + Link("b") + Joint("ab", "a", "b") + Joint("ba", "b", "a"))),
      "arm.urdf:10: these joints go round in a circle: ba, ab");
}

TEST(UrdfText, NumbersThatAreNoneAreRefused) {
  EXPECT_EQ(ErrorOf(Arm("", "", Link("a") + Joint("ja", "hand", "a", "\n<axis xyz='0,0,1'/>"))),
            "arm.urdf:9: <axis> of joint 'ja': xyz=\"0,0,1\" is not 3 numbers separated by blanks");
  EXPECT_THAT(ErrorOf(Arm("", "<origin xyz='0 0 nan'/>")),
              HasSubstr("arm.urdf:6: <origin> of joint 'wrist': xyz=\"0 0 nan\" is not 3"));
  EXPECT_THAT(ErrorOf(Arm("", "<origin rpy='0 0 inf'/>")), HasSubstr("rpy=\"0 0 inf\""));
  EXPECT_THAT(ErrorOf(Arm("", "<limit effort='5N'/>")),
              HasSubstr("<limit> of joint 'wrist': effort=\"5N\" is not a number"));
  EXPECT_THAT(ErrorOf(Arm("", "<dynamics damping='inf'/>")), HasSubstr("damping=\"inf\""));
  EXPECT_THAT(ErrorOf("<robot name='r'>" + Link("a") + Link("b") +
                      Joint("j", "a", "b", "<axis xyz='0 0 0'/>") + "</robot>"),
              HasSubstr("arm.urdf:3: the axis of joint 'j' has no direction"));
  EXPECT_THAT(ErrorOf(Arm("", "", "<link name='a'><inertial><mass/></inertial></link>")),
              HasSubstr("arm.urdf:7: <mass> of <inertial> of link 'a' needs value"));
  EXPECT_THAT(ErrorOf(Arm("", "", "<link name='a'><inertial><mass value='1'/></inertial></link>")),
              HasSubstr("arm.urdf:7: <inertia> is missing in <inertial> of link 'a'"));
  EXPECT_THAT(ErrorOf(Arm("", "", Joint("j", "hand", "a", "", "hinge") + Link("a"))),
              HasSubstr("joint 'j': unknown type 'hinge'"));
  EXPECT_THAT(NoticesOf(Arm("", "<origin xyz='' rpy='0 0 0'/>")),
              HasSubstr("read as absent because they are empty: xyz of <origin> of joint 'wrist'"));
  // A fixed joint needs no axis.
  EXPECT_EQ(
      NoticesOf(Arm("", "", Link("a") + Joint("f", "hand", "a", "<axis xyz='0 0 0'/>", "fixed"))),
      "");
}

TEST(UrdfText, CommentsAreNoElements) {
  EXPECT_EQ(NoticesOf(Arm("<!-- <inertial/> <visual/> -->",
                          "<!-- <limit lower='2' upper='1'/> --><limit lower='1' upper='2'/>",
                          "<!-- <link name='hand'/> <mujoco> -->")),
            "");
  EXPECT_EQ(Load("<!-- <mujoco/> -->" + Arm()).m->nv, 2);
}

TEST(UrdfText, OtherFilesAreNamed) {
  EXPECT_EQ(
      ErrorOf("<robot name='r' xmlns:xacro='x'>\n<xacro:property name='a' value='1'/></robot>"),
      "arm.urdf:2: <xacro:property> is a macro: xacro FILE.xacro > FILE.urdf makes the URDF");
  EXPECT_THAT(ErrorOf("<robot>\n<link name='a'>\n</robot>"),
              HasSubstr("arm.urdf:3:3: this is no XML"));
  EXPECT_THAT(
      ErrorOf("\n<sdf version='1.6'/>"),
      HasSubstr("arm.urdf:2: <sdf> is no model: MJCF begins with <mujoco>, a URDF with "
                "<robot>; SDF files are not read: convert it by `sdf2mjcf FILE.sdf FILE.xml` "
                "of the package sdformat-mjcf"));
  EXPECT_THAT(ErrorOf("\n<mujocoinclude/>"), HasSubstr("arm.urdf:2: this is a part that other"));
}

std::string Rotor(const std::string& joint, const std::string& of_actuator) {
  return "<transmission><joint name='" + joint + "'/><actuator name='motor'>" + of_actuator +
         "</actuator></transmission>\n";
}

TEST(UrdfText, RotorsAreArmatures) {
  const Loaded arm = Load(
      Arm("", "",
          Rotor("wrist", "<drake:rotor_inertia value='3e-5'/><drake:gear_ratio value='-60'/>") +
              Rotor("elbow", "<mechanicalReduction>50</mechanicalReduction>") +
              Rotor("nobody", "<drake:rotor_inertia value='1'/>")));
  ASSERT_TRUE(arm.m) << arm.error;
  const auto armature = [&arm](const char* joint) {
    return arm.m->dof_armature[arm.m->jnt_dofadr[mj_name2id(arm.m.get(), mjOBJ_JOINT, joint)]];
  };
  EXPECT_NEAR(armature("wrist"), 0.108, 1e-15);
  EXPECT_EQ(armature("elbow"), 0);
  EXPECT_EQ(arm.notices,
            "the armature of these joints is that of rotors, drake:rotor_inertia times the "
            "square of drake:gear_ratio: wrist");
  EXPECT_EQ(ErrorOf(Arm("", "", Rotor("wrist", "<drake:rotor_inertia value='-1'/>"))),
            "arm.urdf:7: a rotor's inertia is negative: -1");
}

// What would act on the motion is named, what would not is not.
TEST(UrdfText, ElementsThatAreNotReadAreNamedIfTheyMayAct) {
  const Loaded arm = Load(
      Arm("", "",
          "<transmission name='t'/><sensor name='s'/>\n<constraint name='belt' type='gear'/>\n"
          "<gazebo reference='hand'><material>Blue</material></gazebo>\n"
          "<gazebo><joint name='knot' type='ball'/></gazebo>\n"
          "<drake:joint name='swivel' type='universal'/><drake:collision_filter_group name='c'/>"));
  EXPECT_EQ(arm.notices,
            "left out, though they may act on the motion: constraint 'belt' in line 8, <gazebo> of "
            "robot 'arm' in line 10, drake:joint 'swivel' in line 11");
  EXPECT_EQ(arm.m->nv, 2);
}

TEST(UrdfText, TheWorldNeedsNoLink) {
  const Loaded loaded = Load("<robot name='r'>" + Link("pole") +
                             Joint("tilt", "world", "pole", "<axis xyz='1 0 0'/>") + "</robot>");
  ASSERT_TRUE(loaded.m) << loaded.error;
  EXPECT_EQ(loaded.m->nv, 1);
  EXPECT_EQ(loaded.notices, "link 'world', which no <link> describes, is taken as the world");
}

// MuJoCo and ROS read attributes without blanks between them.
TEST(UrdfText, AttributesMayFollowOneAnotherWithoutABlank) {
  const std::string arm = Arm("", "", "<!-- a=\"1\"b=\"2\" -->");
  std::string tight = arm;
  for (const char* name : {" type=", " iyz="}) {
    for (std::size_t at = tight.find(name); at != tight.npos; at = tight.find(name, at)) {
      tight.erase(at, 1);
    }
  }
  ASSERT_NE(tight, arm);
  const Loaded read = Load(tight);
  ASSERT_TRUE(read.m) << read.error;
  EXPECT_EQ(HashModel(*read.m), HashModel(*Load(arm).m));
  const TemporaryFolder folder;
  std::vector<std::string> notices;
  EXPECT_EQ(LoadModelFile(
                folder.Write("a.xml", R"(<mujoco><worldbody><body><joint axis='0 1 0'name="it's"/>
      <geom size=".1"mass="2"/></body></worldbody></mujoco>)"),
                {}, &notices)
                ->body_mass[1],
            2);
  EXPECT_THAT(ErrorOf("<robot>\n<link name='a'b=c/></robot>"), HasSubstr("arm.urdf:2:"));
}

}  // namespace urdf_text_test
}  // namespace civita
