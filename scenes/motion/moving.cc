#include "civita/scenes/motion/moving.h"

#include <Eigen/Geometry>
#include <cmath>

namespace civita::internal {
namespace {

// J_r(θ) = 1 − a θ× + b (θ×)² with a, b even functions of φ = ‖θ‖. The rates are divided by φ:
// da/dt = a_rate (θ·θ̇).
struct JacobianCoefficients {
  double a, a_rate, b, b_rate;
};

JacobianCoefficients EvaluateCoefficients(double phi_squared) {
  if (phi_squared < 1) {
    // a = Σ (−φ²)^k/(2k+2)!, b = Σ (−φ²)^k/(2k+3)!; the closed form loses digits for small φ.
    JacobianCoefficients c{0.5, 0, 1.0 / 6, 0};
    double power = 1;  // (−φ²)^(k−1)
    double factorial = 6;
    for (int k = 1; k < 10; ++k) {
      factorial *= 2 * k + 2;
      const double a_term = power / factorial;
      factorial *= 2 * k + 3;
      const double b_term = power / factorial;
      c.a -= phi_squared * a_term;
      c.b -= phi_squared * b_term;
      c.a_rate -= 2 * k * a_term;
      c.b_rate -= 2 * k * b_term;
      power *= -phi_squared;
    }
    return c;
  }
  const double phi = std::sqrt(phi_squared);
  const double sine = std::sin(phi), cosine = std::cos(phi);
  const double phi4 = phi_squared * phi_squared;
  return {(1 - cosine) / phi_squared, (phi * sine - 2 * (1 - cosine)) / phi4,
          (phi - sine) / (phi_squared * phi), (3 * sine - phi * cosine - 2 * phi) / (phi4 * phi)};
}

}  // namespace

Moving QuinticStep(double t, double duration) {
  if (t <= 0) return {};
  if (t >= duration) return {1, 0, 0};
  const double x = t / duration;
  return {x * x * x * (10 + x * (-15 + 6 * x)), 30 * x * x * (1 + x * (-2 + x)) / duration,
          60 * x * (1 + x * (-3 + 2 * x)) / (duration * duration)};
}

Moving Sine(double amplitude, double omega, double phase, double t) {
  const double angle = omega * t + phase;
  return {amplitude * std::sin(angle), amplitude * omega * std::cos(angle),
          -amplitude * omega * omega * std::sin(angle)};
}

Moving Sine(const Moving& angle) {
  const double sine = std::sin(angle.x), cosine = std::cos(angle.x);
  return {sine, cosine * angle.xdot, cosine * angle.xddot - sine * angle.xdot * angle.xdot};
}

void CarryRotation(const Eigen::Vector3d& theta, const Eigen::Vector3d& rate,
                   const Eigen::Vector3d& rate_dot, Eigen::Vector3d* omega,
                   Eigen::Vector3d* omega_dot) {
  const JacobianCoefficients c = EvaluateCoefficients(theta.squaredNorm());
  const double along = theta.dot(rate);
  const Eigen::Vector3d turn = theta.cross(rate);
  const Eigen::Vector3d turn_dot = theta.cross(rate_dot);
  *omega = rate - c.a * turn + c.b * theta.cross(turn);
  *omega_dot = rate_dot - c.a * turn_dot + c.b * theta.cross(turn_dot) - c.a_rate * along * turn +
               c.b_rate * along * theta.cross(turn) + c.b * rate.cross(turn);
}

}  // namespace civita::internal
