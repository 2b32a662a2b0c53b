#include "civita/external_forces.h"

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

#define CIVITA_INSTANTIATE(T)                                                            \
  template void CalcGeneralizedForces<T>(const Model&, ExternalForces<T>, Workspace<T>&, \
                                         VectorOut<T>);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
