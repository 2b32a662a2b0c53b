// References described by configs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "civita/error.h"
#include "civita/scenes/scene.h"
#include "tests/scenes/motion/moving_model.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace motions_test {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// A planar arm of two links, 0.5 and 0.4 m, whose first joint has limits; `yaw` precedes it.
std::string Arm(const std::string& yaw, const std::string& home) {
  return R"(<mujoco><compiler angle="radian"/><worldbody><body name="upper">)" + yaw +
         R"(<joint name="a" axis="0 1 0" range="-1 2"/>
  <geom size=".02" fromto="0 0 0 0 0 .5" type="capsule"/>
  <body name="lower" pos="0 0 .5"><joint name="b" axis="0 1 0"/>
  <geom size=".02" fromto="0 0 0 0 0 .4" type="capsule"/><site name="ee" pos="0 0 .4"/>
  </body></body></worldbody>
  <keyframe><key name="home" qpos=")" +
         home + R"("/></keyframe></mujoco>)";
}

class MotionsTest : public testing::Test {
 protected:
  MotionsTest() { folder_.Write("m.xml", Arm("", ".3 1.2")); }

  std::unique_ptr<Scene> Load(const std::string& reference, const std::string& more = "") {
    return LoadScene(ReadConfig(
        folder_.Write("c.yaml", "model: m.xml\nreference: {" + reference + "}\n" + more)));
  }
  std::string ErrorOf(const std::string& reference) {
    try {
      Load(reference);
    } catch (const UserError& error) {
      return folder_.WithoutPath(error.what());
    }
    return "";
  }
  std::string ErrorOfFile(const std::string& text) {
    folder_.Write("motion.csv", text);
    return ErrorOf("type: file, file: motion.csv");
  }
  ReferenceState Sample(const Scene& scene, double t) {
    return At(scene.plant, *scene.reference, t);
  }

  TemporaryFolder folder_;
};

TEST_F(MotionsTest, WaypointsStartAtHome) {
  const auto scene =
      Load("type: waypoints, waypoints: [[0, 1], [1, -1], [0.5, 0]], times_s: [1, 2, 3.5]");
  EXPECT_LT((Sample(*scene, 0).q - Eigen::Vector2d(0.3, 1.2)).norm(), 1e-14);
  EXPECT_LT((Sample(*scene, 1).q - Eigen::Vector2d(0, 1)).norm(), 1e-14);
  EXPECT_LT((Sample(*scene, 2).q - Eigen::Vector2d(1, -1)).norm(), 1e-14);
  EXPECT_LT((Sample(*scene, 7).q - Eigen::Vector2d(0.3, 1.2)).norm(), 1e-14);  // and back
  EXPECT_EQ(scene->v_start.norm(), 0);
  for (const double t : {0.4, 1.4, 2.8, 4.4}) ExpectConsistent(scene->plant, *scene->reference, t);
  const auto from_first =
      Load("type: waypoints, waypoints: [[0, 1], [1, -1]], times_s: [0, 2], repeat: false");
  EXPECT_EQ(Sample(*from_first, 0).q, Eigen::Vector2d(0, 1));
  EXPECT_EQ(Sample(*from_first, 9).q, Eigen::Vector2d(1, -1));
  const std::string yaml = ToYaml(scene->config);
  const auto again = LoadScene(ReadConfig(folder_.Write("again.yaml", yaml)));
  EXPECT_EQ(ToYaml(again->config), yaml);
  EXPECT_EQ(Sample(*again, 1.23).q, Sample(*scene, 1.23).q);
}

TEST_F(MotionsTest, WaypointsThatNobodyCanFollow) {
  const std::string start = "type: waypoints, waypoints: [[0, 1], [1, -1]], times_s: ";
  EXPECT_EQ(ErrorOf(start + "[2, 1]"), "c.yaml:2:69: reference.times_s must grow: 1 s follows 2 s");
  EXPECT_EQ(ErrorOf(start + "[1, 1]"), "c.yaml:2:69: reference.times_s must grow: 1 s follows 1 s");
  EXPECT_EQ(ErrorOf(start + "[1]"),
            "c.yaml:2:69: reference.times_s has 1 number for 2 rows of reference.waypoints");
  EXPECT_EQ(ErrorOf(start + "[1, 1.001]"),
            "c.yaml:2:41: reference.waypoints[1] is a jump: b by -2 in 0.001 s");
  EXPECT_EQ(ErrorOf("type: waypoints"), "c.yaml: reference.waypoints holds no rows");
  EXPECT_EQ(ErrorOf("type: waypoints, waypoints: [[0]], times_s: [1]"),
            "c.yaml: reference.waypoints[0] has 1 number, the model has nq = 2");
  EXPECT_EQ(ErrorOf("type: waypoints, waypoints: [[0, x]], times_s: [1]"),
            "c.yaml:2:46: reference.waypoints[0][1] must be a number, not 'x'");
  EXPECT_EQ(ErrorOf("type: waypoints, waypoints: [1, 2], times_s: [1]"),
            "c.yaml:2:42: reference.waypoints[0] must be a list of numbers, not '1'");
}

TEST_F(MotionsTest, FilesAreReadWithAndWithoutNames) {
  folder_.Write("motion.csv", "# a motion\n0, 0.1, 0.2\n1, 0.3, 0.1\n\n2.5, 0.2, 0.4\r\n");
  const auto plain = Load("type: file, file: motion.csv");
  EXPECT_EQ(Sample(*plain, 0).q, Eigen::Vector2d(0.1, 0.2));
  EXPECT_LT((Sample(*plain, 1).q - Eigen::Vector2d(0.3, 0.1)).norm(), 1e-15);
  EXPECT_LT((Sample(*plain, 9).q - Eigen::Vector2d(0.2, 0.4)).norm(), 1e-14);
  EXPECT_EQ(Sample(*plain, 9).v.norm(), 0);
  ExpectConsistent(plain->plant, *plain->reference, 1.7);

  folder_.Write("motion.csv",
                "/v/0,t,/tau/0,/q/0,/q/1,/v/1\n.5,0,nan,.1,.2,-.5\n.4,1,7,.3,.1,-.2\n");
  const auto named = Load("type: file, file: motion.csv");
  EXPECT_EQ(Sample(*named, 0).v, Eigen::Vector2d(0.5, -0.5));
  EXPECT_EQ(named->v_start, Eigen::Vector2d(0.5, -0.5));
  EXPECT_LT((Sample(*named, 1).v - Eigen::Vector2d(0.4, -0.2)).norm(), 1e-14);
  EXPECT_THAT(named->notices,
              Contains("the reference's file ends in motion at 1 s (a); it stands still from there "
                       "on"));

  folder_.Write("motion.csv", "0,.1,.2,0,0,1,2\n1,.3,.1,.5,.5,3,4\n2,.3,.1,0,0,0,0\n");
  const auto whole = Load("type: file, file: motion.csv");
  EXPECT_LT((Sample(*whole, 1).vdot - Eigen::Vector2d(3, 4)).norm(), 1e-14);
  EXPECT_LT((Sample(*whole, 1).v - Eigen::Vector2d(0.5, 0.5)).norm(), 1e-15);
}

TEST_F(MotionsTest, FilesThatAreNoMotionNameThePlace) {
  EXPECT_EQ(ErrorOfFile("0,1,2\n1,2,x\n"), "motion.csv:2:5: 'x' is not a finite number");
  EXPECT_EQ(ErrorOfFile("0,1,2\n1, nan ,2\n"), "motion.csv:2:4: 'nan' is not a finite number");
  EXPECT_EQ(ErrorOfFile("0,1,2\n1,,2\n"), "motion.csv:2:3: '' is not a finite number");
  EXPECT_EQ(ErrorOfFile("0,1,2\n0,2,2\n"), "motion.csv:2:1: times must grow: 0 s follows 0 s");
  EXPECT_EQ(ErrorOfFile("1,1,2\n0.5,2,2\n"), "motion.csv:2:1: times must grow: 0.5 s follows 1 s");
  EXPECT_EQ(ErrorOfFile("0,1,2\n1,2\n"), "motion.csv:2:1: the row has 2 numbers, those before 3");
  EXPECT_EQ(ErrorOfFile("0,1\n1,2\n"),
            "motion.csv:1:1: the row has 2 numbers; the model wants 3 (t, q), 5 (t, q, v) or 7 "
            "(t, q, v, vdot)");
  EXPECT_EQ(ErrorOfFile("0,1,2\n"),
            "motion.csv: has 1 row of numbers; a motion needs two at least");
  EXPECT_EQ(ErrorOfFile(""), "motion.csv: has 0 rows of numbers; a motion needs two at least");
  EXPECT_EQ(ErrorOfFile("0,1,2\n0.001,1,2.5\n"),
            "motion.csv:2:1: the motion jumps: b by 0.5 in 0.001 s");
  EXPECT_EQ(ErrorOfFile("t,/q/0\n0,1\n1,1\n"),
            "motion.csv:1:1: the names must hold t, /q/0 … /q/1, and all of /v/0 … /v/1 or none, "
            "so too /vdot/…");
  EXPECT_EQ(ErrorOf("type: file"), "c.yaml: reference.file, the CSV file, is missing");
  EXPECT_EQ(ErrorOf("type: file, file: gone.csv"),
            "c.yaml:2:31: reference.file: no such file: gone.csv");
}

TEST_F(MotionsTest, ExcitationStaysInsideTheLimits) {
  const auto scene = Load("type: excitation");
  EXPECT_THAT(scene->config.reference.Numbers("amplitude"), testing::ElementsAre(0.6, 0.6));
  EXPECT_THAT(scene->notices, Not(Contains(HasSubstr("limits"))));
  EXPECT_EQ(Sample(*scene, 0).q, scene->q_start);
  const auto other = LoadScene(ReadConfig(folder_.path() / "c.yaml", {"seed=5"}));
  EXPECT_NE(Sample(*other, 2).q, Sample(*scene, 2).q);
  EXPECT_EQ(ErrorOf("type: excitation, harmonics: 2"),
            "c.yaml:2:42: reference.harmonics must be from 3 to 50, not 2");
  EXPECT_EQ(ErrorOf("type: excitation, harmonics: 2147483647"),
            "c.yaml:2:42: reference.harmonics must be from 3 to 50, not 2147483647");
}

TEST_F(MotionsTest, ReferencesBeyondTheLimitsAreTold) {
  const auto scene = Load("type: quintic, to: [2.5, 0], duration_s: 2");
  EXPECT_THAT(scene->notices,
              Contains("the reference goes beyond joint limits: a by 0.5 rad at 2 s"));
  EXPECT_THAT(Load("type: quintic, to: [1.9, 9]")->notices, Not(Contains(HasSubstr("limits"))));
}

TEST_F(MotionsTest, OfAJointBeyondItsLimitsTheOneThatItFollowsIsTold) {
  std::string arm = Arm("", "1.2 .6");
  arm.insert(arm.find("<keyframe>"),
             "<equality><joint joint1='a' joint2='b' polycoef='0 2 0 0 0'/></equality>");
  folder_.Write("m.xml", arm);
  EXPECT_THAT(Load("type: quintic, to: [0, 1.25], duration_s: 2")->notices,
              Contains("the reference goes beyond joint limits: a (follows b) by 0.5 rad at 2 s"));
}

TEST_F(MotionsTest, TaskPathsStartAtTheFrame) {
  folder_.Write("m.xml", Arm("<joint axis='0 0 1'/>", "0 .3 1.2"));
  const std::string law = "controller: {type: task_space}\n";
  const auto scene =
      Load("type: task_circle, radius_m: 0.05, normal: [0, 1, 0], frame: ee, duration_s: 3", law);
  const ReferenceState start = Sample(*scene, 0);
  ASSERT_TRUE(start.task.given);
  EXPECT_NEAR(start.task.p[0], 0.5 * std::sin(0.3) + 0.4 * std::sin(1.5), 1e-14);
  EXPECT_NEAR(start.task.p[2], 0.5 * std::cos(0.3) + 0.4 * std::cos(1.5), 1e-14);
  EXPECT_EQ(start.q, scene->q_start);
  // A body with an offset gives the same frame as the site.
  const auto by_body = Load(
      "type: task_circle, radius_m: 0.05, normal: [0, 1, 0], frame: lower, offset_m: [0, 0, 0.4], "
      "duration_s: 3",
      "controller: {type: reference_dynamics, goal: task}\n");
  EXPECT_LT((Sample(*by_body, 1.1).task.p - Sample(*scene, 1.1).task.p).norm(), 1e-14);
  EXPECT_FALSE(Sample(*Load("type: hold"), 0).task.given);
}

TEST_F(MotionsTest, TaskPathsThatCannotBe) {
  EXPECT_THAT(ErrorOf("type: task_line, by_m: [0.5, 0, 0], duration_s: 1"),
              testing::AllOf(HasSubstr("c.yaml:2:19: the path is out of reach: at "),
                             HasSubstr("s ee stays 0.")));
  EXPECT_EQ(ErrorOf("type: task_line, by_m: [0, -0.1, 0]").substr(0, 40),
            "c.yaml:2:19: the path is out of reach: a");  // the arm is planar
  EXPECT_EQ(ErrorOf("type: task_line, by_m: [0.5, 0]"),
            "c.yaml:2:36: reference.by_m must be 3 numbers");
  EXPECT_EQ(ErrorOf("type: task_circle, frame: hnad"),
            "c.yaml:2:39: unknown body or frame 'hnad'; valid: upper, lower, ee");
  EXPECT_EQ(ErrorOf("type: task_circle, normal: [0, 0, 0]"),
            "c.yaml:2:40: reference.normal is zero");
  EXPECT_EQ(ErrorOf("type: task_eight, size_m: [1]"),
            "c.yaml:2:39: reference.size_m must be 2 numbers, width and height");
  EXPECT_EQ(ErrorOf("type: task_circle, radius_m: 0.05, normal: [0, 1, 0], frame: ee"),
            "c.yaml:2:19: reference.type task_circle moves a frame, which controller.type "
            "slotine_li cannot follow; valid: task_space, or reference_dynamics with "
            "controller.goal task");
}

}  // namespace motions_test
}  // namespace civita
