#pragma once

#include <mujoco/mujoco.h>

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <span>

#include "civita/scenes/schema/key_row_fwd.h"
#include "civita/space_kinematics.h"
#include "civita/velocity_space.h"

namespace civita {

/// A sudden velocity error by which the robot is thrown off its motion: `throw`. Its direction is
/// random, a function of the seed alone.
struct ThrowConfig {
  /// root mean square over the independent velocities; default: DefaultThrowSize
  std::optional<double> size;
  int seed = 1;
  std::optional<double> at_s;  ///< default: none, but the window can throw at any time
};
std::span<const KeyRow<ThrowConfig>> ThrowKeys();

/// A size that shows in the plots and that the robot survives: 0.5; standing on legs, 0.1.
double DefaultThrowSize(bool has_legs);

/// A throw as it is executed.
struct Throw {
  double size = 0;  ///< rad/s, m/s
  int seed = 1;
};

/// Adds throws to a velocity. Allocates only in the constructor.
class Thrower {
 public:
  /// For nv velocities; `closed`: loops with the plant as tree, null without.
  Thrower(int nq, int nv, std::shared_ptr<const VelocitySpace> closed);

  /// Adds the throw to d.qvel: of a closed chain to the independent velocities, and to the others
  /// what the loops make of it. Nothing changes where loops are singular.
  void Apply(const Throw& thrown, mjData* d);

 private:
  std::shared_ptr<const VelocitySpace> closed_;
  std::optional<SpaceWorkspace<double>> workspace_;
  Eigen::VectorXd q_, w_, v_;  ///< w_: the independent velocities' share
};

}  // namespace civita
