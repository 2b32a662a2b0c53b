#include "civita/scenes/plant/legged_urdf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "civita/centroidal.h"
#include "civita/controllers/legs/leg_kinematics.h"
#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/scenes/motion/reference_types.h"
#include "civita/scenes/plant/leg_start.h"
#include "civita/scenes/scene.h"
#include "civita/workspace.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace legged_urdf_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string Inertial(const char* mass, const char* z) {
  return "<inertial><origin xyz='0 0 " + std::string(z) + "'/><mass value='" + mass +
         "'/><inertia ixx='.01' ixy='0' ixz='0' iyy='.01' iyz='0' izz='.01'/></inertial>";
}

std::string Joint(const std::string& name, const char* type, const std::string& parent,
                  const std::string& child, const std::string& xyz, const char* rest) {
  return "<joint name='" + name + "' type='" + type + "'><origin xyz='" + xyz +
         "'/><parent link='" + parent + "'/><child link='" + child + "'/>" + rest + "</joint>";
}

// A quadruped of legs of three hinges, whose feet are fixed links. Each foot draws a small ball and
// collides by a larger one; the fourth foot's radius, half the distance of the hips and the knees'
// upper limit may be given.
std::string Quadruped(const std::string& last_radius = "0.025", const std::string& half = ".2",
                      const std::string& knee = "-.5") {
  std::string text = "<robot name='own'><link name='trunk'>" + Inertial("9", "0") +
                     "<visual><geometry><box size='.4 .2 .1'/></geometry></visual></link>";
  for (const std::string leg : {"lf", "rf", "lh", "rh"}) {
    const std::string x = (leg[1] == 'f' ? "" : "-") + half + " ",
                      y = leg[0] == 'l' ? ".1 0" : "-.1 0";
    text += "<link name='" + leg + "_hip'>" + Inertial(".5", "0") + "</link><link name='" + leg +
            "_thigh'>" + Inertial(".8", "-.1") +
            "<visual><origin xyz='0 0 -.1'/><geometry><box size='.03 .03 .2'/></geometry></visual>"
            "</link><link name='" +
            leg + "_shank'>" + Inertial(".2", "-.1") +
            "<visual><origin xyz='0 0 -.1'/><geometry><box size='.02 .02 .15'/></geometry></visual>"
            "<collision><origin xyz='0 0 -.1'/><geometry><cylinder radius='.01' length='.15'/>"
            "</geometry></collision></link><link name='" +
            leg + "_foot'>" + Inertial(".05", "0") +
            "<visual><geometry><sphere radius='.008'/></geometry></visual><collision><geometry>"
            "<sphere radius='" +
            (leg == "rh" ? last_radius : "0.025") + "'/></geometry></collision></link>";
    text += Joint(leg + "_roll", "revolute", "trunk", leg + "_hip", x + y,
                  "<axis xyz='1 0 0'/><limit lower='-.8' upper='.8' effort='30' velocity='20'/>");
    text += Joint(leg + "_pitch", "revolute", leg + "_hip", leg + "_thigh", "0 0 0",
                  "<axis xyz='0 1 0'/><limit lower='-1' upper='2' effort='30' velocity='20'/>");
    text += Joint(
        leg + "_knee", "revolute", leg + "_thigh", leg + "_shank", "0 0 -.2",
        ("<axis xyz='0 1 0'/><limit lower='-2.6' upper='" + knee + "' effort='30' velocity='20'/>")
            .c_str());
    text += Joint(leg + "_end", "fixed", leg + "_shank", leg + "_foot", "0 0 -.2", "");
  }
  return text + "</robot>";
}

// A biped whose soles are longer before the ankles, on a base that is turned by `yaw` in itself, so
// that its toes point to there. Knees bend ahead, and hardly behind.
std::string Biped(const std::string& yaw) {
  const auto box = [](const char* xyz, const char* size, const char* mass, const char* z) {
    const std::string shape =
        "<origin xyz='" + std::string(xyz) + "'/><geometry><box size='" + size + "'/></geometry>";
    return Inertial(mass, z) + "<visual>" + shape + "</visual><collision>" + shape +
           "</collision></link>";
  };
  const auto hinge = [](const char* axis, const char* limits) {
    return std::string("<axis xyz='") + axis + "'/><limit " + limits +
           " effort='200' velocity='20'/>";
  };
  std::string text = "<robot name='own'><link name='base'/>" +
                     Joint("turned", "fixed", "base", "trunk", "0 0 0' rpy='0 0 " + yaw, "") +
                     "<link name='trunk'>" + box("0 0 .2", ".15 .25 .4", "18", ".15");
  for (const std::string leg : {"l", "r"}) {
    for (const char* link : {"hip", "pelvis"}) {
      text += "<link name='" + leg + "_" + link + "'>" + Inertial(".4", "0") + "</link>";
    }
    text += "<link name='" + leg + "_thigh'>" + box("0 0 -.15", ".05 .05 .2", "2", "-.15") +
            "<link name='" + leg + "_shank'>" + box("0 0 -.15", ".04 .04 .2", "1.5", "-.15") +
            "<link name='" + leg + "_ankle'>" + Inertial(".2", "0") + "</link>" + "<link name='" +
            leg + "_foot'>" + box("0.04 0 -.05", ".2 .1 .03", ".5", "-.04");
    const std::string pitch = hinge("0 1 0", "lower='-1.8' upper='1.8'");
    text += Joint(leg + "_yaw", "revolute", "trunk", leg + "_pelvis",
                  leg == "l" ? "0 .1 -.05" : "0 -.1 -.05",
                  hinge("0 0 1", "lower='-1' upper='1'").c_str());
    text += Joint(leg + "_roll", "revolute", leg + "_pelvis", leg + "_hip", "0 0 0",
                  hinge("1 0 0", "lower='-.8' upper='.8'").c_str());
    text += Joint(leg + "_pitch", "revolute", leg + "_hip", leg + "_thigh", "0 0 0", pitch.c_str());
    text += Joint(leg + "_knee", "revolute", leg + "_thigh", leg + "_shank", "0 0 -.32",
                  hinge("0 1 0", "lower='-.3' upper='2.2'").c_str());
    text +=
        Joint(leg + "_flex", "revolute", leg + "_shank", leg + "_ankle", "0 0 -.32", pitch.c_str());
    text += Joint(leg + "_tilt", "revolute", leg + "_ankle", leg + "_foot", "0 0 0",
                  hinge("1 0 0", "lower='-.6' upper='.6'").c_str());
  }
  return text + "</robot>";
}

const std::vector<std::string> kLegged = {"controller.type=whole_body", "reference.type=hold",
                                          "robot.floating_base=true", "physics.contacts=true"};
constexpr const char* kShanks = "legs.feet=[lf_shank, rf_shank, lh_shank, rh_shank]";

Eigen::Index CoordinateOf(const Model& model, const std::string& name) {
  for (const auto& joint : model.joints()) {
    if (joint.name == name) return joint.iq;
  }
  return -1;
}

class OwnUrdfTest : public testing::Test {
 protected:
  std::unique_ptr<Scene> Load(const std::string& urdf, std::vector<std::string> overrides) {
    overrides.insert(overrides.begin(), kLegged.begin(), kLegged.end());
    std::string angles;
    for (const char* leg : {"lf", "rf", "lh", "rh"}) {
      angles +=
          std::string(angles.empty() ? "" : ", ") + leg + "_pitch: 0.7, " + leg + "_knee: -1.4";
    }
    overrides.push_back("initial.joints={" + angles + "}");
    return LoadScene(ReadConfig(folder_.Write("own.urdf", urdf), overrides));
  }
  std::unique_ptr<Scene> LoadAlone(const std::string& urdf,
                                   std::vector<std::string> overrides = {}) {
    overrides.insert(overrides.begin(), "controller.type=whole_body");
    return LoadScene(ReadConfig(folder_.Write("own.urdf", urdf), overrides));
  }
  // The error of running the file with these settings alone.
  std::string ErrorOf(const std::string& urdf, const std::vector<std::string>& overrides) {
    try {
      LoadScene(ReadConfig(folder_.Write("own.urdf", urdf), overrides));
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
  TemporaryFolder folder_;
};

TEST_F(OwnUrdfTest, StandsOnItsCollisionSpheres) {
  const auto scene = Load(Quadruped(), {kShanks});
  EXPECT_THAT(scene->notices, IsEmpty());
  EXPECT_THAT(FindStartFaults(*scene, FindFloorPlane({}, *scene->mj)), IsEmpty());
  const mjModel& m = *scene->mj;
  const int floor = mj_name2id(&m, mjOBJ_GEOM, "floor");
  int touching = 0;
  for (int geom = 0; geom < m.ngeom; ++geom) {
    if (m.geom_type[geom] != mjGEOM_SPHERE) continue;
    const bool touches = (m.geom_contype[floor] & m.geom_conaffinity[geom]) != 0;
    EXPECT_EQ(touches, m.geom_size[3 * geom] == 0.025);
    touching += touches ? 1 : 0;
  }
  EXPECT_EQ(touching, 4);
  for (const Foot& foot : scene->legs->feet) {
    ASSERT_EQ(foot.points.size(), 1);
    EXPECT_LT((foot.points[0] - Eigen::Vector3d(0, 0, -0.2)).norm(), 1e-12);
    EXPECT_EQ(foot.radius, 0.025);
  }
}

// The feet may differ, and the config's points replace the file's spheres.
TEST_F(OwnUrdfTest, RadiiMayDifferAndPointsReplaceSpheres) {
  const auto own = Load(Quadruped("0.027"), {kShanks});
  EXPECT_EQ(own->legs->feet[2].radius, 0.025);
  EXPECT_EQ(own->legs->feet[3].radius, 0.027);
  const auto given = Load(Quadruped(), {kShanks, "legs.points_m={rh_shank: [[0, 0, -0.205]]}",
                                        "legs.radius_m={rh_shank: 0.02}"});
  EXPECT_EQ(given->legs->feet[3].radius, 0.02);
  ASSERT_EQ(given->legs->feet[3].points.size(), 1);
  EXPECT_EQ(given->legs->feet[3].points[0].z(), -0.205);
}

// A root that floats in the file is the base.
TEST_F(OwnUrdfTest, AFloatingRootIsTheBase) {
  std::string urdf = Quadruped();
  urdf.insert(urdf.find("<link"),
              "<link name='map'/>" + Joint("drift", "floating", "map", "trunk", "0 0 .3", ""));
  const auto scene = Load(urdf, {kShanks});
  EXPECT_THAT(scene->notices, testing::Not(testing::Contains(HasSubstr("passive"))));
  EXPECT_THAT(FindStartFaults(*scene, FindFloorPlane({}, *scene->mj)), IsEmpty());
  EXPECT_EQ(scene->plant.nv(), 18);
  EXPECT_GE(mj_name2id(scene->mj.get(), mjOBJ_JOINT, "drift"), 0);
  EXPECT_GE(mj_name2id(scene->mj.get(), mjOBJ_GEOM, "floor"), 0);
  EXPECT_EQ(scene->actuation.upper()[6], 30) << "the file's limits";
  // Without feet that are named, too.
  const auto found = LoadAlone(urdf);
  EXPECT_EQ(found->legs->feet.size(), 4);
  EXPECT_EQ(found->plant.nv(), 18);
  // Another root joint is none of a floating base.
  std::string railed = Quadruped();
  railed.insert(railed.find("<link"),
                "<link name='map'/>" +
                    Joint("rail", "prismatic", "map", "trunk", "0 0 .3", "<axis xyz='1 0 0'/>"));
  railed.replace(railed.find("<link name='map'/>"), 18, "<link name='world'/>");
  railed.replace(railed.find("<parent link='map'/>"), 20, "<parent link='world'/>");
  EXPECT_THAT(ErrorOf(railed, kLegged),
              HasSubstr("the model's root moves on joint 'rail' already"));
}

// The robot's file and the law alone: all is found, each key is told with its rule, and the
// scene's config names it.
TEST_F(OwnUrdfTest, StandsByItsFileAlone) {
  const auto scene = LoadAlone(Quadruped());
  ASSERT_EQ(scene->legs->feet.size(), 4);
  EXPECT_THAT(FindStartFaults(*scene, FindFloorPlane({}, *scene->mj)), IsEmpty());
  EXPECT_THAT(scene->notices,
              testing::Contains(HasSubstr("legs.feet: [lf_foot, rf_foot, lh_foot, rh_foot] (the "
                                          "lowest ends of its chains of 3 joints, points)")));
  // The pendulum's frequency from the model's own centre of mass.
  Workspace<double> workspace(scene->plant);
  UpdateKinematics(scene->plant, scene->q_home, workspace);
  const double omega = std::sqrt(9.81 / CalcCenterOfMass(scene->plant, workspace).z());
  const SceneConfig& config = scene->config;
  EXPECT_NEAR(config.gains.at("Lambda").front(), 2.6 * omega, 0.01 * omega);
  EXPECT_NEAR(config.gains.at("K_D").front(), 5.2 * omega, 0.02 * omega);
  EXPECT_NEAR(config.legs.gait.step_s, 1.03 / omega, 0.005 / omega);
  EXPECT_NEAR(config.legs.gait.reach, 0.42 * 0.4 * std::cos(0.25), 1e-3)
      << "two links of 0.2 m, the knee bent by 0.5 rad at least";
  EXPECT_EQ(config.reference.type().name, "hold");
  const auto again = LoadScene(ReadConfig(folder_.Write("again.yaml", ToYaml(config))));
  EXPECT_EQ(again->q_start, scene->q_start);
  EXPECT_EQ(ToYaml(again->config), ToYaml(config));
}

// Where a file's base looks to means nothing: ahead is where the toes are, and knees bend there.
TEST_F(OwnUrdfTest, AheadIsWhereTheToesAre) {
  const std::pair<const char*, const char*> kWays[] = {{"0", "[1, 0, 0]"},
                                                       {"1.5708", "[0, 1, 0]"},
                                                       {"3.1416", "[-1, 0, 0]"},
                                                       {"-1.5708", "[0, -1, 0]"}};
  for (const auto& [yaw, way] : kWays) {
    const auto scene = LoadAlone(Biped(yaw));
    EXPECT_THAT(scene->notices,
                testing::Contains(HasSubstr("legs.ahead: " + std::string(way) +
                                            " (where its soles are longer, from the ankles)")));
    const double knee = scene->q_home[CoordinateOf(scene->control_model, "l_knee")];
    EXPECT_NEAR(knee, 0.75, 0.05) << yaw;
    LegOptions legs = *scene->legs;
    const Eigen::Matrix3d heading = TakeHome(scene->control_model, legs.q_home, &legs);
    EXPECT_NEAR(std::cos(std::stod(yaw)), heading(0, 0), 1e-4);
    EXPECT_NEAR(std::sin(std::stod(yaw)), heading(1, 0), 1e-4);
  }
}

// A knee bends to its other side where it hardly bends to the one that is wanted.
TEST_F(OwnUrdfTest, KneesBendAsFarAsTheirLimitsLet) {
  const auto scene = LoadAlone(Biped("0"), {"legs.ahead=[-2, 0, 0]"});
  EXPECT_NEAR(scene->q_home[CoordinateOf(scene->control_model, "r_knee")], 0.75, 0.05);
  EXPECT_EQ(scene->legs->ahead, Eigen::Vector3d(-2, 0, 0));
  EXPECT_THAT(ErrorOf(Biped("0"), {"controller.type=whole_body", "legs.ahead=[0, 0, 0]"}),
              HasSubstr("legs.ahead must have a direction"));
  EXPECT_THAT(ErrorOf(Biped("0"), {"controller.type=whole_body", "legs.ahead=[1]"}),
              HasSubstr("legs.ahead must be 3 numbers"));
}

TEST_F(OwnUrdfTest, WhatIsGivenStays) {
  const auto scene = LoadAlone(Quadruped(), {"gains.K_D=7", "gait.step_s=0.3",
                                             "reference.type=body", "gait.longest_step_s=0.3"});
  EXPECT_EQ(scene->config.gains.at("K_D").front(), 7);
  EXPECT_EQ(scene->config.legs.gait.step_s, 0.3);
  EXPECT_EQ(scene->config.reference.type().name, "body");
}

// A robot's file as it is says that it has legs; an arm's does not.
TEST_F(OwnUrdfTest, APlainRunSaysThatItHasLegs) {
  const auto of = [&](const std::string& urdf) {
    return LoadScene(ReadConfig(folder_.Write("own.urdf", urdf)))->notices;
  };
  EXPECT_THAT(of(Quadruped()),
              testing::Contains(HasSubstr("the robot has legs, with the feet lf_foot, rf_foot, "
                                          "lh_foot, rh_foot: --set controller.type=whole_body "
                                          "makes it stand on them")));
  // Legs that do not hold it are none.
  std::string weak = Quadruped();
  for (size_t at = weak.find("effort='30'"); at != weak.npos; at = weak.find("effort='30'")) {
    weak.replace(at, 11, "effort='.3'");
  }
  EXPECT_THAT(of(weak), testing::Not(testing::Contains(HasSubstr("has legs"))));
  EXPECT_THAT(ErrorOf(weak, {"controller.type=whole_body"}),
              HasSubstr("N·m to stand, its limit is 0.3"));
}

TEST_F(OwnUrdfTest, WhatHasNoLegsIsToldWhy) {
  const auto why = [&](const std::string& urdf) {
    return ErrorOf(urdf, {"controller.type=whole_body"});
  };
  const auto link = [](const std::string& name, const std::string& at) {
    return "<link name='" + name +
           "'><inertial><mass value='1'/><inertia ixx='.01' ixy='0' ixz='0' "
           "iyy='.01' iyz='0' izz='.01'/></inertial><collision><origin xyz='" +
           at + "'/><geometry><sphere radius='.03'/></geometry></collision></link>";
  };
  const auto hinge = [](const std::string& from, const std::string& to, const std::string& at) {
    return Joint(to + "_joint", "revolute", from, to, at.c_str(),
                 "<axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='30' velocity='9'/>");
  };
  // One end of a chain.
  std::string arm = "<robot name='arm'>" + link("base", "0 0 1") + link("upper", "0 0 -.2") +
                    hinge("base", "upper", "0 0 1");
  EXPECT_THAT(why(arm + "</robot>"), HasSubstr("the lowest ends of chains of joints are upper, not "
                                               "two or four"));
  // Two fingers at its end.
  const std::string hand = arm + link("left", "0 .1 -.3") + link("right", "0 -.1 -.3") +
                           hinge("upper", "left", "0 .1 -.3") +
                           hinge("upper", "right", "0 -.1 -.3");
  EXPECT_THAT(why(hand + "</robot>"), HasSubstr("left, right, on 1 joint of their own"));
  // What weighs hangs below its feet; a plain run of it says nothing of legs.
  std::string low = Quadruped();
  low.replace(low.find("<origin xyz='0 0 0'/>"), 21, "<origin xyz='0 0 -5'/>");
  EXPECT_THAT(why(low), HasSubstr("its centre of mass is not above its lowest ends"));
  EXPECT_THAT(LoadScene(ReadConfig(folder_.Write("low.urdf", low)))->notices,
              testing::Not(testing::Contains(HasSubstr("has legs"))));
  // A base below its ends.
  EXPECT_THAT(why("<robot name='up'>" + link("base", "0 0 -1") + link("tip", "0 0 .5") +
                  hinge("base", "tip", "0 0 0") + "</robot>"),
              HasSubstr("none of the ends of its chains of joints is among its lowest shapes"));
}

// Limits of several turns do not let the legs that are found bend the long way round.
TEST_F(OwnUrdfTest, FoundAnglesAreWithinATurn) {
  std::string urdf = Quadruped("0.025", ".2", "9.42");
  for (const std::string narrow : {"'-2.6'", "'-1'", "'2'", "'-.8'", "'.8'"}) {
    const std::string wide = narrow[1] == '-' ? "'-9.42'" : "'9.42'";
    for (size_t at = urdf.find("er=" + narrow); at != urdf.npos; at = urdf.find("er=" + narrow)) {
      urdf.replace(at + 3, narrow.size(), wide);
    }
  }
  const auto scene = LoadAlone(urdf);
  for (int joint = 1; joint < scene->mj->njnt; ++joint) {
    ASSERT_GT(scene->mj->jnt_range[2 * joint + 1], 9) << "the limits are wide";
    EXPECT_LT(std::abs(scene->q_home[scene->mj->jnt_qposadr[joint]]), 2.6);
  }
}

TEST_F(OwnUrdfTest, UnknownFeetAreToldTogether) {
  std::vector<std::string> overrides = kLegged;
  overrides.emplace_back("legs.feet=[lf_shnak, rf_shank, lh_shank, left]");
  const std::string error = ErrorOf(Quadruped(), overrides);
  EXPECT_THAT(error, HasSubstr("no body or site is named 'lf_shnak' (did you mean 'lf_shank'?); "
                               "legs.feet: no body or site is named 'left'"));
}

// Feet that are named bring no angles.
TEST_F(OwnUrdfTest, AnglesAreFoundWithoutFeetAlone) {
  const std::string urdf = Quadruped("0.025", ".12", "-1.2");
  std::vector<std::string> overrides = kLegged;
  overrides.emplace_back(kShanks);
  EXPECT_THAT(ErrorOf(urdf, overrides),
              HasSubstr("the robot cannot stand at its start: the centre of mass is "));
  EXPECT_THAT(ErrorOf(urdf, overrides), HasSubstr("without legs.feet a pose is found, too"));
  EXPECT_EQ(ErrorOf(urdf, kLegged), "");
}

}  // namespace legged_urdf_test
}  // namespace civita
