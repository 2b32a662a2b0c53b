#define CIVITA_INSTRUCTION_SET avx512
#define CIVITA_KERNELS kAvx512Kernels
#include "core/kernels/table.h"
