#pragma once

#include <cstdint>
#include <string_view>

#include "civita/model.h"

namespace civita {

namespace kernels {
/// Operations on the lanes of vectors, of this thread, so far.
inline thread_local std::int64_t kernel_operations = 0;
}  // namespace kernels

/// Floating-point operations of the kernels' vectors for one state of a BenchQuantity: the kernels
/// themselves, run with vectors of four numbers that count. Those in padded or masked lanes count,
/// too; scalar ones, a few for each ball or free joint, do not. Nothing for quantities that no
/// kernel serves.
std::int64_t CountKernelFlops(std::string_view quantity, const Model& model);
/// The same of the kernels with a state a lane.
std::int64_t CountBatchKernelFlops(std::string_view quantity, const Model& model);

}  // namespace civita
