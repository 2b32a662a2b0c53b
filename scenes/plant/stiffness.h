#pragma once

#include <Eigen/Core>
#include <string>

#include "civita/scenes/scene.h"

namespace civita {

/// A notice if a held law is stiff with these gains K_D (nv), otherwise empty: a held torque K_D s
/// is an explicit Euler step, so K_D·dt must stay below twice the inertia, here evaluated at the
/// scene's start. Only for laws of DampingForm::kInertia.
std::string DescribeStiffness(const SceneData& scene, const Eigen::VectorXd& K_D);

}  // namespace civita
