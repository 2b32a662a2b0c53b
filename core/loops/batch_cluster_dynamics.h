#pragma once

#include <memory>

#include "civita/cluster_kinematics.h"
#include "civita/factorization.h"

namespace civita {

/// Where a batch of closed chains has a state that is singular: the first one.
struct BatchClusterStatus {
  int state = -1;       ///< −1: there is none
  ClusterStatus loops;  ///< of that state; if ok(), H̄ is not positive definite there

  bool ok() const { return state < 0; }
};

/// H̄, C̄, inverse and forward dynamics of closed chains (civita/cluster_dynamics.h) at many states
/// in one call, on several threads, a state after the other on each. The results are those of one
/// state at a time to the bit, whatever the number of threads.
///
/// Every argument has a column per state: Q is nq × m, for the tree; velocities, accelerations and
/// τ̄ are nw × m; m is any number. Matrices of all states are adjacent in an nw × nw·m matrix, as in
/// BatchDynamics. Results may not share memory with arguments or with each other. The functions
/// return the first state that is singular; results of such states stay as they are, those of the
/// others are computed.
///
/// An object must not be called from two threads at once. Calls neither allocate nor start threads.
/// Wrong sizes throw ContractError.
class BatchClusterDynamics {
 public:
  using MatrixIn = const Eigen::Ref<const Eigen::MatrixXd>&;

  /// `threads` ≥ 1 counts the calling thread. C̄ is that of the factorization.
  explicit BatchClusterDynamics(const ClusterModel& model, const Factorization& factorization = {},
                                int threads = 1);
  ~BatchClusterDynamics();

  int threads() const;

  /// Mass matrices H̄ (nw × nw·m) at Q.
  [[nodiscard]] BatchClusterStatus CalcMassMatrices(MatrixIn Q, MatrixOut<double> H);

  /// Coriolis matrices C̄ and mass matrices H̄ (nw × nw·m each) at Q and W.
  [[nodiscard]] BatchClusterStatus CalcCoriolisMatrices(MatrixIn Q, MatrixIn W,
                                                        CoriolisOut<double> out);

  /// Inverse dynamics τ̄ (nw × m) at Q, W and the accelerations Wdot.
  [[nodiscard]] BatchClusterStatus CalcInverseDynamics(MatrixIn Q, MatrixIn W, MatrixIn Wdot,
                                                       MatrixOut<double> tau);

  /// τ̄ = H̄ ẇ_r + C̄ w_r + ḡ (nw × m) at Q, W, W_r and Wdot_r.
  [[nodiscard]] BatchClusterStatus CalcPassivityInverseDynamics(MatrixIn Q, MatrixIn W,
                                                                MatrixIn W_r, MatrixIn Wdot_r,
                                                                MatrixOut<double> tau);

  /// Forward dynamics ẇ (nw × m) at Q, W and τ̄.
  [[nodiscard]] BatchClusterStatus CalcForwardDynamics(MatrixIn Q, MatrixIn W, MatrixIn tau,
                                                       MatrixOut<double> Wdot);

  /// Derivatives ∂ẇ/∂q, ∂ẇ/∂w and ∂ẇ/∂τ̄ of forward dynamics (nw × nw·m each) at Q, W and the
  /// accelerations Wdot, as CalcForwardDynamicsDerivatives of civita/cluster_derivatives.h.
  [[nodiscard]] BatchClusterStatus CalcForwardDynamicsDerivatives(MatrixIn Q, MatrixIn W,
                                                                  MatrixIn Wdot,
                                                                  MatrixOut<double> dwdot_dq,
                                                                  MatrixOut<double> dwdot_dw,
                                                                  MatrixOut<double> dwdot_dtau);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace civita
