// Compiles kinematics, H, C, Γ and inverse dynamics for scalars of one's own, whose comparisons
// need not give a bool: expressions such as casadi::SXElem. civita/instantiate.h, in the same way,
// compiles all algorithms of open trees, for scalars that compare as numbers do.
//
//   using Scalar = casadi::SXElem;
//   #define CIVITA_SCALARS(INSTANTIATE) INSTANTIATE(Scalar)
//   #include "civita/instantiate_formulas.h"
//
// in one file of a target that links to civita::instantiate; others include the headers of the
// algorithms as ever and use Workspace<Scalar>. The scalar needs what Eigen needs of one
// (Eigen::NumTraits), a constructor from double, +, −, ·, /, and sin and cos that are found beside
// it.
#pragma once

#ifndef CIVITA_SCALARS
#error "define CIVITA_SCALARS(INSTANTIATE) as INSTANTIATE(Scalar) before this header is included"
#endif

#include "core/dynamics/christoffel.cc"
#include "core/dynamics/coriolis.cc"
#include "core/dynamics/kinematics.cc"
#include "core/dynamics/mass_matrix.cc"
#include "core/dynamics/rnea.cc"
#include "core/dynamics/workspace.cc"
