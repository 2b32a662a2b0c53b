#include "civita/external_forces.h"

#include "civita/rnea.h"
#include "core/dynamics/internal/external.h"
#include "core/model/internal/checks.h"
#include "core/spatial/internal/scalars.h"

namespace civita {

template <typename T>
void CalcGeneralizedForces(const Model& model, ExternalForces<T> forces, Workspace<T>& workspace,
                           VectorOut<T> tau) {
  auto& s = internal::RequireState(model, workspace, Stage::kPosition, "CalcGeneralizedForces");
  internal::CheckLength(model, tau, "tau");
  tau.setZero();
  internal::AddGeneralizedForces<T>(model, forces, T(1), s, tau);
}

template <typename T>
void CalcInverseDynamics(const Model& model, VectorIn<T> vdot, Workspace<T>& workspace,
                         VectorOut<T> tau, ExternalForces<T> forces) {
  CalcInverseDynamics<T>(model, vdot, workspace, tau);
  internal::AddGeneralizedForces<T>(model, forces, T(-1), workspace.scratch(), tau);
}

#define CIVITA_INSTANTIATE(T)                                                                  \
  template void CalcGeneralizedForces<T>(const Model&, ExternalForces<T>, Workspace<T>&,       \
                                         VectorOut<T>);                                        \
  template void CalcInverseDynamics<T>(const Model&, VectorIn<T>, Workspace<T>&, VectorOut<T>, \
                                       ExternalForces<T>);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
