#include "civita/controllers/damping_force.h"

namespace civita {

Eigen::MatrixXd CalcDampingMatrix(GainForm form, const Eigen::VectorXd& k,
                                  const Eigen::MatrixXd& H) {
  if (form == GainForm::kDiagonal) return k.asDiagonal();
  const Eigen::VectorXd root = k.cwiseSqrt();
  return root.asDiagonal() * H * root.asDiagonal();
}

void CalcDampingForce(GainForm form, const Eigen::VectorXd& k, const Eigen::MatrixXd& H,
                      const Eigen::VectorXd& s, Eigen::VectorXd& scratch, Eigen::VectorXd& K_D_s) {
  if (form == GainForm::kMass) {
    scratch = k.cwiseSqrt().cwiseProduct(s);
    K_D_s.noalias() = H * scratch;
    K_D_s.array() *= k.array().sqrt();
  } else {
    K_D_s = k.cwiseProduct(s);
  }
}

}  // namespace civita
