// The kernels at AVX-512's width on every machine; this program has no others.

#include <array>

#define CIVITA_INSTRUCTION_SET wide
#define CIVITA_PACK_HEADER "tests/wide/wide_pack.h"
#include "core/kernels/batch_coriolis.h"
#include "core/kernels/batch_rnea.h"
#include "core/kernels/batch_symbols.h"
#include "core/kernels/christoffel_kernel.h"
#include "core/kernels/coriolis_kernel.h"
#include "core/kernels/derivatives_kernel.h"
#include "core/kernels/forward_derivatives_kernel.h"
#include "core/kernels/passivity_derivatives_kernel.h"
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
    .factor = wide::Factor,
    .forward_dynamics_derivatives = wide::CalcForwardDynamicsDerivatives,
    .passivity_inverse_dynamics = wide::CalcPassivityInverseDynamics,
    .passivity_derivatives = wide::CalcPassivityDerivatives,
    .packed_christoffel_symbols = wide::CalcPackedChristoffelSymbols,
    .christoffel_symbols = wide::CalcChristoffelSymbols,
};

static constexpr BatchKernels kBatchWide = {
    .name = "wide",
    .lanes = wide::kStates,
    .memory_numbers = wide::NumbersWithSymbols,
    .mass_matrices = wide::CalcMassMatrices,
    .coriolis_matrices = wide::CalcCoriolisMatrices,
    .inverse_dynamics = wide::CalcInverseDynamics,
    .passivity_inverse_dynamics = wide::CalcPassivityInverseDynamics,
    .christoffel_symbols = wide::CalcSymbolsOfEach,
};
extern const BatchKernels kBatchPlain;

/// Replaces the functions of core/kernels/select.cc and batch_select.cc, which the linker then
/// omits.
std::span<const Kernels* const> AvailableKernels() {
  static constexpr std::array kAll = {&kWideKernels};
  return kAll;
}
std::span<const BatchKernels* const> AvailableBatchKernels() {
  static constexpr std::array kAll = {&kBatchWide, &kBatchPlain};
  return kAll;
}

}  // namespace civita::kernels
