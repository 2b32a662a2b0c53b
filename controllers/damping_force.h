#pragma once

#include <Eigen/Core>

#include "civita/controllers/controller.h"

namespace civita {

/// K_D s: √k H √k s for GainForm::kMass, k s else, k as a diagonal; `scratch` is overwritten. All
/// of the size of s. Allocates nothing.
void CalcDampingForce(GainForm form, const Eigen::VectorXd& k, const Eigen::MatrixXd& H,
                      const Eigen::VectorXd& s, Eigen::VectorXd& scratch, Eigen::VectorXd& K_D_s);

}  // namespace civita
