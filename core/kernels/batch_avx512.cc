#define CIVITA_INSTRUCTION_SET avx512
#include "core/kernels/batch_coriolis.h"
#include "core/kernels/batch_rnea.h"
#include "core/kernels/batch_symbols.h"

namespace civita::kernels {

extern const BatchKernels kBatchAvx512;
const BatchKernels kBatchAvx512 = {
    .name = "avx512",
    .lanes = avx512::kStates,
    .memory_numbers = avx512::NumbersWithSymbols,
    .mass_matrices = avx512::CalcMassMatrices,
    .coriolis_matrices = avx512::CalcCoriolisMatrices,
    .inverse_dynamics = avx512::CalcInverseDynamics,
    .passivity_inverse_dynamics = avx512::CalcPassivityInverseDynamics,
    .christoffel_symbols = avx512::CalcSymbolsOfEach,
};

}  // namespace civita::kernels
