#define CIVITA_INSTRUCTION_SET plain
#include "core/kernels/batch_coriolis.h"
#include "core/kernels/batch_rnea.h"

namespace civita::kernels {

extern const BatchKernels kBatchPlain;
const BatchKernels kBatchPlain = {
    .name = "plain",
    .lanes = plain::kStates,
    .memory_numbers = plain::BatchMemory::Numbers,
    .mass_matrices = plain::CalcMassMatrices,
    .coriolis_matrices = plain::CalcCoriolisMatrices,
    .inverse_dynamics = plain::CalcInverseDynamics,
    .passivity_inverse_dynamics = plain::CalcPassivityInverseDynamics,
    .christoffel_symbols = nullptr,
};

}  // namespace civita::kernels
