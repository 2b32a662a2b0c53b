#pragma once

#include "core/symbolic/expression.h"

#define CIVITA_FOR_EACH_SCALAR(INSTANTIATE) INSTANTIATE(Expression)
