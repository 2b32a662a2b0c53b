#define CIVITA_INSTRUCTION_SET baseline
#define CIVITA_PACK_HEADER "core/kernels/pairs.h"
#define CIVITA_KERNELS kBaselineKernels
#include "core/kernels/table.h"
