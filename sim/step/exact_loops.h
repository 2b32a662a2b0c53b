#pragma once

#include <mujoco/mujoco.h>

#include <Eigen/Core>
#include <memory>

#include "civita/space_kinematics.h"

namespace civita {

/// The motion of a closed chain whose loops are exact (`plant.loops`), in the independent
/// velocities w: v = A w and v̇ = A ẇ + Ȧ w with
///   H̄ ẇ + C̄ w + ḡ = Aᵀ(τ + passive forces + pushes),
/// the forces on the right as MuJoCo computes them for the open tree, H̄, C̄ and ḡ as core does.
/// Allocates only in the constructor.
class ExactLoops {
 public:
  /// `closed`: the loops with the simulated plant as tree.
  explicit ExactLoops(std::shared_ptr<const VelocitySpace> closed);

  /// Replaces the dependent coordinates of qpos and qvel by those that close the loops; qpos is to
  /// be near a closed configuration. @returns false where that is impossible or loops are
  /// singular.
  bool Close(mjData* d);

  /// Replaces qacc, after mj_forward at a closed state, by v̇ of the closed chain. @returns false
  /// where loops or H̄ are singular.
  bool CalcAcceleration(mjData* d);

  /// A step of h from a closed state after CalcAcceleration: of first order, as MuJoCo's, with
  /// damping as it is at the velocity of its end, so that it bears any. @returns false where loops
  /// or H̄ are singular.
  bool StepImplicitly(const mjModel& m, double h, mjData* d);

 private:
  void ReadMotion(const mjData& d);

  std::shared_ptr<const VelocitySpace> closed_;
  SpaceWorkspace<double> workspace_;
  Eigen::VectorXd q_, v_, vdot_, force_;  ///< of the tree
  Eigen::VectorXd w_, wdot_, p_;
  Eigen::MatrixXd D_, A_, DA_, H_, system_;  ///< D, A, D A; H̄ and H̄ + h AᵀD A
};

}  // namespace civita
