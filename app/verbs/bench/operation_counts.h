#pragma once

#include <map>
#include <string>

namespace civita {

/// Floating-point operations of one call of a BenchQuantity.
struct OperationCounts {
  double plain = 0;         ///< of the plain algorithm
  double kernel = 0;        ///< of the kernel's vectors, 0 when no kernel serves it
  double batch_kernel = 0;  ///< a state, of the kernel with a state a lane; 0 when there is none
};

/// Counted by civita_count_operations, which stands beside this program: it holds the algorithms a
/// second time, compiled for numbers that count. `model` as in FindModel; by name, of all
/// quantities. @throws std::runtime_error when that program fails.
std::map<std::string, OperationCounts> CountOperations(const std::string& model);
/// Of one quantity.
OperationCounts CountOperations(const std::string& model, const std::string& quantity);

/// @throws UserError when civita_count_operations is not there; the line says how to build it.
void RequireOperationCounter();

}  // namespace civita
