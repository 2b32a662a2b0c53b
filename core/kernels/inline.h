#pragma once

// For the headers of kernels, which are compiled once an instruction set, each time into that set's
// namespace: nothing in them, and nothing that they include, may be an inline function of a common
// name, or the linker could hand one set's code to a machine without it.
#define CIVITA_INLINE inline __attribute__((always_inline))
