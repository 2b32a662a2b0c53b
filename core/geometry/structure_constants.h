#pragma once

#include "civita/model.h"
#include "civita/tensor3.h"

namespace civita {

/// Structure constants c(l, j, k) = c^l_jk of a Model's velocity coordinates, nv³ numbers, with
/// [e_j, e_k] = Σ_l c^l_jk e_l ([WES], remark 1, where they are called s). They are ε_jkl for the
/// three rotations of one ball or free joint, whose angular velocity is expressed in body axes, and
/// zero otherwise.
Tensor3 CalcStructureConstants(const Model& model);

}  // namespace civita
