#pragma once

// The scalars that the algorithms are compiled for: each .cc ends with
// CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE). A target that compiles the same sources for scalars
// of its own names a header that says which.

#ifdef CIVITA_SCALARS_HEADER
#include CIVITA_SCALARS_HEADER
#else
#include "civita/dual.h"
#define CIVITA_FOR_EACH_SCALAR(INSTANTIATE) INSTANTIATE(double) INSTANTIATE(float) INSTANTIATE(Dual)
#endif
