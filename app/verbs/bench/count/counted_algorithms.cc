// Of the algorithms, those that are counted.
#include "app/verbs/bench/count/counted.h"

#define CIVITA_SCALARS(INSTANTIATE) INSTANTIATE(Counted)
#include "civita/instantiate_formulas.h"
#include "core/dynamics/centroidal.cc"
#include "core/dynamics/dynamics_derivatives.cc"
#include "core/dynamics/external_forces.cc"
#include "core/dynamics/forward_dynamics.cc"
#include "core/dynamics/frame_motion.cc"
#include "core/dynamics/mass_matrix_cholesky.cc"
#include "core/dynamics/passivity_derivatives.cc"
#include "core/dynamics/passivity_rnea.cc"
#include "core/dynamics/regressor.cc"
