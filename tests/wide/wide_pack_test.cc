#define CIVITA_INSTRUCTION_SET checked_wide
#define CIVITA_PACK_HEADER "tests/wide/wide_pack.h"
#define CIVITA_PACK_TEST WidePack
#include "tests/wide/pack_checks.h"
