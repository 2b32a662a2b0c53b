#pragma once

// The scalars that the algorithms are compiled for: each .cc ends with
// CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE), or with CIVITA_FOR_DOUBLE where Dual's are compiled
// in core/scalars/dual_*.cc or nothing in this tree takes a derivative. civita/instantiate.h
// compiles the same texts for CIVITA_SCALARS.

#ifdef CIVITA_SCALARS
#define CIVITA_FOR_EACH_SCALAR CIVITA_SCALARS
#define CIVITA_FOR_DOUBLE CIVITA_SCALARS
#else
#include "civita/dual.h"
#define CIVITA_FOR_EACH_SCALAR(INSTANTIATE) INSTANTIATE(double) INSTANTIATE(Dual)
#define CIVITA_FOR_DOUBLE(INSTANTIATE) INSTANTIATE(double)
#endif
