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

LoopDamping::LoopDamping(const ClosedChainDrive& drive)
    : k_(Eigen::VectorXd::Zero(drive.nw())), s_(k_), K_D_s_(k_), scratch_(k_) {}

void LoopDamping::CalcForce(const ClosedChainDrive& drive, GainForm form, const Eigen::VectorXd& k,
                            const Eigen::VectorXd& s, Eigen::VectorXd& K_D_s) {
  drive.Select(k, k_);
  drive.Select(s, s_);
  CalcDampingForce(form, k_, drive.H(), s_, scratch_, K_D_s_);
  drive.Spread(K_D_s_, K_D_s);
}

}  // namespace civita
