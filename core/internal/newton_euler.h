#pragma once

#include "civita/factorization.h"
#include "civita/model.h"
#include "civita/workspace.h"

// The recursions of rnea.h and passivity_rnea.h over the bodies of the workspace, for algorithms
// that go on from what these leave there. Arguments and stage are checked before.

namespace civita::internal {

/// CalcInverseDynamics: leaves A of every body and F of every subtree.
template <typename T>
void CalcNewtonEuler(const Model& model, VectorIn<T> vdot, Workspace<T>& workspace,
                     VectorOut<T> tau);

/// CalcPassivityInverseDynamics: leaves Vr and A of every body and F of every subtree.
template <typename T>
void CalcPassivityNewtonEuler(const Model& model, const Factorization& factorization,
                              VectorIn<T> v_r, VectorIn<T> vdot_r, Workspace<T>& workspace,
                              VectorOut<T> tau);

}  // namespace civita::internal
