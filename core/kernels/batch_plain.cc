#define CIVITA_INSTRUCTION_SET plain
#define CIVITA_BATCH_KERNELS kBatchPlain
#define CIVITA_WITHOUT_SYMBOLS
#include "core/kernels/batch_table.h"
