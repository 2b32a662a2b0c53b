// The algorithms of closed loops for Dual.
#define CIVITA_SCALARS(INSTANTIATE) INSTANTIATE(Dual)
#include "civita/dual.h"
#include "core/loops/cluster_dynamics.cc"
#include "core/loops/cluster_kinematics.cc"
#include "core/loops/cluster_motion.cc"
#include "core/loops/internal/closure_rows.cc"
