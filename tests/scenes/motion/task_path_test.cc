#include "civita/scenes/motion/task_path.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/workspace.h"
#include "tests/scenes/motion/moving_model.h"

namespace civita {
namespace task_path_test {

constexpr double kPi = 3.14159265358979323846;

class TaskPathTest : public testing::TestWithParam<TaskPath::Shape> {
 protected:
  TaskPathTest() : model_(MakeModel(&random_)), q_(RandomPosition(model_, &random_)) {
    frame_ = model_.frames()[2];
    frame_.X_BF.p += Eigen::Vector3d(0.1, -0.2, 0.3);
    path_.shape = GetParam();
    path_.by = {0.3, -0.1, 0.2};
    path_.size[0] = 0.2;
    path_.normal = {1, 2, 0.5};
    path_.turn = {0.4, -0.8, 0.3};
    path_.start_s = 0.5;
  }

  TaskTarget TargetAt(const TaskPath& path, double t) const {
    return At(model_, *MakeTaskPath(model_, q_, frame_, path), t).task;
  }
  // Rates against fourth-order differences.
  void ExpectExactRates(const TaskPath& path, double t) const {
    constexpr double h = 1e-3;
    const TaskTarget now = TargetAt(path, t);
    const auto difference = [&](auto value) -> Eigen::VectorXd {
      return (8 * (value(h) - value(-h)) - (value(2 * h) - value(-2 * h))) / (12 * h);
    };
    const Eigen::VectorXd velocity =
        difference([&](double dt) { return Eigen::VectorXd(TargetAt(path, t + dt).p); });
    const Eigen::VectorXd omega = difference([&](double dt) {
      const Eigen::AngleAxisd turn(Eigen::Matrix3d(TargetAt(path, t + dt).R * now.R.transpose()));
      return Eigen::VectorXd(turn.angle() * turn.axis());
    });
    const Eigen::VectorXd rate =
        difference([&](double dt) { return Eigen::VectorXd(TargetAt(path, t + dt).V); });
    EXPECT_LT((now.V.tail<3>() - velocity).norm(), 1e-8) << t;
    EXPECT_LT((now.V.head<3>() - omega).norm(), 1e-8) << t;
    EXPECT_LT((now.Vdot - rate).norm(), 1e-8) << t;
    EXPECT_LT((now.R.transpose() * now.R - Eigen::Matrix3d::Identity()).norm(), 1e-13);
  }

  std::mt19937 random_{5};
  Model model_;
  Eigen::VectorXd q_;
  Model::NamedFrame frame_;
  TaskPath path_;
};

TEST_P(TaskPathTest, HasExactRates) {
  for (const bool repeat : {true, false}) {
    path_.repeat = repeat;
    for (const double t : {0.7, 1.2, 1.6, 2.3, 2.9, 4.1, 7.7}) ExpectExactRates(path_, t);
  }
}

TEST_P(TaskPathTest, StartsWhereTheFrameIsAtRest) {
  Workspace<double> workspace(model_);
  UpdateKinematics(model_, q_, workspace);
  const Pose start = CalcFramePose(model_, frame_, workspace);
  for (const double t : {0.0, 0.5}) {
    const TaskTarget task = TargetAt(path_, t);
    EXPECT_TRUE(task.given);
    EXPECT_LT((task.p - start.p).norm(), 1e-14);
    EXPECT_LT((task.R - start.R).norm(), 1e-14);
    EXPECT_LT(task.V.norm() + task.Vdot.norm(), 1e-14);
  }
  path_.turn.setZero();
  EXPECT_LT((TargetAt(path_, 1.7).R - start.R).norm(), 1e-14);
  const auto reference = MakeTaskPath(model_, q_, frame_, path_);
  EXPECT_EQ(At(model_, *reference, 1.7).q, q_);
  EXPECT_EQ(At(model_, *reference, 1.7).v.norm(), 0);
}

TEST_P(TaskPathTest, KeepsItsShape) {
  const Eigen::Vector3d p0 = TargetAt(path_, 0).p;
  if (GetParam() == TaskPath::Shape::kLine) {
    EXPECT_LT((TargetAt(path_, 2.5).p - p0 - path_.by).norm(), 1e-14);
    EXPECT_LT((TargetAt(path_, 4.5).p - p0).norm(), 1e-14);
    EXPECT_LT((TargetAt(path_, 3.1).p - p0).cross(path_.by).norm(), 1e-15);
    return;
  }
  // The width is horizontal; after the fade one revolution takes duration_s.
  EXPECT_LT((TargetAt(path_, 2.2).p - TargetAt(path_, 4.2).p).norm(), 1e-13);
  double farthest = 0;
  for (double t = 0; t < 4; t += 0.05) {
    const Eigen::Vector3d away = TargetAt(path_, t).p - p0;
    EXPECT_NEAR(away.dot(path_.normal), 0, 1e-14);
    farthest = std::max(farthest, away.norm());
    if (GetParam() == TaskPath::Shape::kCircle) {
      // On a circle of radius r: |distance|² = −2 r · its component towards the centre.
      const Eigen::Vector3d width = Eigen::Vector3d::UnitZ().cross(path_.normal).normalized();
      EXPECT_NEAR(away.squaredNorm(), -0.4 * away.dot(width), 1e-14);
    }
  }
  EXPECT_NEAR(farthest, GetParam() == TaskPath::Shape::kCircle ? 0.4 : 0.1, 2e-3);
  path_.repeat = false;
  EXPECT_LT((TargetAt(path_, 9).p - p0).norm(), 1e-14);
  EXPECT_EQ(TargetAt(path_, 9).V.norm(), 0);
}

TEST_P(TaskPathTest, ReachIsMeasured) {
  // hinge, ball, slide: everything nearby is within reach
  const Model::NamedFrame hand = model_.frames()[2];
  TaskPath path = path_;
  path.turn.setZero();
  const auto near = MakeTaskPath(model_, q_, hand, path);
  EXPECT_LT(FindWorstMiss(model_, q_, hand, *near, 4).distance, 1e-6);
  // A frame of the hinge can only move on a circle about its axis.
  const Model::NamedFrame stump = model_.frames()[0];
  Model::NamedFrame arm = stump;
  arm.X_BF.p += Eigen::Vector3d(0.2, 0.1, 0);
  const auto far = MakeTaskPath(model_, q_, arm, path);
  EXPECT_GT(FindWorstMiss(model_, q_, arm, *far, 4).distance, 0.01);
}

INSTANTIATE_TEST_SUITE_P(Shapes, TaskPathTest,
                         testing::Values(TaskPath::Shape::kLine, TaskPath::Shape::kCircle,
                                         TaskPath::Shape::kEight));

}  // namespace task_path_test
}  // namespace civita
