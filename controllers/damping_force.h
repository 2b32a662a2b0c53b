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

/// The same on closed chains: Sᵀ(K̄_D S s), with K̄_D of H̄ and S k in the independent velocities that
/// S selects.
class LoopDamping {
 public:
  explicit LoopDamping(const ClosedChainDrive& drive);

  /// k, s and K_D_s have nv numbers. Allocates nothing.
  void CalcForce(const ClosedChainDrive& drive, GainForm form, const Eigen::VectorXd& k,
                 const Eigen::VectorXd& s, Eigen::VectorXd& K_D_s);

 private:
  Eigen::VectorXd k_, s_, K_D_s_, scratch_;
};

}  // namespace civita
