#pragma once

#include <Eigen/Core>

#include "civita/controllers/controller.h"
#include "civita/scenes/scene.h"
#include "civita/workspace.h"

namespace civita {

/// The terms of a law's torque τ = H v̇_r + C v_r + g + feedback at a control step, in the law's
/// model and the velocities v of its tree; nv numbers each, N·m or N.
struct TorqueTerms {
  explicit TorqueTerms(int nv);

  Eigen::VectorXd inertial;  ///< H v̇_r
  Eigen::VectorXd coriolis;  ///< C v_r
  Eigen::VectorXd gravity;   ///< g
  /// The rest of the law's τ: −K_D s, cancelled passive forces, what an adaptive law or an observer
  /// adds, and what of the sum the motors of a closed chain do not give.
  Eigen::VectorXd feedback;
  /// K v_r, K = C − C_christoffel: the part of C v_r that torsion adds.
  Eigen::VectorXd torsion;
};

/// Whether the scene's law has these terms: a law with a factorization, of a robot without legs.
bool HasTorqueTerms(const SceneData& scene);

/// Splits torques into their terms. Allocates only in the constructor.
class TorqueSplitter {
 public:
  explicit TorqueSplitter(const Model& model);

  /// The terms of `output` (with v_r = v − s), which the controller has just computed at
  /// `measured`. O(nv²) and O(N) kinematics, with torsion what a Coriolis matrix costs, too.
  void Split(const Measurement& measured, const Controller& controller, const ControlOutput& output,
             TorqueTerms* terms);

 private:
  Model model_;
  Workspace<double> workspace_;
  Eigen::VectorXd v_r_;
  Eigen::MatrixXd C_, H_;  ///< the torsion-free ones
};

}  // namespace civita
