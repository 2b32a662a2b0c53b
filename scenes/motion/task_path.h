#pragma once

#include <Eigen/Core>
#include <memory>

#include "civita/controllers/controller.h"
#include "civita/model.h"
#include "civita/scenes/motion/reference.h"

namespace civita {

/// How a frame of the robot moves in the world, from where it is at the start.
struct TaskPath {
  enum class Shape {
    kLine,    ///< to `by` along a straight line, in minimum jerk, at rest at both ends
    kCircle,  ///< round a circle of `size`[0] (radius)
    kEight,   ///< a lemniscate, `size`[0] wide and `size`[1] high
  };
  Shape shape = Shape::kLine;
  Eigen::Vector3d by = Eigen::Vector3d::Zero();  ///< m
  double size[2] = {0.1, 0.1};                   ///< m
  /// Of the plane of the closed shapes; the width lies level in it.
  Eigen::Vector3d normal = Eigen::Vector3d::UnitX();
  /// The orientation turns by this rotation vector (world axes) and back; zero holds it.
  Eigen::Vector3d turn = Eigen::Vector3d::Zero();
  double start_s = 0;
  double duration_s = 2;  ///< of the way, or of one round
  bool repeat = true;     ///< a line there and back for ever; closed shapes round and round
  double fade_s = 1;      ///< repeated closed shapes: time to come to speed
};

/// The path as the reference's task, with the posture q_start standing still beside it. `frame` is
/// where it is at q_start at time 0; all rates are exact. World axes. `frame` in the model's terms:
/// see Model::NamedFrame.
std::unique_ptr<Reference> MakeTaskPath(const Model& model, const Eigen::VectorXd& q_start,
                                        const Model::NamedFrame& frame, const TaskPath& path);

/// How far the frame stays from the task's target at worst, when the robot follows it from q_start
/// as well as it can (damped least squares, joint limits left aside): position only.
struct Miss {
  double distance = 0;  ///< m
  double t = 0;         ///< s, where
};
Miss FindWorstMiss(const Model& model, const Eigen::VectorXd& q_start,
                   const Model::NamedFrame& frame, const Reference& reference, double duration_s);

}  // namespace civita
