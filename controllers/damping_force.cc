#include "civita/controllers/damping_force.h"

namespace civita {

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
