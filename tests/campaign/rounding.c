/* A library for LD_PRELOAD: the program computes with the rounding CIVITA_ROUNDING (upward, downward,
 * towardzero) from its start on; threads inherit it. Numbers are read and printed with rounding to nearest
 * all the same, which in the C library follows the mode. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fenv.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((constructor)) static void start(void) {
  const char* mode = getenv("CIVITA_ROUNDING");
  if (!mode) return;
  if (strcmp(mode, "upward") == 0) fesetround(FE_UPWARD);
  if (strcmp(mode, "downward") == 0) fesetround(FE_DOWNWARD);
  if (strcmp(mode, "towardzero") == 0) fesetround(FE_TOWARDZERO);
}

#define TO_NEAREST(type, name, call)        \
  static __typeof__(name)* next;            \
  if (!next) next = (__typeof__(name)*)dlsym(RTLD_NEXT, #name); \
  const int mode = fegetround();            \
  fesetround(FE_TONEAREST);                 \
  const type result = call;                 \
  fesetround(mode);                         \
  return result

int vsnprintf(char* to, size_t size, const char* format, va_list arguments) {
  TO_NEAREST(int, vsnprintf, next(to, size, format, arguments));
}
int vfprintf(FILE* file, const char* format, va_list arguments) {
  TO_NEAREST(int, vfprintf, next(file, format, arguments));
}
double strtod(const char* text, char** end) { TO_NEAREST(double, strtod, next(text, end)); }

#define WITH_LIST(call)        \
  va_list arguments;           \
  va_start(arguments, format); \
  const int result = call;     \
  va_end(arguments);           \
  return result

int snprintf(char* to, size_t size, const char* format, ...) { WITH_LIST(vsnprintf(to, size, format, arguments)); }
int fprintf(FILE* file, const char* format, ...) { WITH_LIST(vfprintf(file, format, arguments)); }
int printf(const char* format, ...) { WITH_LIST(vfprintf(stdout, format, arguments)); }
