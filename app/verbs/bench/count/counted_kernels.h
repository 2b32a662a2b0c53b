#pragma once

#include <cstdint>
#include <string_view>

#include "civita/model.h"

namespace civita {

namespace kernels {
/// Operations on the lanes of vectors, so far in this thread.
inline thread_local std::int64_t kernel_operations = 0;
}  // namespace kernels

/// Floating-point operations of the kernels' vectors for one state of a BenchQuantity: the kernels
/// run with vectors of four counting numbers. Operations on padded or masked lanes count, too;
/// scalar ones, a few for each ball or free joint, do not. 0 for quantities without a kernel.
std::int64_t CountKernelFlops(std::string_view quantity, const Model& model);
/// Those of the kernels with one state per lane.
std::int64_t CountBatchKernelFlops(std::string_view quantity, const Model& model);

}  // namespace civita
