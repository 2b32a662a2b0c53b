#define CIVITA_INSTRUCTION_SET avx512
#include "core/kernels/christoffel_kernel.h"
#include "core/kernels/coriolis_kernel.h"
#include "core/kernels/derivatives_kernel.h"
#include "core/kernels/forward_derivatives_kernel.h"
#include "core/kernels/passivity_derivatives_kernel.h"
#include "core/kernels/rnea_kernel.h"
#include "core/kernels/torsion_kernel.h"

namespace civita::kernels {

extern const Kernels kAvx512Kernels;
const Kernels kAvx512Kernels = {
    .name = "avx512",
    .memory_numbers = avx512::Memory::Numbers,
    .mass_matrix = avx512::CalcMassMatrix,
    .coriolis_matrix = avx512::CalcCoriolisMatrix,
    .add_torsion = avx512::AddTorsion,
    .inverse_dynamics = avx512::CalcInverseDynamics,
    .inverse_dynamics_derivatives = avx512::CalcInverseDynamicsDerivatives,
    .factor = avx512::Factor,
    .forward_dynamics_derivatives = avx512::CalcForwardDynamicsDerivatives,
    .passivity_inverse_dynamics = avx512::CalcPassivityInverseDynamics,
    .passivity_derivatives = avx512::CalcPassivityDerivatives,
    .packed_christoffel_symbols = avx512::CalcPackedChristoffelSymbols,
    .christoffel_symbols = avx512::CalcChristoffelSymbols,
};

}  // namespace civita::kernels
