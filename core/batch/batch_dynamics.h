#pragma once

#include <memory>
#include <string_view>

#include "civita/model.h"
#include "civita/status.h"
#include "civita/types.h"

namespace civita {

/// H, H⁻¹, C, Christoffel symbols, inverse and forward dynamics and derivatives at many states of
/// one open-tree model in one call, for sampling, model-predictive control, learning and
/// identification. Its kernels compute one state per lane of the machine's vectors (8 with AVX-512,
/// 4 with AVX2, else 2) on several threads. The results equal those of one state at a time to
/// rounding, armature included.
///
/// Every argument has a column per state: Q is nq × m; velocities, accelerations and τ are nv × m;
/// m is any number. Matrices of all states are adjacent in an nv × nv·m matrix, H of state s in
///     H.middleCols(nv * s, nv).
/// The result of a state depends neither on the other states, nor on m, nor on the number of
/// threads.
///
/// An object must not be called from two threads at once. Calls neither allocate nor start threads.
/// Wrong sizes throw ContractError.
class BatchDynamics {
 public:
  /// A matrix to read, a column for each state.
  using MatrixIn = const Eigen::Ref<const Eigen::MatrixXd>&;

  /// `threads` ≥ 1 counts the calling thread. `instruction_set` is one of InstructionSets(). Empty
  /// means the value of the environment variable CIVITA_INSTRUCTION_SET and, where that is not set,
  /// the fastest one; "plain" computes pairs of states on every machine. @throws UserError for an
  /// unknown name; it lists the valid ones.
  explicit BatchDynamics(const Model& model, int threads = 1,
                         std::string_view instruction_set = {});
  ~BatchDynamics();

  /// Of the kernels that compute: avx512, avx2, baseline or plain.
  const char* instruction_set() const;
  int threads() const;  ///< how many threads share the states
  /// Number of states that a thread computes at once; batches of a multiple of threads() · lanes()
  /// states use all lanes.
  int lanes() const;

  /// Mass matrices H (nv × nv·m) at Q (nq × m).
  void CalcMassMatrices(MatrixIn Q, MatrixOut<double> H);

  /// Inverses H⁻¹ (nv × nv·m) of the mass matrices at Q (nq × m), by the factor of
  /// civita/mass_matrix_cholesky.h. @returns kSingularMassMatrix, with the first as index, if H is
  /// singular at some states, whose matrices are then undefined.
  Status CalcInverseMassMatrices(MatrixIn Q, MatrixOut<double> H_inverse);

  /// Christoffel-consistent Coriolis matrices C and mass matrices H (nv × nv·m each) at Q (nq × m)
  /// and V (nv × m): algorithm 1 of [EW].
  void CalcCoriolisMatrices(MatrixIn Q, MatrixIn V, CoriolisOut<double> out);

  /// The same with each C transposed, as it is in memory by rows: NumPy's order.
  void CalcTransposedCoriolisMatrices(MatrixIn Q, MatrixIn V, CoriolisOut<double> out);

  /// Inverse dynamics τ = H v̇ + C v + g (nv × m) at Q (nq × m), V and Vdot (nv × m each). tau may
  /// be the same matrix as V or Vdot.
  void CalcInverseDynamics(MatrixIn Q, MatrixIn V, MatrixIn Vdot, MatrixOut<double> tau);

  /// τ = H v̇_r + C v_r + g (nv × m) at Q (nq × m), V, V_r and Vdot_r (nv × m each), with C of the
  /// one-parameter family (Factorization::t). tau may be the same matrix as V, V_r or Vdot_r.
  void CalcPassivityInverseDynamics(double t, MatrixIn Q, MatrixIn V, MatrixIn V_r, MatrixIn Vdot_r,
                                    MatrixOut<double> tau);

  /// Forward dynamics v̇ = H⁻¹(τ − C v − g) (nv × m) at Q (nq × m), V and tau (nv × m each), by
  /// articulated bodies. Of a state where H is singular v̇ is not finite or meaningless. vdot may be
  /// the same matrix as V or tau.
  void CalcForwardDynamics(MatrixIn Q, MatrixIn V, MatrixIn tau, MatrixOut<double> vdot);

  /// Derivatives ∂τ/∂q, ∂τ/∂v and ∂τ/∂v̇ = H of inverse dynamics (nv × nv·m each) at Q (nq × m), V
  /// and the accelerations Vdot (nv × m each), as CalcInverseDynamicsDerivatives of
  /// civita/dynamics_derivatives.h.
  void CalcInverseDynamicsDerivatives(MatrixIn Q, MatrixIn V, MatrixIn Vdot,
                                      MatrixOut<double> dtau_dq, MatrixOut<double> dtau_dv,
                                      MatrixOut<double> H);

  /// Derivatives ∂v̇/∂q, ∂v̇/∂v and ∂v̇/∂τ = H⁻¹ of forward dynamics (nv × nv·m each) at Q (nq × m), V
  /// and the accelerations Vdot (nv × m each), as CalcForwardDynamicsDerivatives of
  /// civita/dynamics_derivatives.h. @returns as CalcInverseMassMatrices.
  Status CalcForwardDynamicsDerivatives(MatrixIn Q, MatrixIn V, MatrixIn Vdot,
                                        MatrixOut<double> dvdot_dq, MatrixOut<double> dvdot_dv,
                                        MatrixOut<double> dvdot_dtau);

  /// Christoffel symbols of the first kind at Q (nq × m), nv³ × m, a column per state in the order
  /// of ChristoffelIndex: algorithm 2 of [EW].
  void CalcChristoffelSymbols(MatrixIn Q, MatrixOut<double> Gamma);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace civita
