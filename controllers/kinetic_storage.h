#pragma once

#include <Eigen/Core>

#include "civita/controllers/controller.h"

namespace civita {

/// V = ½ sᵀH s and V̇ = sᵀH ṡ + ½ sᵀḢ s, ṡ = v̇ − sdot_ref, with the plant's H, Ḣ and actual v̇,
/// at the step that gave `output`; P stays 0. `scratch`: nv numbers, overwritten.
StorageState CalcKineticStorage(const PlantState& plant, const ControlOutput& output,
                                Eigen::VectorXd& scratch);

}  // namespace civita
