#define CIVITA_INSTRUCTION_SET avx2
#define CIVITA_KERNELS kAvx2Kernels
#include "core/kernels/table.h"
