#pragma once

#include "core/kernels/batch_memory.h"
#include "core/kernels/christoffel_kernel.h"

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// Dense symbols, one state after the other by the kernel of one: most of the work is to write
/// them, in which a state a lane gains nothing. Its scratch comes after the others'.
inline void CalcSymbolsOfEach(const PlanView& plan, double* scratch, const Batch& batch, int first,
                              int count) {
  double* memory = scratch + BatchMemory::Numbers(plan, batch.nq);
  for (int s = first; s < first + count; ++s) {
    CalcChristoffelSymbols(plan, memory, batch.q.data + s * batch.q.stride,
                           batch.Gamma.data + s * batch.Gamma.stride);
  }
}

/// Numbers of scratch with it.
inline size_t NumbersWithSymbols(const PlanView& plan, int nq) {
  return BatchMemory::Numbers(plan, nq) + Memory::Numbers(plan);
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
