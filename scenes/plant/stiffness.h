#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>

#include "civita/scenes/scene.h"

namespace civita {

/// Of a held torque, what one control step multiplies a velocity error by, less one: the largest
/// K_D·dt over the inertia.
struct Stiffness {
  double factor = 0;
  int velocity = 0;  ///< the coordinate with the largest share
};
inline constexpr double kGrows = 2;  ///< factor from which the error grows, whatever the law does

/// At a configuration; none for other than held laws of DampingForm::kInertia, and with loops.
std::optional<Stiffness> CalcDampingStiffness(const SceneData& scene, const Eigen::VectorXd& K_D,
                                              const Eigen::VectorXd& q);

/// The largest |eigenvalue| of H⁻¹C·dt at a state: the same of C v held over a step. None for laws
/// without C, not held, and with loops.
std::optional<double> CalcCoriolisStiffness(const SceneData& scene,
                                            const Factorization& factorization,
                                            const Eigen::VectorXd& q, const Eigen::VectorXd& v);

/// A notice if a held law is stiff with these gains K_D (nv), otherwise empty: a held torque K_D s
/// is an explicit Euler step, so K_D·dt must stay below twice the inertia, here evaluated at the
/// scene's start. Only for laws of DampingForm::kInertia.
std::string DescribeStiffness(const SceneData& scene, const Eigen::VectorXd& K_D);

}  // namespace civita
