#pragma once

#include "core/symbolic/formula.h"

#define CIVITA_FOR_EACH_SCALAR(INSTANTIATE) INSTANTIATE(Formula)
