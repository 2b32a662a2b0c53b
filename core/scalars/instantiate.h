// Compiles the algorithms of open trees for scalars of one's own: float, ceres::Jet, CppAD's AD, …
//
//   using Jet = ceres::Jet<double, 4>;
//   #define CIVITA_SCALARS(INSTANTIATE) INSTANTIATE(Jet)
//   #include "civita/instantiate.h"
//
// in one file of a target that links to civita::instantiate; others include the headers of the
// algorithms as ever and use Workspace<Jet>. The scalar needs what civita/instantiate_formulas.h
// says, sqrt, abs, and comparisons that give a bool.
#pragma once

#include "civita/instantiate_formulas.h"
#include "core/dynamics/centroidal.cc"
#include "core/dynamics/com_decoupled.cc"
#include "core/dynamics/dynamics_derivatives.cc"
#include "core/dynamics/external_forces.cc"
#include "core/dynamics/forward_dynamics.cc"
#include "core/dynamics/frame_motion.cc"
#include "core/dynamics/mass_matrix_cholesky.cc"
#include "core/dynamics/maximal_coordinates.cc"
#include "core/dynamics/passivity_derivatives.cc"
#include "core/dynamics/passivity_rnea.cc"
#include "core/dynamics/regressor.cc"
#include "core/dynamics/task_space.cc"
#include "core/dynamics/velocity_map.cc"
#include "core/model/integrate_position.cc"
