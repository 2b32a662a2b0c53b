#pragma once

#include <Eigen/Core>
#include <memory>

#include "civita/model.h"
#include "civita/scenes/motion/reference.h"

namespace civita {

/// Path of a frame of the robot in the world, starting at its initial pose.
struct TaskPath {
  enum class Shape {
    kLine,    ///< to `by` along a straight line, with minimum jerk, at rest at both ends
    kCircle,  ///< a circle of radius `size`[0]
    kEight,   ///< a lemniscate, `size`[0] wide and `size`[1] high
  };
  Shape shape = Shape::kLine;
  Eigen::Vector3d by = Eigen::Vector3d::Zero();  ///< m
  double size[2] = {0.1, 0.1};                   ///< m
  /// Normal of the plane of closed shapes; their width is horizontal.
  Eigen::Vector3d normal = Eigen::Vector3d::UnitX();
  /// Rotation vector (world axes) by which the orientation turns and returns; zero: constant.
  Eigen::Vector3d turn = Eigen::Vector3d::Zero();
  double start_s = 0;
  double duration_s = 2;  ///< of the line, or of one revolution
  bool repeat = true;     ///< a line goes back and forth, closed shapes repeat
  double fade_s = 1;      ///< repeated closed shapes: duration of the acceleration
};

/// The path as the reference's task, with the constant posture q_start (nq). It starts at time 0
/// at the frame's pose at q_start; all rates are exact. World axes.
std::unique_ptr<Reference> MakeTaskPath(const Model& model, const Eigen::VectorXd& q_start,
                                        const Model::NamedFrame& frame, const TaskPath& path);

/// Maximum distance of the frame from the task's target when the robot follows it from q_start as
/// closely as possible (damped least squares, ignoring joint limits): position only.
struct Miss {
  double distance = 0;  ///< m
  double t = 0;         ///< s, time of the maximum
};
Miss FindWorstMiss(const Model& model, const Eigen::VectorXd& q_start,
                   const Model::NamedFrame& frame, const Reference& reference, double duration_s);

}  // namespace civita
