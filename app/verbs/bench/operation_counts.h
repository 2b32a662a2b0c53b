#pragma once

#include <map>
#include <string>

namespace civita {

/// Floating-point operations of one call of a BenchQuantity.
struct OperationCounts {
  double plain = 0;         ///< of the plain algorithm
  double kernel = 0;        ///< of the kernel's vectors; 0 for a quantity without kernel
  double batch_kernel = 0;  ///< of the kernel with one state per lane, by state; 0 if there is none
};

/// Counts by running civita_count_operations, installed beside this program: it contains the
/// algorithms compiled for counting numbers. `model` as in FindModel. @returns the counts of all
/// quantities by name, NaN where that program is not there. @throws Error when it fails.
std::map<std::string, OperationCounts> CountOperations(const std::string& model);
/// The counts of one quantity.
OperationCounts CountOperations(const std::string& model, const std::string& quantity);

/// Why there are no counts, as civita_count_operations is missing, and how to build it; empty:
/// there are.
std::string WhyNoOperationCounts();
/// Whether that program is there; if not, a note says once that counts are left out, and why.
bool HasOperationCounter();

}  // namespace civita
