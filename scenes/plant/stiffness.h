#pragma once

#include <Eigen/Core>
#include <string>

#include "civita/scenes/scene.h"

namespace civita {

/// A notice where a held law is stiff with these gains K_D, else nothing: held torque K_D s is an
/// explicit Euler step, so K_D·dt must stay below twice the inertia, whose value at the scene's
/// start counts. Laws whose K_D acts on s by the mass matrix or the joint; the others have nothing
/// to say.
std::string DescribeStiffness(const SceneData& scene, const Eigen::VectorXd& K_D);

}  // namespace civita
