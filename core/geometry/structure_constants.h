#pragma once

#include "civita/model.h"
#include "civita/tensor3.h"

namespace civita {

/// Structure constants of a Model's velocity coordinates, c(l, j, k) = c^l_jk with
/// [e_j, e_k] = Σ_l c^l_jk e_l ([WES], remark 1, there s): constant, and within one joint. They are
/// ε_jkl for the three rotations of a ball or free joint, angular velocity in the body's axes; all
/// other coordinates commute.
Tensor3 CalcStructureConstants(const Model& model);

}  // namespace civita
