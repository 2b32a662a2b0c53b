#pragma once

#include "core/kernels/batch_coriolis.h"
#include "core/kernels/batch_derivatives.h"
#include "core/kernels/batch_forward_dynamics.h"
#include "core/kernels/batch_rnea.h"
#ifndef CIVITA_WITHOUT_SYMBOLS
#include "core/kernels/batch_symbols.h"
#endif

// Defines CIVITA_BATCH_KERNELS, the kernels of CIVITA_INSTRUCTION_SET for batches: a state a lane.

namespace civita::kernels {

namespace set = CIVITA_INSTRUCTION_SET;

extern const BatchKernels CIVITA_BATCH_KERNELS;
const BatchKernels CIVITA_BATCH_KERNELS = {
    .name = CIVITA_NAME_OF(CIVITA_INSTRUCTION_SET),
    .lanes = set::kStates,
#ifdef CIVITA_WITHOUT_SYMBOLS
    .memory_numbers = set::BatchMemory::Numbers,
#else
    .memory_numbers = set::NumbersWithSymbols,
#endif
    .mass_matrices = set::CalcMassMatrices,
    .coriolis_matrices = set::CalcCoriolisMatrices,
    .inverse_dynamics = set::CalcInverseDynamics,
    .passivity_inverse_dynamics = set::CalcPassivityInverseDynamics,
    .forward_dynamics = set::CalcForwardDynamics,
    .inverse_mass_matrices = set::CalcInverseMassMatrices,
    .inverse_dynamics_derivatives = set::CalcInverseDynamicsDerivatives,
    .forward_dynamics_derivatives = set::CalcForwardDynamicsDerivatives,
#ifdef CIVITA_WITHOUT_SYMBOLS
    .christoffel_symbols = nullptr,
#else
    .christoffel_symbols = set::CalcSymbolsOfEach,
#endif
};

}  // namespace civita::kernels
