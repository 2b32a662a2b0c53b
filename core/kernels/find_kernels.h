#pragma once

#include <string_view>

namespace civita::kernels {

struct Kernels;

/// The kernels of one of InstructionSets(), nullptr for the plain algorithms. Empty stands for the
/// environment variable CIVITA_INSTRUCTION_SET and, where that is not set, for the fastest.
/// @throws UserError that lists InstructionSets() if it is none of them.
const Kernels* FindKernels(std::string_view name);

}  // namespace civita::kernels
