#define CIVITA_INSTRUCTION_SET avx512
#define CIVITA_BATCH_KERNELS kBatchAvx512
#include "core/kernels/batch_table.h"
