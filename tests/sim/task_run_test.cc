// Tasks of planar arms, and what a run's table and notes tell of a task.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "civita/controllers/task_field.h"
#include "civita/error.h"
#include "civita/sim/recorder.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace task_run_test {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// Four hinges about the x-axis, bent.
std::string WritePlanar(const TemporaryFolder& folder) {
  std::string bodies, ends;
  const double bend[] = {0.4, 0.9, -0.5, 0.7};
  for (int i = 0; i < 4; ++i) {
    const std::string n = std::to_string(i + 1);
    bodies +=
        "<body name=\"link" + n + "\" pos=\"0 " + (i == 0 ? "0 1" : ".3 0") + "\" euler=\"" +
        std::to_string(bend[i] * 57.29578) + " 0 0\"><joint name=\"j" + n + "\" axis=\"1 0 0\"/>" +
        "<geom type=\"capsule\" fromto=\"0 0 0 0 .3 0\" size=\".02\" mass=\"1\" contype=\"0\" "
        "conaffinity=\"0\"/>";
    ends += "</body>";
  }
  return folder.Write("planar.xml", "<mujoco><option timestep=\".001\"/><worldbody>" + bodies +
                                        "<site name=\"tip\" pos=\"0 .3 0\"/>" + ends +
                                        "</worldbody></mujoco>");
}

std::vector<std::string> MovedBy(const std::string& way, const std::string& kind) {
  return {"controller.type=task_space", "task.frame=tip",      "task.kind=" + kind,
          "reference.type=task_line",   "reference.frame=tip", "reference.by_m=" + way,
          "reference.duration_s=1"};
}

RunSummary RunUntil(Simulation* simulation, double seconds) {
  Recorder recorder(*simulation, {});
  while (simulation->time() < seconds && simulation->Step()) recorder.Add(simulation->record());
  return recorder.Finish(*simulation, 1, false);
}

TEST(TaskRun, APlanarArmFollowsInItsPlane) {
  const TemporaryFolder folder;
  const std::string file = WritePlanar(folder);
  Simulation simulation = MakeSimulation(file, MovedBy("[0, 0.1, -0.1]", "yz"));
  EXPECT_EQ(simulation.controller().FindSignal(kTaskErrorRad), -1);
  const Eigen::Index error = simulation.controller().FindSignal(kTaskErrorM);
  double square = 0, worst = 0, first = 0, last = 0;
  long steps = 0;
  const Eigen::Vector3d from(Eigen::Map<const Eigen::Vector3d>(simulation.data()->site_xpos));
  Recorder recorder(simulation, {});
  while (simulation.time() < 0.9999 && simulation.Step()) {
    recorder.Add(simulation.record());
    const double m = simulation.record().signals[error];
    if (steps++ == 0) first = m * m;
    last = m * m;
    square += m * m;
    worst = std::max(worst, m);
  }
  const RunSummary summary = recorder.Finish(simulation, 1, false);
  EXPECT_LT(worst, 1e-3);
  EXPECT_NEAR(summary.value("task_error_rms_m"),
              std::sqrt((square - 0.5 * (first + last)) / static_cast<double>(steps - 1)), 1e-12);
  EXPECT_EQ(summary.value("task_damped_share"), 0);
  mj_forward(simulation.mj(), const_cast<mjData*>(simulation.data()));
  const Eigen::Vector3d to(Eigen::Map<const Eigen::Vector3d>(simulation.data()->site_xpos));
  EXPECT_LT((to - from - Eigen::Vector3d(0, 0.1, -0.1)).norm(), 1e-3);
  // Away from the posture, and on its task: no word.
  EXPECT_GT(summary.value("error_rms"), 0.01);
  EXPECT_THAT(summary.notes, Not(Contains(HasSubstr("the run ends"))));
}

TEST(TaskRun, TheMessageNamesThePlane) {
  const TemporaryFolder folder;
  const std::string file = WritePlanar(folder);
  for (const char* kind : {"position", "pose", "xy"}) {
    try {
      LoadScene(ReadConfig(file, MovedBy("[0, 0.1, 0]", kind)));
      ADD_FAILURE() << kind;
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(),
                  AllOf(HasSubstr("directions; choose another frame, or task.kind yz"),
                        Not(HasSubstr("or the kind position"))));
    }
  }
}

TEST(TaskRun, ASingularityIsTold) {
  const TemporaryFolder folder;
  // To a place 1.199 m away, where the arm of 1.2 m is nearly straight.
  Simulation simulation = MakeSimulation(WritePlanar(folder), MovedBy("[0, 0.609, -1]", "yz"));
  const RunSummary summary = RunUntil(&simulation, 0.9999);
  EXPECT_GT(summary.value("task_damped_share"), 0);
  EXPECT_GT(summary.value("task_error_rms_m"), 1e-3);
  EXPECT_THAT(
      summary.notes,
      Contains(AllOf(HasSubstr(" m off its task: near singularities the law damps the task in "),
                     Not(HasSubstr("off its reference")))));
}

TEST(TaskRun, APosesErrorHasItsAngle) {
  Simulation pose = MakeSimulation("arm7_circle", {});
  const RunSummary summary = RunUntil(&pose, 0.2);
  EXPECT_LT(summary.value("task_error_rms_rad"), 1e-3);
  EXPECT_EQ(summary.metrics.front().key, "task_error_rms_m") << "first of its table";
  Simulation joints = MakeSimulation("arm7", {});
  EXPECT_EQ(MetricsOf(joints.scene()).front().key, "error_rms");
}

}  // namespace task_run_test
}  // namespace civita
