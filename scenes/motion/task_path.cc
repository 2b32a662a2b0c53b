#include "civita/scenes/motion/task_path.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "civita/error.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/scenes/motion/moving.h"
#include "civita/workspace.h"

namespace civita {
namespace {

using internal::Moving;

constexpr double kPi = std::numbers::pi;

Moving operator+(const Moving& a, double b) { return {a.x + b, a.xdot, a.xddot}; }

// The distance covered at a unit speed that fades in by the quintic: ∫ QuinticStep dt.
Moving FadedWay(double t, double fade) {
  if (t <= 0) return {};
  if (t >= fade) return {t - fade / 2, 1, 0};
  const double x = t / fade;
  const Moving speed = internal::QuinticStep(t, fade);
  return {fade * x * x * x * x * (2.5 + x * (-3 + x)), speed.x, speed.xdot};
}

class TaskPathReference final : public Reference {
 public:
  TaskPathReference(const Model& model, const Eigen::VectorXd& q_start,
                    const Model::NamedFrame& frame, const TaskPath& path)
      : q_(q_start), path_(path) {
    CIVITA_CHECK(q_start.size() == model.nq() && path.duration_s > 0);
    Workspace<double> workspace(model);
    UpdateKinematics(model, q_start, workspace);
    start_ = CalcFramePose(model, frame, workspace);
    turn_axis_ = path.turn;
    if (turn_axis_.norm() > 0) turn_axis_.normalize();
    const Eigen::Vector3d normal = path.normal.normalized();
    const Eigen::Vector3d level = Eigen::Vector3d::UnitZ().cross(normal);
    width_ = level.norm() > 1e-6 ? Eigen::Vector3d(level.normalized()) : Eigen::Vector3d::UnitX();
    height_ = normal.cross(width_);
  }

  void Sample(double t, ReferenceState& state) const override {
    state.q = q_;
    state.v.setZero();
    state.vdot.setZero();
    TaskTarget& task = state.task;
    task.given = true;
    task.p = start_.p;
    task.V.setZero();
    task.Vdot.setZero();
    Moving turned;
    if (path_.shape == TaskPath::Shape::kLine) {
      turned = AlongLine(t - path_.start_s);
      Move(turned, path_.by, &task);
    } else {
      const Moving angle = Round(t - path_.start_s);
      const Moving cosine = internal::Sine(angle + kPi / 2);
      turned = 0.5 * (-1.0 * cosine + 1);
      if (path_.shape == TaskPath::Shape::kCircle) {
        Move(cosine + -1, path_.size[0] * width_, &task);
        Move(internal::Sine(angle), path_.size[0] * height_, &task);
      } else {
        Move(internal::Sine(angle), 0.5 * path_.size[0] * width_, &task);
        Move(internal::Sine(2 * angle), 0.5 * path_.size[1] * height_, &task);
      }
    }
    task.R = Eigen::AngleAxisd(turned.x * path_.turn.norm(), turn_axis_) * start_.R;
    task.V.head<3>() = turned.xdot * path_.turn;
    task.Vdot.head<3>() = turned.xddot * path_.turn;
  }

 private:
  static void Move(const Moving& along, const Eigen::Vector3d& way, TaskTarget* task) {
    task->p += along.x * way;
    task->V.tail<3>() += along.xdot * way;
    task->Vdot.tail<3>() += along.xddot * way;
  }

  // From 0 to 1, and back where the path repeats.
  Moving AlongLine(double since) const {
    const bool back =
        path_.repeat && since > 0 && std::fmod(std::floor(since / path_.duration_s), 2) == 1;
    if (path_.repeat && since > 0) since = std::fmod(since, path_.duration_s);
    const Moving step = internal::QuinticStep(since, path_.duration_s);
    return back ? Moving{1 - step.x, -step.xdot, -step.xddot} : step;
  }

  // The angle along a closed shape.
  Moving Round(double since) const {
    if (!path_.repeat) return 2 * kPi * internal::QuinticStep(since, path_.duration_s);
    const double speed = 2 * kPi / path_.duration_s;
    if (path_.fade_s > 0) return speed * FadedWay(since, path_.fade_s);
    return since < 0 ? Moving{} : Moving{speed * since, speed, 0};
  }

  Eigen::VectorXd q_;
  TaskPath path_;
  Pose start_;
  Eigen::Vector3d turn_axis_, width_, height_;
};

// Inverse kinematics of a point by the Levenberg–Marquardt method, each target starting from the
// last solution.
class Reach {
 public:
  Reach(const Model& model, const Model::NamedFrame& frame, const Eigen::VectorXd& q_start)
      : model_(model),
        frame_(frame),
        workspace_(model),
        q_(q_start),
        q_next_(q_start),
        J_(6, model.nv()),
        step_(model.nv()) {}

  // @returns the remaining distance, m.
  double MoveTo(const Eigen::Vector3d& target) {
    constexpr int kIterations = 100;
    constexpr double kClose = 1e-9, kLargestDamping = 1e6;
    double damping = 1e-4;
    Eigen::Vector3d e = Way(q_, target);
    for (int k = 0; k < kIterations && e.norm() > kClose && damping < kLargestDamping; ++k) {
      UpdateKinematics(model_, q_, workspace_);
      CalcFrameJacobian<double>(model_, frame_, workspace_, J_);
      const Eigen::Matrix<double, 3, Eigen::Dynamic> J = J_.bottomRows<3>();
      Eigen::Matrix3d JJt = J * J.transpose();
      JJt.diagonal().array() += damping;
      step_ = J.transpose() * JJt.llt().solve(e);
      IntegratePosition<double>(model_, q_, step_, 1, q_next_);
      const Eigen::Vector3d e_next = Way(q_next_, target);
      const bool nearer = e_next.norm() < e.norm();
      damping *= nearer ? 0.3 : 4;
      if (!nearer) continue;
      q_ = q_next_;
      e = e_next;
    }
    return e.norm();
  }

 private:
  Eigen::Vector3d Way(const Eigen::VectorXd& q, const Eigen::Vector3d& target) {
    UpdateKinematics(model_, q, workspace_);
    return target - CalcFramePose(model_, frame_, workspace_).p;
  }

  const Model& model_;
  const Model::NamedFrame& frame_;
  Workspace<double> workspace_;
  Eigen::VectorXd q_, q_next_;
  Eigen::MatrixXd J_;
  Eigen::VectorXd step_;
};

}  // namespace

std::unique_ptr<Reference> MakeTaskPath(const Model& model, const Eigen::VectorXd& q_start,
                                        const Model::NamedFrame& frame, const TaskPath& path) {
  return std::make_unique<TaskPathReference>(model, q_start, frame, path);
}

Miss FindWorstMiss(const Model& model, const Eigen::VectorXd& q_start,
                   const Model::NamedFrame& frame, const Reference& reference, double duration_s) {
  constexpr int kPoints = 100;
  const int nv = model.nv();
  Reach reach(model, frame, q_start);
  ReferenceState state{q_start, Eigen::VectorXd::Zero(nv), Eigen::VectorXd::Zero(nv)};
  Miss worst;
  for (int i = 0; i <= kPoints; ++i) {
    const double t = duration_s * i / kPoints;
    reference.Sample(t, state);
    const double distance = reach.MoveTo(state.task.p);
    if (distance > worst.distance) worst = {distance, t};
  }
  return worst;
}

}  // namespace civita
