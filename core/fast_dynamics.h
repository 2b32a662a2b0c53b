#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/christoffel_layout.h"
#include "core/kernels/kernels.h"
#include "core/kernels/plan.h"
#include "core/model.h"
#include "core/types.h"
#include "core/workspace.h"

namespace civita {

/// H, C, Christoffel symbols and inverse dynamics in one call each, straight from the state, by
/// kernels that take four bodies at a time with the machine's vector instructions (AVX-512, AVX2):
/// several times faster than UpdateKinematics and the functions of the same names, whose results
/// they give to rounding errors, armature included. Where a machine or a model has no kernel those
/// functions serve. All joints of an open tree; double only.
///
/// One a thread; nothing allocates after the constructor. The model must outlive it. q has nq
/// numbers, v, v_r, vdot and vdot_r nv, all in the model's conventions.
class FastDynamics {
 public:
  /// What this machine can run, the fastest first, "plain" last.
  static std::vector<std::string> InstructionSets();

  /// @throws UserError that lists InstructionSets() if `instruction_set` is none of them; empty
  /// stands for the fastest.
  explicit FastDynamics(const Model& model, std::string_view instruction_set = {});

  const char* instruction_set() const { return kernels_ == nullptr ? "plain" : kernels_->name; }

  /// nv × nv, as core/mass_matrix.h.
  void CalcMassMatrix(VectorIn<double> q, MatrixOut<double> H);

  /// The Christoffel-consistent C(q,v) and H(q), nv × nv each, as core/coriolis.h: algorithm 1 of
  /// [EW].
  void CalcCoriolisMatrix(VectorIn<double> q, VectorIn<double> v, MatrixOut<double> C,
                          MatrixOut<double> H);

  /// τ = H v̇ + C v + g, nv numbers, as core/rnea.h. tau may be vdot.
  void CalcInverseDynamics(VectorIn<double> q, VectorIn<double> v, VectorIn<double> vdot,
                           VectorOut<double> tau);

  /// τ = H v̇_r + C v_r + g, nv numbers, as core/passivity_rnea.h, with C of the one-parameter
  /// family (Factorization::t).
  void CalcPassivityInverseDynamics(double t, VectorIn<double> q, VectorIn<double> v,
                                    VectorIn<double> v_r, VectorIn<double> vdot_r,
                                    VectorOut<double> tau);

  /// The dense tensor of nv³ numbers (ChristoffelIndex), and the packed form of layout(), as
  /// core/christoffel.h: algorithm 2 of [EW].
  void CalcChristoffelSymbols(VectorIn<double> q, std::span<double> Gamma);
  void CalcPackedChristoffelSymbols(VectorIn<double> q, std::span<double> packed);
  const ChristoffelLayout& layout() const { return layout_; }

 private:
  const kernels::PlanView& plan() const { return plan_.view(); }
  double* memory();

  const Model& model_;
  kernels::Plan plan_;
  const kernels::Kernels* kernels_ = nullptr;  ///< nullptr: the plain algorithms
  ChristoffelLayout layout_;
  Workspace<double> workspace_;  ///< of the plain algorithms
  std::vector<double> memory_;
  std::vector<double> v_, v_r_, vdot_r_, tau_;  ///< by slot, padded with zeros to whole blocks
  Eigen::MatrixXd C_, H_;  ///< by slot, where that is not the coordinates' order, else empty
};

}  // namespace civita
