#include "formulas.h"

#include <Eigen/Core>

#include "arm.h"
#include "civita/coriolis.h"
#include "civita/kinematics.h"
#include "civita/rnea.h"

template <>
struct Eigen::NumTraits<casadi::SXElem> : Eigen::GenericNumTraits<casadi::SXElem> {
  using Real = casadi::SXElem;
  using NonInteger = casadi::SXElem;
  using Nested = casadi::SXElem;
  enum { IsComplex = 0, IsInteger = 0, IsSigned = 1, RequireInitialization = 1 };
};

using Scalar = casadi::SXElem;
#define CIVITA_SCALARS(INSTANTIATE) INSTANTIATE(Scalar)
#include "civita/instantiate_formulas.h"

template <typename T>
Dynamics<T> CalcDynamics(const std::vector<T>& q, const std::vector<T>& v,
                         const std::vector<T>& vdot) {
  using Vector = Eigen::Map<const civita::VectorX<T>>;
  const civita::Model model = Arm();
  civita::Workspace<T> workspace(model);
  civita::MatrixX<T> H(kNumJoints, kNumJoints), C(kNumJoints, kNumJoints);
  civita::VectorX<T> tau(kNumJoints);
  civita::UpdateKinematics(model, Vector(q.data(), kNumJoints), Vector(v.data(), kNumJoints),
                           workspace);
  civita::CalcCoriolisMatrix(model, {}, workspace, {.C = C, .H = H});
  civita::CalcInverseDynamics(model, Vector(vdot.data(), kNumJoints), workspace, tau);
  return {
      {H.data(), H.data() + H.size()}, {C.data(), C.data() + C.size()}, {tau.begin(), tau.end()}};
}

template Dynamics<Scalar> CalcDynamics(const std::vector<Scalar>&, const std::vector<Scalar>&,
                                       const std::vector<Scalar>&);
template Dynamics<double> CalcDynamics(const std::vector<double>&, const std::vector<double>&,
                                       const std::vector<double>&);
