// The kernels at the width that AVX-512 has, on every machine: this program's only ones.

#include <array>

#define CIVITA_INSTRUCTION_SET wide
#define CIVITA_PACK_HEADER "tests/wide/wide_pack.h"
#include "core/kernels/christoffel_kernel.h"
#include "core/kernels/coriolis_kernel.h"
#include "core/kernels/derivatives_kernel.h"
#include "core/kernels/rnea_kernel.h"
#include "core/kernels/torsion_kernel.h"

namespace civita::kernels {

static constexpr Kernels kWideKernels = {
    .name = "wide",
    .memory_numbers = wide::Memory::Numbers,
    .mass_matrix = wide::CalcMassMatrix,
    .coriolis_matrix = wide::CalcCoriolisMatrix,
    .add_torsion = wide::AddTorsion,
    .inverse_dynamics = wide::CalcInverseDynamics,
    .inverse_dynamics_derivatives = wide::CalcInverseDynamicsDerivatives,
    .passivity_inverse_dynamics = wide::CalcPassivityInverseDynamics,
    .packed_christoffel_symbols = wide::CalcPackedChristoffelSymbols,
    .christoffel_symbols = wide::CalcChristoffelSymbols,
};

/// In place of the one of core/kernels/select.cc, which the linker then has no need for.
std::span<const Kernels* const> AvailableKernels() {
  static constexpr std::array kAll = {&kWideKernels};
  return kAll;
}

}  // namespace civita::kernels
