#define CIVITA_INSTRUCTION_SET checked_plain
#define CIVITA_PACK_TEST PlainPack
#include "tests/wide/pack_checks.h"
