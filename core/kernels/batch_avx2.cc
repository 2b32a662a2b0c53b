#define CIVITA_INSTRUCTION_SET avx2
#define CIVITA_BATCH_KERNELS kBatchAvx2
#include "core/kernels/batch_table.h"
