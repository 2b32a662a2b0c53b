// The algorithms for float, which the library does not have: what civita/instantiate.h is for.
#define CIVITA_SCALARS(INSTANTIATE) INSTANTIATE(float)
#include "civita/instantiate.h"
