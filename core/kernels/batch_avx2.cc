#define CIVITA_INSTRUCTION_SET avx2
#include "core/kernels/batch_coriolis.h"
#include "core/kernels/batch_rnea.h"
#include "core/kernels/batch_symbols.h"

namespace civita::kernels {

extern const BatchKernels kBatchAvx2;
const BatchKernels kBatchAvx2 = {
    .name = "avx2",
    .lanes = avx2::kStates,
    .memory_numbers = avx2::NumbersWithSymbols,
    .mass_matrices = avx2::CalcMassMatrices,
    .coriolis_matrices = avx2::CalcCoriolisMatrices,
    .inverse_dynamics = avx2::CalcInverseDynamics,
    .passivity_inverse_dynamics = avx2::CalcPassivityInverseDynamics,
    .christoffel_symbols = avx2::CalcSymbolsOfEach,
};

}  // namespace civita::kernels
