#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>

#include "civita/scenes/scene.h"

namespace civita {

/// The largest K_D·dt over the inertia, dt a control step: with a torque that is held, what the
/// step multiplies a velocity error by, less one.
struct Stiffness {
  double factor = 0;
  int velocity = 0;  ///< the coordinate with the largest share
};
/// A rate times the step beyond which Runge–Kutta steps of the fourth order grow.
inline constexpr double kRungeKuttaBound = 2.785;  // |1 − x + x²/2 − x³/6 + x⁴/24| < 1 below
/// Factor from which the error grows, whatever the law does: that of an explicit Euler step, which
/// a held torque is, or of the Runge–Kutta step whose every stage has a torque.
double GrowsFrom(const SceneData& scene);
/// s
double ControlStepOf(const SceneData& scene);

/// At a configuration; none for laws of another DampingForm than kInertia, and with loops.
std::optional<Stiffness> CalcDampingStiffness(const SceneData& scene, const Eigen::VectorXd& K_D,
                                              const Eigen::VectorXd& q);

/// The largest |eigenvalue| of H⁻¹C·dt at a state: the same of C v over a step. None for laws
/// without C, and with loops.
std::optional<double> CalcCoriolisStiffness(const SceneData& scene,
                                            const Factorization& factorization,
                                            const Eigen::VectorXd& q, const Eigen::VectorXd& v);

/// A notice if a law is stiff with these gains K_D (nv) at the scene's start, otherwise empty: from
/// half of GrowsFrom on where the torque is held, since the error then oscillates, and from
/// GrowsFrom on where it is not.
std::string DescribeStiffness(const SceneData& scene, const Eigen::VectorXd& K_D);

/// D of the damping forces −D v of joints and tendons at small v, nv × nv.
Eigen::MatrixXd CalcDampingMatrix(const Model& model);

/// At the scene's start: the fastest rate at which damping slows the plant, of exact loops in their
/// independent velocities, 1/s, and the coordinate with the largest share; 0 where H is singular.
struct Slowing {
  double rate = 0;
  int velocity = 0;
};
Slowing CalcFastestSlowing(const SceneData& scene);

/// Whether the steps of exact loops with held torques are to be implicit in damping: where it slows
/// velocities faster than explicit steps follow.
bool NeedsImplicitDamping(const SceneData& scene);

/// A notice of that, and of damping that makes explicit steps grow; otherwise empty.
std::string DescribeFastDamping(const SceneData& scene);

}  // namespace civita
