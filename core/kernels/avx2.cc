#define CIVITA_INSTRUCTION_SET avx2
#include "core/kernels/christoffel_kernel.h"
#include "core/kernels/coriolis_kernel.h"
#include "core/kernels/derivatives_kernel.h"
#include "core/kernels/forward_derivatives_kernel.h"
#include "core/kernels/passivity_derivatives_kernel.h"
#include "core/kernels/rnea_kernel.h"
#include "core/kernels/torsion_kernel.h"

namespace civita::kernels {

extern const Kernels kAvx2Kernels;
const Kernels kAvx2Kernels = {
    .name = "avx2",
    .memory_numbers = avx2::Memory::Numbers,
    .mass_matrix = avx2::CalcMassMatrix,
    .coriolis_matrix = avx2::CalcCoriolisMatrix,
    .add_torsion = avx2::AddTorsion,
    .inverse_dynamics = avx2::CalcInverseDynamics,
    .inverse_dynamics_derivatives = avx2::CalcInverseDynamicsDerivatives,
    .factor = avx2::Factor,
    .forward_dynamics_derivatives = avx2::CalcForwardDynamicsDerivatives,
    .passivity_inverse_dynamics = avx2::CalcPassivityInverseDynamics,
    .passivity_derivatives = avx2::CalcPassivityDerivatives,
    .packed_christoffel_symbols = avx2::CalcPackedChristoffelSymbols,
    .christoffel_symbols = avx2::CalcChristoffelSymbols,
};

}  // namespace civita::kernels
