#include "study/symbolic/expression.h"

#define CIVITA_SCALARS(INSTANTIATE) INSTANTIATE(Expression)
#include "civita/instantiate_formulas.h"
