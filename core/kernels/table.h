#pragma once

#include "core/kernels/centroidal_kernel.h"
#include "core/kernels/christoffel_kernel.h"
#include "core/kernels/constraint_kernel.h"
#include "core/kernels/coriolis_kernel.h"
#include "core/kernels/derivatives_kernel.h"
#include "core/kernels/forward_dynamics_kernel.h"
#include "core/kernels/jacobian_kernel.h"
#include "core/kernels/passivity_derivatives_kernel.h"
#include "core/kernels/product_kernel.h"
#include "core/kernels/regressor_kernel.h"
#include "core/kernels/rnea_kernel.h"
#include "core/kernels/sparse_factor.h"
#include "core/kernels/torsion_kernel.h"

// Defines CIVITA_KERNELS, the kernels of CIVITA_INSTRUCTION_SET.

namespace civita::kernels {

namespace set = CIVITA_INSTRUCTION_SET;

extern const Kernels CIVITA_KERNELS;
const Kernels CIVITA_KERNELS = {
    .name = CIVITA_NAME_OF(CIVITA_INSTRUCTION_SET),
    .memory_numbers = set::Memory::Numbers,
    .body_poses = set::CalcBodyPoses,
    .mass_matrix = set::CalcMassMatrix,
    .mass_matrix_derivative = set::CalcMassMatrixDerivative,
    .coriolis_matrix = set::CalcCoriolisMatrix,
    .add_torsion = set::AddTorsion,
    .inverse_dynamics = set::CalcInverseDynamics,
    .forward_dynamics = set::CalcForwardDynamics,
    .inverse_dynamics_derivatives = set::CalcInverseDynamicsDerivatives,
    .mass_matrix_and_bias = set::CalcMassMatrixAndBias,
    .body_motion = set::GetBodyMotion,
    .add_jacobian = set::AddJacobian,
    .whiten_constraints = set::WhitenConstraints,
    .project_force = set::ProjectForce,
    .release_force = set::ReleaseForce,
    .factor = set::Factor,
    .solve = set::Solve,
    .invert = set::Invert,
    .forward_dynamics_derivatives = set::CalcForwardDynamicsDerivatives,
    .passivity_inverse_dynamics = set::CalcPassivityInverseDynamics,
    .passivity_derivatives = set::CalcPassivityDerivatives,
    .regressor = set::CalcRegressor<false>,
    .transposed_regressor = set::CalcRegressor<true>,
    .regressor_products = set::CalcRegressorProducts,
    .frame_jacobians = set::CalcFrameJacobians,
    .frame_motion = set::CalcFrameMotion,
    .centroidal = set::CalcCentroidal,
    .centroidal_derivatives = set::CalcCentroidalDerivatives,
    .packed_christoffel_symbols = set::CalcPackedChristoffelSymbols,
    .christoffel_symbols = set::CalcChristoffelSymbols,
    .transposed_products = set::CalcTransposedProducts,
};

}  // namespace civita::kernels
