#include "civita/passive_forces.h"

#include <cmath>

#include "core/internal/checks.h"

namespace civita {

void AddPassiveForces(const Model& model, VectorIn<double> q, VectorIn<double> v,
                      double friction_speed, double factor, VectorOut<double> tau) {
  CIVITA_CHECK(q.size() == model.nq(),
               "q has " << q.size() << " numbers, the model has nq = " << model.nq());
  internal::CheckLength(model, v, "v");
  internal::CheckLength(model, tau, "tau");
  CIVITA_CHECK(friction_speed > 0, "friction_speed is " << friction_speed);
  tau -= factor * model.damping().cwiseProduct(v);
  const Eigen::VectorXd& frictionloss = model.frictionloss();
  for (int k = 0; k < model.nv(); ++k) {
    if (frictionloss[k] != 0) tau[k] -= factor * frictionloss[k] * std::tanh(v[k] / friction_speed);
  }
  for (const Model::Spring& spring : model.springs()) {
    tau[spring.iv] -= factor * spring.stiffness * (q[spring.iq] - spring.reference);
  }
}

}  // namespace civita
