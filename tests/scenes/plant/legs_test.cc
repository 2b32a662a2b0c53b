#include "civita/scenes/plant/legs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "civita/centroidal.h"
#include "civita/error.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/rnea.h"
#include "civita/scenes/scene.h"
#include "civita/workspace.h"
#include "tests/scenes/motion/moving_model.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace legs_test {

using testing::ElementsAre;
using testing::HasSubstr;

struct Robot {
  const char* scene;
  double mass, height;  // kg, m: as in its README
  size_t feet, balls;
};
void PrintTo(const Robot& robot, std::ostream* stream) { *stream << robot.scene; }

class OwnLegsTest : public testing::TestWithParam<Robot> {
 protected:
  OwnLegsTest() : scene_(LoadScene(ReadConfig(GetParam().scene))), workspace_(scene_->plant) {}

  // Joints anywhere in their ranges, the base anywhere.
  Eigen::VectorXd RandomPosition(std::mt19937* random) const {
    const mjModel& m = *scene_->mj;
    Eigen::VectorXd q = RandomVector(m.nq, 1, random);
    q.segment<4>(3).normalize();
    for (int joint = 1; joint < m.njnt; ++joint) {
      const mjtNum* range = m.jnt_range + 2 * joint;
      double& value = q[m.jnt_qposadr[joint]];
      value = range[0] + (range[1] - range[0]) * 0.5 * (value + 1);
    }
    return q;
  }

  std::unique_ptr<Scene> scene_;
  Workspace<double> workspace_;
};

TEST_P(OwnLegsTest, IsAsItsReadmeSays) {
  EXPECT_EQ(scene_->plant.nv(), 26);
  EXPECT_EQ(scene_->mj->nu, 20);
  EXPECT_THAT(scene_->notices, ElementsAre());
  EXPECT_NEAR(CalcTotalMass(scene_->plant), GetParam().mass, 1e-9);
  EXPECT_NEAR(scene_->q_start[2], GetParam().height, 5e-4);
  ASSERT_NE(scene_->legs, nullptr);
  EXPECT_EQ(scene_->legs->feet.size(), GetParam().feet);
  for (const Foot& foot : scene_->legs->feet) EXPECT_EQ(foot.points.size(), GetParam().balls);
  for (int iv = 0; iv < 26; ++iv) {
    const bool joint = iv >= 6;
    EXPECT_EQ(std::isfinite(scene_->actuation.speed_max()[iv]), joint);
    EXPECT_EQ(scene_->legs->tau_max[iv] > 0, joint);
    EXPECT_EQ(scene_->plant.armature()[iv], joint ? 0.01 : 0);
  }
}

// Its balls just touch the floor at the start, so that it stands for a moment without control.
TEST_P(OwnLegsTest, StartsWithItsFeetOnTheFloor) {
  UpdateKinematics<double>(scene_->plant, scene_->q_start, workspace_);
  const Eigen::Vector3d c = CalcCenterOfMass(scene_->plant, workspace_);
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();
  for (const Foot& foot : scene_->legs->feet) {
    const auto pose = CalcFramePose(scene_->plant, foot.frame, workspace_);
    for (const Eigen::Vector3d& point : foot.points) {
      const Eigen::Vector3d center = pose.R * point + pose.p;
      EXPECT_NEAR(center.z(), foot.radius, 1e-8) << foot.name;
      middle += center / static_cast<double>(foot.points.size() * scene_->legs->feet.size());
    }
  }
  EXPECT_LT((c - middle).head<2>().norm(), 0.005);
  const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(scene_->mj.get()));
  std::copy(scene_->q_start.begin(), scene_->q_start.end(), d->qpos);
  d->qpos[2] -= 1e-5;  // so that the balls touch
  mj_forward(scene_->mj.get(), d.get());
  EXPECT_EQ(d->ncon, static_cast<int>(GetParam().feet * GetParam().balls));
}

// Its weight, shared by all balls, needs less than half of each motor's torque.
TEST_P(OwnLegsTest, CanStand) {
  const Model& model = scene_->plant;
  const int nv = model.nv();
  UpdateKinematics<double>(model, scene_->q_start, workspace_);
  Eigen::VectorXd tau(nv);
  CalcGravityForces<double>(model, workspace_, tau);
  const double share = tau[2] / static_cast<double>(GetParam().feet * GetParam().balls);
  for (const Foot& foot : scene_->legs->feet) {
    for (const Eigen::Vector3d& point : foot.points) {
      Eigen::MatrixXd J(6, nv);
      CalcFrameJacobian<double>(model, {foot.frame, point}, workspace_, J);
      tau -= J.row(5).transpose() * share;
    }
  }
  EXPECT_LT(tau.head<6>().norm(), 0.02 * CalcTotalMass(model) * 9.81);
  for (int iv = 6; iv < nv; ++iv) {
    EXPECT_LT(std::abs(tau[iv]), 0.5 * scene_->legs->tau_max[iv]) << scene_->plant.VelocityName(iv);
  }
}

TEST_P(OwnLegsTest, DynamicsAreMujocos) {
  const Model& model = scene_->plant;
  const int nv = model.nv();
  const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(scene_->mj.get()));
  std::mt19937 random(7);
  Eigen::MatrixXd H(nv, nv);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> H_mujoco(nv, nv);
  Eigen::VectorXd bias(nv);
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::VectorXd q = RandomPosition(&random), v = RandomVector(nv, 5, &random);
    std::copy(q.begin(), q.end(), d->qpos);
    std::copy(v.begin(), v.end(), d->qvel);
    mj_forward(scene_->mj.get(), d.get());
    mj_fullM(scene_->mj.get(), d.get(), H_mujoco.data());
    UpdateKinematics<double>(model, q, v, workspace_);
    CalcMassMatrix(model, workspace_, H);
    CalcInverseDynamics<double>(model, Eigen::VectorXd::Zero(nv), workspace_, bias);
    const Eigen::Map<Eigen::VectorXd> bias_mujoco(d->qfrc_bias, nv);
    EXPECT_LT((H - H_mujoco).norm(), 1e-12 * H.norm());
    EXPECT_LT((bias - bias_mujoco).norm(), 1e-12 * bias.norm());
  }
}

INSTANTIATE_TEST_SUITE_P(Robots, OwnLegsTest,
                         testing::Values(Robot{"quadruped", 18, 0.3267, 4, 1},
                                         Robot{"biped", 34.2, 0.6535, 2, 4}));

// A trunk on two legs of one joint each; `%` is replaced by a leg's ball.
std::string Walker(const std::string& left, const std::string& right) {
  return R"(<mujoco><worldbody><geom type="plane" size="5 5 1"/><body name="trunk" pos="0 0 1">
    <freejoint/><inertial mass="5" pos="0 0 0" diaginertia=".1 .1 .1"/>
    <body name="left" pos="0 .1 0"><joint name="l" axis="0 1 0"/>
    <inertial mass="1" pos="0 0 -.2" diaginertia=".01 .01 .01"/>)" +
         left + R"(<site name="sole" pos=".1 0 -.4" euler="0 0 90"/></body>
    <body name="right" pos="0 -.1 0"><joint name="r" axis="0 1 0"/>
    <inertial mass="1" pos="0 0 -.2" diaginertia=".01 .01 .01"/>)" +
         right + R"(</body></body></worldbody></mujoco>)";
}
constexpr const char* kBall = "<geom size='.02' pos='0 0 -.4'/>";

class LegsTest : public testing::Test {
 protected:
  std::unique_ptr<Scene> Load(const std::string& model, const std::vector<std::string>& overrides) {
    return LoadScene(ReadConfig(folder_.Write("m.xml", model), overrides));
  }
  std::string ErrorOf(const std::string& model, const std::vector<std::string>& overrides) {
    try {
      Load(model, overrides);
    } catch (const UserError& error) {
      return folder_.WithoutPath(error.what());
    }
    return "";
  }
  TemporaryFolder folder_;
};

TEST_F(LegsTest, FindsBallsInTheNamedFrame) {
  const std::string drawn = "<geom size='.03' contype='0' conaffinity='0'/>";
  const auto scene =
      Load(Walker(drawn + kBall, kBall), {"legs.feet=[sole, right]", "legs.friction=0.6"});
  ASSERT_EQ(scene->legs->feet.size(), 2);
  EXPECT_LT((scene->legs->feet[0].points[0] - Eigen::Vector3d(0, 0.1, 0)).norm(), 1e-12);
  EXPECT_LT((scene->legs->feet[1].points[0] - Eigen::Vector3d(0, 0, -0.4)).norm(), 1e-12);
  EXPECT_EQ(scene->legs->feet[0].radius, 0.02);
  EXPECT_EQ(scene->legs->friction, 0.6);
  EXPECT_EQ(scene->legs->tau_max[6], std::numeric_limits<double>::infinity());
  EXPECT_EQ(Load(Walker(kBall, kBall), {})->legs, nullptr);
}

TEST_F(LegsTest, SetsTheRobotOnTheFloor) {
  const std::string points = "[[0.1, 0, -0.4], [0, 0.1, -0.4], [0, -0.1, -0.4]]";
  const auto scene = Load(
      Walker("", ""), {"legs.feet=[left, right]", "legs.radius_m=0.03", "legs.points_m=" + points,
                       "initial.joints.l=0.5", "initial.joints.r=-0.2"});
  EXPECT_TRUE(scene->legs->feet[0].flat());
  EXPECT_EQ(scene->q_start[7], 0.5);
  EXPECT_EQ(scene->q_start[8], -0.2);
  // The lowest is the left toe: z of (0.1, -0.4) turned by 0.5 about y.
  EXPECT_NEAR(scene->q_start[2], 0.03 + 0.1 * std::sin(0.5) + 0.4 * std::cos(0.5), 1e-12);
  const auto again = LoadScene(ReadConfig(folder_.Write("c.yaml", ToYaml(scene->config))));
  EXPECT_EQ(again->q_start, scene->q_start);
  EXPECT_EQ(again->model_hash, scene->model_hash);
}

TEST_F(LegsTest, AFileWithoutAFloorGetsOneToStandOn) {
  std::string model = Walker(kBall, kBall);
  const std::string plane = R"(<geom type="plane" size="5 5 1"/>)";
  model.erase(model.find(plane), plane.size());
  const auto scene = Load(model, {"legs.feet=[left, right]", "ground.friction=0.3"});
  const int floor = mj_name2id(scene->mj.get(), mjOBJ_GEOM, "floor");
  ASSERT_GE(floor, 0);
  EXPECT_EQ(scene->mj->geom_type[floor], mjGEOM_PLANE);
  EXPECT_EQ(scene->mj->geom_friction[3 * floor], 0.3);
  EXPECT_NEAR(scene->q_start[2], 0.42, 1e-12);
  EXPECT_EQ(
      std::ranges::count(scene->notices,
                         "the file has no floor to stand on: a plane at the height 0 is added"),
      1);
  EXPECT_EQ(Load(model, {})->mj->ngeom, 2) << "without feet there is none";
}

TEST_F(LegsTest, PointsAndRadiiMayDifferByFoot) {
  const std::vector<std::string> overrides = {
      "legs.feet=[sole, right]",
      "legs.points_m={sole: [[0.01, 0.02, 0.03]], right: [[0, 0, -0.4]]}",
      "legs.radius_m={right: 0.03}"};
  const auto scene = Load(Walker("", ""), overrides);
  const Foot &left = scene->legs->feet[0], &right = scene->legs->feet[1];
  EXPECT_LT((left.points[0] - Eigen::Vector3d(0.01, 0.02, 0.03)).norm(), 1e-12);
  EXPECT_LT((right.points[0] - Eigen::Vector3d(0, 0, -0.4)).norm(), 1e-12);
  EXPECT_EQ(left.radius, 0.02);
  EXPECT_EQ(right.radius, 0.03);
  // The ball is on the body, at the point given in the site's axes, which are turned by 90°.
  const mjModel& m = *scene->mj;
  const int geom = m.body_geomadr[mj_name2id(&m, mjOBJ_BODY, "left")];
  const Eigen::Map<const Eigen::Vector3d> center(m.geom_pos + 3 * geom);
  EXPECT_LT((center - Eigen::Vector3d(0.08, 0.01, -0.37)).norm(), 1e-9);
  const std::string text = ToYaml(scene->config);
  EXPECT_THAT(text, HasSubstr("points_m: {right: [[0, 0, -0.4]], sole: [[0.01, 0.02, 0.03]]}"));
  EXPECT_THAT(text, HasSubstr("radius_m: {right: 0.03}"));
  const auto again = LoadScene(ReadConfig(folder_.Write("c.yaml", text)));
  EXPECT_EQ(again->model_hash, scene->model_hash);
}

TEST_F(LegsTest, BadLegsAreTold) {
  const std::string walker = Walker(kBall, kBall);
  const struct {
    std::vector<std::string> overrides;
    const char* error;
  } rows[] = {
      {{"legs.feet=[left, rihgt]"},
       "--set legs.feet: unknown body or frame 'rihgt' (did you mean 'right'?); valid: trunk, "
       "left, right, sole"},
      {{"legs.feet=[left]"}, "--set legs.feet: legs.feet: two feet or more are wanted"},
      {{"legs.feet=[left, left]"}, "--set legs.feet: legs.feet: left is named twice"},
      {{"legs.feet=[left, right, a, b, c]"}, "--set legs.feet: legs.feet: 4 feet at most, not 5"},
      {{"legs.feet=[left, trunk]"},
       "--set legs.feet: legs.feet: trunk has no sphere that touches others; legs.points_m gives "
       "it some"},
      {{"legs.feet=[left, right]", "legs.points_m=[[0, 0, 0]]", "legs.radius_m=0.02"},
       "--set legs.feet: legs.feet: left has 2 balls; a point foot has 1, a flat one 3 or more"},
      {{"legs.feet=[left, right]", "legs.points_m=[[0, 0, 0]]", "legs.radius_m=0.03"},
       "--set legs.feet: legs.feet: the balls of left have different radii, 0.02 and 0.03 m"},
      {{"legs.feet=[left, right]", "legs.points_m=[[0, 0]]"},
       "--set legs.points_m: legs.points_m: each point is 3 numbers"},
      {{"legs.feet=[left, right]", "legs.points_m={rihgt: [[0, 0, 0]]}"},
       "--set legs.points_m: legs.points_m: unknown foot 'rihgt' (did you mean 'right'?); valid: "
       "left, right"},
      {{"legs.feet=[left, right]", "legs.points_m={right: [[0, 0]]}"},
       "--set legs.points_m: legs.points_m.right: each point is 3 numbers"},
      {{"legs.feet=[left, right]", "legs.radius_m={left: -1}"},
       "--set legs.radius_m: legs.radius_m.left must be a number > 0, not '-1'"},
      {{"legs.feet=[left, right]", "legs.points_m={right: 3}"},
       "--set legs.points_m: legs.points_m.right must be a list of lists of numbers, not '3'"},
      {{"legs.feet=[left, right]", "legs.friction=0"},
       "--set legs.friction: legs.friction must be a number > 0, not '0'"},
      {{"legs.feet=[left, right]", "gait.step_s=0.1"},
       "--set gait.step_s: gait.step_s: 0.1 s is not between gait.shortest_step_s, 0.18 s, and "
       "gait.longest_step_s, 0.18 s"},
      {{"legs.feet=[left, right]", "gait.exchange_s=0.2"},
       "--set gait.exchange_s: gait.exchange_s: 0.2 s leaves nothing of a step of 0.18 s, the "
       "shortest"},
      {{"initial.joints.knee=1"},
       "--set initial.joints.knee: unknown hinge or slide 'knee'; valid: l, r"},
      {{"robot.floating_base=true"},
       "--set robot.floating_base: robot.floating_base is for URDF files; MJCF has <freejoint/>"},
  };
  for (const auto& row : rows) EXPECT_EQ(ErrorOf(walker, row.overrides), row.error);
  EXPECT_EQ(ErrorOf(Walker(kBall,
                           "<geom size='.02'/><geom size='.02' pos='.1 0 0'/>"
                           "<geom size='.02' pos='.1 .1 0'/>"),
                    {"legs.feet=[left, right]"}),
            "--set legs.feet: legs.feet: left is a point and right is flat; all must be of one "
            "kind");
  EXPECT_EQ(ErrorOf("<mujoco><worldbody><body name='a'><joint name='j' axis='0 1 0' range='0 1' "
                    "limited='true'/><geom size='.1'/></body></worldbody></mujoco>",
                    {"legs.feet=[a, a]"}),
            "--set legs.feet: legs.feet: the model's first joint must be a free one, that of the "
            "robot's base; its first is j");
}

// A box on two legs of one hinge each, with shapes for each purpose.
constexpr const char* kUrdf = R"(<robot name="hopper">
  <link name="trunk"><inertial><origin xyz="0 0 0"/><mass value="6"/>
    <inertia ixx=".1" ixy="0" ixz="0" iyy=".1" iyz="0" izz=".1"/></inertial>
    <visual><geometry><box size=".3 .2 .1"/></geometry></visual>
    <collision><geometry><sphere radius=".2"/></geometry></collision></link>
  <link name="left"><inertial><origin xyz="0 0 -.2"/><mass value="1"/>
    <inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial>
    <visual><geometry><mesh filename="package://none/left.dae"/></geometry></visual>
    <collision><origin xyz="0 0 -.2"/><geometry><cylinder radius=".03" length=".3"/></geometry>
    </collision></link>
  <link name="right"><inertial><origin xyz="0 0 -.2"/><mass value="1"/>
    <inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial></link>
  <link name="toe"><collision><geometry><box size=".1 .02 .02"/></geometry></collision></link>
  <joint
    name="hip_l" type="revolute"><origin xyz="0 .1 0"/><parent link="trunk"/>
    <child link="left"/><axis xyz="0 1 0"/><dynamics damping="1" friction="1"/>
    <limit lower="-1" upper="1" effort="20" velocity="7.5"/></joint>
  <joint name="hip_r" type="revolute"><origin xyz="0 -.1 0"/><parent link="trunk"/>
    <child link="right"/><axis xyz="0 1 0"/>
    <limit velocity="9" lower="-1" upper="1" effort="30"/></joint>
  <joint name="toe_r" type="fixed"><origin xyz="0 0 -.4"/><parent link="right"/>
    <child link="toe"/></joint>
</robot>)";

class LeggedUrdfTest : public testing::Test {
 protected:
  LeggedUrdfTest()
      : scene_(LoadScene(
            ReadConfig(folder_.Write("hopper.urdf", kUrdf),
                       {"robot.floating_base=true", "robot.armature=0.02", "physics.contacts=true",
                        "legs.feet=[left, right]", "legs.points_m=[[0, 0, -0.4]]",
                        "legs.radius_m=0.03", "initial.joints.hip_l=0"}))),
        m_(*scene_->mj) {}

  // Index of a body's first geom.
  int ShapeOf(const char* body) const { return m_.body_geomadr[mj_name2id(&m_, mjOBJ_BODY, body)]; }
  bool Touch(int a, int b) const {
    return (m_.geom_contype[a] & m_.geom_conaffinity[b]) != 0 ||
           (m_.geom_contype[b] & m_.geom_conaffinity[a]) != 0;
  }

  TemporaryFolder folder_;
  std::unique_ptr<Scene> scene_;
  const mjModel& m_;
};

TEST_F(LeggedUrdfTest, StandsFreeInTheStudio) {
  EXPECT_THAT(scene_->notices, ElementsAre());
  EXPECT_EQ(m_.nv, 8);
  EXPECT_NEAR(scene_->q_start[2], 0.43, 1e-12);
  EXPECT_EQ(m_.opt.cone, mjCONE_ELLIPTIC);
  EXPECT_EQ(m_.opt.integrator, mjINT_IMPLICITFAST);
  EXPECT_GE(mj_name2id(&m_, mjOBJ_GEOM, "floor"), 0);
  EXPECT_EQ(m_.nlight, 2);
  EXPECT_NEAR(CalcTotalMass(scene_->plant), 8, 1e-12);
}

TEST_F(LeggedUrdfTest, HasMotorsWithTheUrdfsLimits) {
  EXPECT_EQ(scene_->plant.armature()[6], 0.02);
  EXPECT_EQ(scene_->plant.damping()[6] + scene_->plant.frictionloss()[6], 0);
  EXPECT_EQ(scene_->legs->tau_max.head<6>(), Eigen::VectorXd::Zero(6));
  EXPECT_EQ(scene_->legs->tau_max.tail<2>(), Eigen::Vector2d(20, 30));
  EXPECT_EQ(scene_->actuation.speed_max().tail<2>(), Eigen::Vector2d(7.5, 9));
}

TEST_F(LeggedUrdfTest, ShowsTheBestShapes) {
  EXPECT_EQ(m_.body_geomnum[mj_name2id(&m_, mjOBJ_BODY, "trunk")], 1);
  EXPECT_EQ(m_.geom_type[ShapeOf("trunk")], mjGEOM_BOX);  // visual shapes replace collision shapes
  EXPECT_EQ(m_.geom_type[ShapeOf("left")], mjGEOM_CYLINDER);  // the mesh cannot be read
  EXPECT_EQ(m_.geom_type[ShapeOf("right")], mjGEOM_CAPSULE);  // drawn to the toe
}

TEST_F(LeggedUrdfTest, LegsTouchEachOtherAndTheTrunkTheFloor) {
  const int floor = mj_name2id(&m_, mjOBJ_GEOM, "floor");
  const int left = ShapeOf("left"), right = ShapeOf("right"), ball = left + 1;
  EXPECT_EQ(m_.geom_type[ball], mjGEOM_SPHERE);
  EXPECT_TRUE(Touch(left, right));
  EXPECT_TRUE(Touch(ball, floor));
  EXPECT_FALSE(Touch(left, floor));
  EXPECT_FALSE(Touch(ball, right));
  int shapes = 0;
  for (int geom = right; geom < m_.ngeom; ++geom) {
    if (!IsFixedTo(m_, m_.geom_bodyid[geom], mj_name2id(&m_, mjOBJ_BODY, "right"))) continue;
    ++shapes;
    EXPECT_EQ(Touch(geom, floor), m_.geom_type[geom] == mjGEOM_SPHERE);
  }
  EXPECT_EQ(shapes, 3);  // limb, toe, ball
}

TEST(RealRobotsTest, WhatIsNotFetchedIsNamed) {
  TemporaryFolder folder;
  const std::string config = folder.Write(
      "c.yaml", "model: " + (DataDirectory() / ".deps/none/robot.urdf").string() + "\n");
  try {
    ReadConfig(config);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("robot.urdf; scripts/fetch_robots gets it"));
  }
}

// Runs where scripts/fetch_robots has been run.
TEST(RealRobotsTest, LoadAndStandOnTheFloor) {
  if (!std::filesystem::exists(DataDirectory() / ".deps/example-robot-data")) GTEST_SKIP();
  const struct {
    const char* name;
    double mass, height;
    int nv;
  } robots[] = {{"go2", 16.085, 0.3, 18}, {"talos", 90.272, 1.0193, 38}};
  for (const auto& robot : robots) {
    SCOPED_TRACE(robot.name);
    const auto scene = LoadScene(ReadConfig(robot.name));
    EXPECT_THAT(scene->notices, ElementsAre());
    EXPECT_NEAR(CalcTotalMass(scene->plant), robot.mass, 1e-3);
    EXPECT_NEAR(scene->q_start[2], robot.height, 1e-3);
    EXPECT_EQ(scene->plant.nv(), robot.nv);
    EXPECT_TRUE(scene->actuation.speed_max().tail(robot.nv - 6).allFinite());
  }
}

}  // namespace legs_test
}  // namespace civita
