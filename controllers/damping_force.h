#pragma once

#include <Eigen/Core>

#include "civita/controllers/controller.h"

namespace civita {

/// K_D = √k H √k for GainForm::kMass and K_D = k else, k as a diagonal matrix.
Eigen::MatrixXd CalcDampingMatrix(GainForm form, const Eigen::VectorXd& k,
                                  const Eigen::MatrixXd& H);

/// out = K_D s with this K_D; `scratch` is overwritten. Vectors have the size of s. Allocates
/// nothing.
void CalcDampingForce(GainForm form, const Eigen::VectorXd& k, const Eigen::MatrixXd& H,
                      const Eigen::VectorXd& s, Eigen::VectorXd& scratch, Eigen::VectorXd& K_D_s);

}  // namespace civita
