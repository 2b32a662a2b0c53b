// The algorithms of closed loops for Dual.
#define CIVITA_SCALARS(INSTANTIATE) INSTANTIATE(Dual)
#include "civita/dual.h"
#include "core/space/internal/loop_rows.cc"
#include "core/space/space_dynamics.cc"
#include "core/space/space_kinematics.cc"
#include "core/space/space_motion.cc"
