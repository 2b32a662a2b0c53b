#pragma once

#include <memory>
#include <string_view>

#include "civita/model.h"
#include "civita/types.h"

namespace civita {

/// H, C, Christoffel symbols and inverse dynamics at many states of one model in one call, for
/// sampling, model-predictive control, learning and identification: kernels that hold a state in
/// each lane of the machine's vectors (8 with AVX-512, 4 with AVX2, else 2), on as many threads as
/// wanted. The same numbers as one state at a time, to rounding errors, armature included. All
/// joints of an open tree.
///
/// Every argument has a column a state: Q is nq × m, velocities, accelerations and τ are nv × m, in
/// the model's conventions; any m. Matrices of all states stand side by side, H of state s in
///     H.middleCols(nv * s, nv)
/// of an nv × nv·m matrix without gaps. What a state gets depends on neither the others, nor m, nor
/// the number of threads.
///
/// One caller at a time; calls allocate nothing and start no thread. The model must outlive it.
class BatchDynamics {
 public:
  using MatrixIn = const Eigen::Ref<const Eigen::MatrixXd>&;

  /// `threads` ≥ 1, the caller's included. `instruction_set` as of a Workspace: one of
  /// InstructionSets(); empty stands for what the environment variable CIVITA_INSTRUCTION_SET says
  /// and, where that is not set, for the fastest. "plain", with pairs of states, runs everywhere.
  /// @throws UserError that lists the valid names.
  explicit BatchDynamics(const Model& model, int threads = 1,
                         std::string_view instruction_set = {});
  explicit BatchDynamics(const Model&& model, int threads = 1,
                         std::string_view instruction_set = {}) = delete;
  ~BatchDynamics();

  const char* instruction_set() const;
  int threads() const;
  /// States that a thread takes at once; a batch of a multiple of threads() times this wastes
  /// nothing.
  int lanes() const;

  /// H: nv × nv·m.
  void CalcMassMatrices(MatrixIn Q, MatrixOut<double> H);

  /// The Christoffel-consistent C and H, nv × nv·m each: algorithm 1 of [EW].
  void CalcCoriolisMatrices(MatrixIn Q, MatrixIn V, MatrixOut<double> C, MatrixOut<double> H);

  /// τ = H v̇ + C v + g, nv × m. tau may be Vdot.
  void CalcInverseDynamics(MatrixIn Q, MatrixIn V, MatrixIn Vdot, MatrixOut<double> tau);

  /// τ = H v̇_r + C v_r + g, nv × m, with C of the one-parameter family (Factorization::t).
  void CalcPassivityInverseDynamics(double t, MatrixIn Q, MatrixIn V, MatrixIn V_r, MatrixIn Vdot_r,
                                    MatrixOut<double> tau);

  /// Gamma: nv³ × m, a column the dense tensor of one state (ChristoffelIndex): algorithm 2 of
  /// [EW].
  void CalcChristoffelSymbols(MatrixIn Q, MatrixOut<double> Gamma);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace civita
