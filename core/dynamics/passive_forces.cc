#include "civita/passive_forces.h"

#include <algorithm>
#include <cmath>

#include "civita/manifold.h"
#include "core/model/internal/checks.h"
#include "core/model/internal/normalized.h"

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

double LengthOf(const Model::Tendon& tendon, const VectorIn<double>& q) {
  double length = 0;
  for (const TendonProperties::Term& term : tendon.terms) length += term.coefficient * q[term.iq];
  return length;
}

/// How far it is out of its range of rest.
double StretchOf(const Model::Tendon& tendon, const VectorIn<double>& q) {
  const double length = LengthOf(tendon, q);
  return length - std::clamp(length, tendon.rest_lower, tendon.rest_upper);
}

/// From rest, as a rotation vector in the body's axes or a distance.
Eigen::Vector3d DisplacementOf(const Model::VectorSpring& spring, const VectorIn<double>& q) {
  const Eigen::Vector4d& rest = spring.reference;
  if (!spring.rotates) return q.segment<3>(spring.iq) - rest.head<3>();
  return QuaternionLog(QuaternionProduct<double>(
      QuaternionConjugate(rest), internal::Normalized<double>(q.segment<4>(spring.iq))));
}

void AddSpringForces(const Model& model, const VectorIn<double>& q, double factor,
                     VectorOut<double>& tau) {
  for (const Model::Spring& spring : model.springs()) {
    const double x = q[spring.iq] - spring.reference;
    tau[spring.iv] -= factor * Slope(spring.stiffness, spring.stiffness_poly, x) * x;
  }
  for (const Model::VectorSpring& spring : model.vector_springs()) {
    const Eigen::Vector3d x = DisplacementOf(spring, q);
    tau.segment<3>(spring.iv) -=
        factor * Slope(spring.stiffness, spring.stiffness_poly, x.norm()) * x;
  }
  for (const Model::Tendon& tendon : model.tendons()) {
    const double x = StretchOf(tendon, q);
    if (x != 0) Pull(tendon, -factor * Slope(tendon.stiffness, tendon.stiffness_poly, x) * x, tau);
  }
}

}  // namespace

void AddDampingForces(const Model& model, VectorIn<double> v, double factor,
                      VectorOut<double> tau) {
  internal::CheckLength(model, v, "v", tau, "tau");
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

namespace {

void CheckFriction(const Model& model, const SmoothFriction& friction) {
  CIVITA_CHECK(friction.speed > 0, "friction_speed is " << friction.speed);
  const Eigen::Index given = friction.full_speeds.size();
  const Eigen::Index size = model.nv() + static_cast<Eigen::Index>(model.tendons().size());
  CIVITA_CHECK(given == 0 || given == size, "full_speeds has " << given << " numbers for " << size
                                                               << " coordinates and tendons");
}

// One law for all that has friction: of coordinate k, or of tendon k − nv.

double FullSpeed(const SmoothFriction& friction, Eigen::Index k) {
  return friction.full_speeds.size() == 0 ? 0 : friction.full_speeds[k];
}

/// The share of dry friction that acts at a velocity.
double Share(const SmoothFriction& friction, Eigen::Index k, double v) {
  const double full = FullSpeed(friction, k);
  return full > 0 ? std::clamp(v / full, -1.0, 1.0) : std::tanh(v / friction.speed);
}

/// Its derivative by v.
double ShareRate(const SmoothFriction& friction, Eigen::Index k, double v) {
  if (const double full = FullSpeed(friction, k); full > 0)
    return std::abs(v) <= full ? 1 / full : 0;
  const double share = std::tanh(v / friction.speed);
  return (1 - share * share) / friction.speed;
}

/// That of tendon i.
Eigen::Index PlaceOf(const Model& model, size_t i) {
  return model.nv() + static_cast<Eigen::Index>(i);
}

// Derivatives of the magnitudes above by displacement or velocity y: of a spring, with a signed y,
// or of a damper, with an absolute one.
double Rate(double a, double b, double c, double y) { return a + (2 * b + 3 * c * y) * y; }
double Rate(double a, const std::array<double, 2>& bc, double y) {
  return Rate(a, bc[0], bc[1], y);
}

/// M += rate ∇L ∇Lᵀ of a tendon's length L.
void AddRate(const Model::Tendon& tendon, double rate, MatrixOut<double>& M) {
  for (size_t i = 0; i < tendon.terms.size(); ++i) {
    for (size_t k = 0; k < tendon.terms.size(); ++k) {
      M(tendon.iv[i], tendon.iv[k]) +=
          rate * tendon.terms[i].coefficient * tendon.terms[k].coefficient;
    }
  }
}

/// −∂/∂δ (S(|x|) x) of a spring in three axes, S' by |x| along x.
Eigen::Matrix3d RateOf(const Model::VectorSpring& spring, const Eigen::Vector3d& x) {
  const double y = x.norm();
  Eigen::Matrix3d rate =
      Eigen::Matrix3d::Identity() * -Slope(spring.stiffness, spring.stiffness_poly, y);
  if (y > 0) {
    const double slope_rate = spring.stiffness_poly[0] + 2 * spring.stiffness_poly[1] * y;
    rate -= slope_rate / y * x * x.transpose();
  }
  return spring.rotates ? Eigen::Matrix3d(rate * RightJacobianInverse(x)) : rate;
}

/// The power that damping beyond the linear takes of a motion at `at` that is faster `by`.
double HigherPower(double b, double c, double at, double by) {
  if (b == 0 && c == 0) return 0;
  return by * (HigherDamping(b, c, at + by) - HigherDamping(b, c, at));
}

}  // namespace

void AddPassiveForces(const Model& model, VectorIn<double> q, VectorIn<double> v,
                      const SmoothFriction& friction, double factor, VectorOut<double> tau) {
  CIVITA_CHECK(q.size() == model.nq(),
               "q has " << q.size() << " numbers, the model has nq = " << model.nq());
  CheckFriction(model, friction);
  internal::CheckApart(tau, "tau", q, "q");
  AddDampingForces(model, v, factor, tau);
  const Eigen::VectorXd& frictionloss = model.frictionloss();
  for (int k = 0; k < model.nv(); ++k) {
    if (frictionloss[k] == 0) continue;
    tau[k] -= factor * frictionloss[k] * Share(friction, k, v[k]);
  }
  for (size_t i = 0; i < model.tendons().size(); ++i) {
    const Model::Tendon& tendon = model.tendons()[i];
    if (tendon.frictionloss == 0) continue;
    const double share = Share(friction, PlaceOf(model, i), LengthRate(tendon, v));
    Pull(tendon, -factor * tendon.frictionloss * share, tau);
  }
  AddSpringForces(model, q, factor, tau);
}

void AddPassiveForceDerivatives(const Model& model, VectorIn<double> q, VectorIn<double> v,
                                const SmoothFriction& friction, double factor,
                                MatrixOut<double> dtau_dq, MatrixOut<double> dtau_dv) {
  CIVITA_CHECK(q.size() == model.nq(),
               "q has " << q.size() << " numbers, the model has nq = " << model.nq());
  internal::CheckLength(model, v, "v");
  internal::CheckResults(model.nv(), model.nv(), dtau_dq, "dtau_dq", dtau_dv, "dtau_dv");
  internal::CheckApart(dtau_dq, "dtau_dq", q, "q", v, "v");
  internal::CheckApart(dtau_dv, "dtau_dv", q, "q", v, "v");
  CheckFriction(model, friction);
  const Eigen::MatrixX2d& poly = model.damping_poly();
  for (int k = 0; k < model.nv(); ++k) {
    dtau_dv(k, k) -= factor * (Rate(model.damping()[k], poly(k, 0), poly(k, 1), std::abs(v[k])) +
                               model.frictionloss()[k] * ShareRate(friction, k, v[k]));
  }
  for (const Model::Spring& spring : model.springs()) {
    const double x = q[spring.iq] - spring.reference;
    dtau_dq(spring.iv, spring.iv) -= factor * Rate(spring.stiffness, spring.stiffness_poly, x);
  }
  for (const Model::VectorSpring& spring : model.vector_springs()) {
    dtau_dq.block<3, 3>(spring.iv, spring.iv) += factor * RateOf(spring, DisplacementOf(spring, q));
  }
  for (size_t i = 0; i < model.tendons().size(); ++i) {
    const Model::Tendon& tendon = model.tendons()[i];
    const double x = StretchOf(tendon, q), rate = LengthRate(tendon, v);
    if (x != 0)
      AddRate(tendon, -factor * Rate(tendon.stiffness, tendon.stiffness_poly, x), dtau_dq);
    AddRate(tendon,
            -factor * (Rate(tendon.damping, tendon.damping_poly, std::abs(rate)) +
                       tendon.frictionloss * ShareRate(friction, PlaceOf(model, i), rate)),
            dtau_dv);
  }
}

double CalcPassiveDissipation(const Model& model, VectorIn<double> v_r, VectorIn<double> s,
                              const SmoothFriction& friction) {
  internal::CheckLength(model, v_r, "v_r", s, "s");
  CheckFriction(model, friction);
  double power = s.dot(model.damping().cwiseProduct(s));
  const Eigen::MatrixX2d& poly = model.damping_poly();
  for (int k = 0; k < model.nv(); ++k) {
    power += HigherPower(poly(k, 0), poly(k, 1), v_r[k], s[k]);
    if (model.frictionloss()[k] == 0) continue;
    power += model.frictionloss()[k] * s[k] *
             (Share(friction, k, v_r[k] + s[k]) - Share(friction, k, v_r[k]));
  }
  for (size_t i = 0; i < model.tendons().size(); ++i) {
    const Model::Tendon& tendon = model.tendons()[i];
    const double at = LengthRate(tendon, v_r), by = LengthRate(tendon, s);
    power += tendon.damping * by * by +
             HigherPower(tendon.damping_poly[0], tendon.damping_poly[1], at, by);
    if (tendon.frictionloss == 0) continue;
    const Eigen::Index place = PlaceOf(model, i);
    power +=
        tendon.frictionloss * by * (Share(friction, place, at + by) - Share(friction, place, at));
  }
  return power;
}

}  // namespace civita
