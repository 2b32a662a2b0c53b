#include "tests/wide/emulate.h"
#ifndef __AVX__
#define __AVX__ 1
#endif
#define CIVITA_INSTRUCTION_SET checked_avx2
#define CIVITA_PACK_TEST Avx2Pack
#include "tests/wide/pack_checks.h"
