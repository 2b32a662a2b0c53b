#pragma once

#include <cstddef>
#include <span>

#include "core/kernels/kernels.h"

namespace civita::kernels {

/// What a batch function reads and writes, a column a state; what it does not need is unset.
struct Batch {
  int nq;
  double t;  ///< of the one-parameter family
  ConstMatrixView q, v, v_r, vdot_r, force;
  MatrixView H, C, D, Gamma, tau, vdot;
  bool by_rows;   ///< C, each for itself
  int* singular;  ///< the least state so far where H is singular, of those that are told
};

/// The kernels of one instruction set that take `lanes` states of one model side by side. Each call
/// does `count` ≤ lanes states, from `first` on. `memory` is scratch of memory_numbers(plan, nq)
/// doubles, aligned to 64 bytes and zero before the first call. What a state gets depends on
/// neither its neighbours nor its place.
struct BatchKernels {
  using Function = void(const PlanView& plan, double* memory, const Batch& batch, int first,
                        int count);
  const char* name;
  int lanes;
  size_t (*memory_numbers)(const PlanView& plan, int nq);
  Function* mass_matrices;
  Function* coriolis_matrices;  ///< with mass matrices: algorithm 1 of [EW]
  Function* inverse_dynamics;
  Function* passivity_inverse_dynamics;
  Function* forward_dynamics;              ///< v̇ under `force`
  Function* inverse_mass_matrices;         ///< H⁻¹ in H
  Function* inverse_dynamics_derivatives;  ///< by q, v and v̇ in D, C and H
  Function* forward_dynamics_derivatives;  ///< by q, v and τ in D, C and H
  Function* christoffel_symbols;           ///< dense: algorithm 2 of [EW]; nullptr of "plain"
};

/// Those that this machine can run, the fastest first; the last one, "plain", runs everywhere.
std::span<const BatchKernels* const> AvailableBatchKernels();

}  // namespace civita::kernels
