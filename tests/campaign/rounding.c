/* A library for LD_PRELOAD: the program rounds as CIVITA_ROUNDING says (upward, downward, towardzero) from
 * its start on; threads inherit it. */
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

__attribute__((constructor)) static void start(void) {
  const char* mode = getenv("CIVITA_ROUNDING");
  if (!mode) return;
  if (strcmp(mode, "upward") == 0) fesetround(FE_UPWARD);
  if (strcmp(mode, "downward") == 0) fesetround(FE_DOWNWARD);
  if (strcmp(mode, "towardzero") == 0) fesetround(FE_TOWARDZERO);
}
