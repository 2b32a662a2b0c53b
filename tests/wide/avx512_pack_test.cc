#include "tests/wide/emulate.h"
#ifndef __AVX__
#define __AVX__ 1
#endif
#define __AVX512F__ 1
#define CIVITA_INSTRUCTION_SET checked_avx512
#define CIVITA_PACK_TEST Avx512Pack
#include "tests/wide/pack_checks.h"
