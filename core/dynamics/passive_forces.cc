#include "civita/passive_forces.h"

#include <algorithm>
#include <cmath>

#include "civita/manifold.h"
#include "core/internal/checks.h"

namespace civita {

namespace {

/// a + b y + c y²: force by displacement or velocity. y is the displacement of a spring, the length
/// of one in three axes, the absolute velocity of a damper.
double Slope(double a, double b, double c, double y) { return a + (b + c * y) * y; }
double Slope(double a, const std::array<double, 2>& bc, double y) {
  return Slope(a, bc[0], bc[1], y);
}

/// The force of damping_poly alone that a velocity meets.
double HigherDamping(double b, double c, double v) { return Slope(0, b, c, std::abs(v)) * v; }

double LengthRate(const Model::Tendon& tendon, const VectorIn<double>& v) {
  double rate = 0;
  for (size_t k = 0; k < tendon.terms.size(); ++k) {
    rate += tendon.terms[k].coefficient * v[tendon.iv[k]];
  }
  return rate;
}

void Pull(const Model::Tendon& tendon, double force, VectorOut<double>& tau) {
  for (size_t k = 0; k < tendon.terms.size(); ++k) {
    tau[tendon.iv[k]] += tendon.terms[k].coefficient * force;
  }
}

void AddSpringForces(const Model& model, const VectorIn<double>& q, double factor,
                     VectorOut<double>& tau) {
  for (const Model::Spring& spring : model.springs()) {
    const double x = q[spring.iq] - spring.reference;
    tau[spring.iv] -= factor * Slope(spring.stiffness, spring.stiffness_poly, x) * x;
  }
  for (const Model::VectorSpring& spring : model.vector_springs()) {
    const Eigen::Vector4d& rest = spring.reference;
    const Eigen::Vector3d x =
        spring.rotates
            ? QuaternionLog(QuaternionProduct<double>(
                  QuaternionConjugate(rest), Eigen::Vector4d(q.segment<4>(spring.iq)).normalized()))
            : Eigen::Vector3d(q.segment<3>(spring.iq) - rest.head<3>());
    tau.segment<3>(spring.iv) -=
        factor * Slope(spring.stiffness, spring.stiffness_poly, x.norm()) * x;
  }
  for (const Model::Tendon& tendon : model.tendons()) {
    double length = 0;
    for (const TendonProperties::Term& term : tendon.terms) {
      length += term.coefficient * q[term.iq];
    }
    const double x = length - std::clamp(length, tendon.rest_lower, tendon.rest_upper);
    if (x != 0) Pull(tendon, -factor * Slope(tendon.stiffness, tendon.stiffness_poly, x) * x, tau);
  }
}

}  // namespace

void AddDampingForces(const Model& model, VectorIn<double> v, double factor,
                      VectorOut<double> tau) {
  internal::CheckLength(model, v, "v");
  internal::CheckLength(model, tau, "tau");
  internal::CheckApart(tau, "tau", v, "v");
  tau -= factor * model.damping().cwiseProduct(v);
  const Eigen::MatrixX2d& poly = model.damping_poly();
  for (int k = 0; k < model.nv(); ++k) {
    if (poly(k, 0) != 0 || poly(k, 1) != 0) {
      tau[k] -= factor * HigherDamping(poly(k, 0), poly(k, 1), v[k]);
    }
  }
  for (const Model::Tendon& tendon : model.tendons()) {
    const double rate = LengthRate(tendon, v);
    Pull(tendon, -factor * Slope(tendon.damping, tendon.damping_poly, std::abs(rate)) * rate, tau);
  }
}

void AddPassiveForces(const Model& model, VectorIn<double> q, VectorIn<double> v,
                      double friction_speed, double factor, VectorOut<double> tau) {
  CIVITA_CHECK(q.size() == model.nq(),
               "q has " << q.size() << " numbers, the model has nq = " << model.nq());
  CIVITA_CHECK(friction_speed > 0, "friction_speed is " << friction_speed);
  internal::CheckApart(tau, "tau", q, "q");
  AddDampingForces(model, v, factor, tau);
  const Eigen::VectorXd& frictionloss = model.frictionloss();
  for (int k = 0; k < model.nv(); ++k) {
    if (frictionloss[k] != 0) tau[k] -= factor * frictionloss[k] * std::tanh(v[k] / friction_speed);
  }
  for (const Model::Tendon& tendon : model.tendons()) {
    if (tendon.frictionloss == 0) continue;
    const double share = std::tanh(LengthRate(tendon, v) / friction_speed);
    Pull(tendon, -factor * tendon.frictionloss * share, tau);
  }
  AddSpringForces(model, q, factor, tau);
}

double CalcPassiveDissipation(const Model& model, VectorIn<double> v_r, VectorIn<double> s,
                              double friction_speed) {
  internal::CheckLength(model, v_r, "v_r");
  internal::CheckLength(model, s, "s");
  CIVITA_CHECK(friction_speed > 0, "friction_speed is " << friction_speed);
  // Of all but linear damping.
  const auto rest = [friction_speed](double b, double c, double frictionloss, double at,
                                     double by) {
    double power = 0;
    if (b != 0 || c != 0) power += by * (HigherDamping(b, c, at + by) - HigherDamping(b, c, at));
    if (frictionloss == 0) return power;
    const double friction = std::tanh((at + by) / friction_speed);
    return power + frictionloss * by * (friction - std::tanh(at / friction_speed));
  };
  double power = s.dot(model.damping().cwiseProduct(s));
  const Eigen::MatrixX2d& poly = model.damping_poly();
  for (int k = 0; k < model.nv(); ++k) {
    power += rest(poly(k, 0), poly(k, 1), model.frictionloss()[k], v_r[k], s[k]);
  }
  for (const Model::Tendon& tendon : model.tendons()) {
    const double at = LengthRate(tendon, v_r), by = LengthRate(tendon, s);
    power += tendon.damping * by * by +
             rest(tendon.damping_poly[0], tendon.damping_poly[1], tendon.frictionloss, at, by);
  }
  return power;
}

}  // namespace civita
