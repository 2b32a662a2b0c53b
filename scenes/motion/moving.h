#pragma once

#include <Eigen/Core>
#include <memory>
#include <utility>
#include <vector>

#include "civita/controllers/measurement.h"
#include "civita/manifold.h"
#include "civita/model.h"
#include "civita/scenes/motion/reference.h"

// Components of references: scalars with two derivatives, and how they move a configuration.

namespace civita::internal {

/// A scalar as a function of time: value, first and second rate.
struct Moving {
  double x = 0, xdot = 0, xddot = 0;
};

inline Moving operator*(const Moving& a, const Moving& b) {
  return {a.x * b.x, a.xdot * b.x + a.x * b.xdot,
          a.xddot * b.x + 2 * a.xdot * b.xdot + a.x * b.xddot};
}
inline Moving operator*(double factor, const Moving& a) {
  return {factor * a.x, factor * a.xdot, factor * a.xddot};
}

/// 10x³ − 15x⁴ + 6x⁵ of x = t/duration, constant outside [0, duration].
Moving QuinticStep(double t, double duration);

/// amplitude · sin(omega t + phase).
Moving Sine(double amplitude, double omega, double phase, double t);
/// The sine of a time-dependent angle.
Moving Sine(const Moving& angle);

/// ω = J_r(θ) θ̇ and ω̇ of the rotation exp(θ), in its own axes.
void CarryRotation(const Eigen::Vector3d& theta, const Eigen::Vector3d& rate,
                   const Eigen::Vector3d& rate_dot, Eigen::Vector3d* omega,
                   Eigen::Vector3d* omega_dot);

/// q_center ⊕ θ for θ(iv), a function that gives each coordinate as a Moving.
template <typename Theta>
void SampleAround(const std::vector<Model::NamedJoint>& joints,
                  const Eigen::Ref<const Eigen::VectorXd>& q_center, Theta theta,
                  ReferenceState& state) {
  for (const Model::NamedJoint& joint : joints) {
    const int rotation = RotationOffset(joint.type);
    const int plain = rotation < 0 ? NumVelocities(joint.type) : rotation;
    for (int i = 0; i < plain; ++i) {
      const Moving m = theta(joint.iv + i);
      state.q[joint.iq + i] = q_center[joint.iq + i] + m.x;
      state.v[joint.iv + i] = m.xdot;
      state.vdot[joint.iv + i] = m.xddot;
    }
    if (rotation < 0) continue;
    Eigen::Vector3d angle, rate, rate_dot, omega, omega_dot;
    for (int i = 0; i < 3; ++i) {
      const Moving m = theta(joint.iv + plain + i);
      angle[i] = m.x;
      rate[i] = m.xdot;
      rate_dot[i] = m.xddot;
    }
    CarryRotation(angle, rate, rate_dot, &omega, &omega_dot);
    const Eigen::Vector4d center = q_center.segment<4>(joint.iq + plain);
    state.q.segment<4>(joint.iq + plain) = QuaternionProduct(center, QuaternionExp(angle));
    state.v.segment<3>(joint.iv + plain) = omega;
    state.vdot.segment<3>(joint.iv + plain) = omega_dot;
  }
}

template <typename Motion>
class Around final : public Reference {
 public:
  Around(const Model& model, const Eigen::VectorXd& q_center, Motion motion)
      : joints_(model.joints()), q_center_(q_center), motion_(std::move(motion)) {}

  void Sample(double t, ReferenceState& state) const override {
    SampleAround(joints_, q_center_, motion_(t), state);
  }

 private:
  std::vector<Model::NamedJoint> joints_;
  Eigen::VectorXd q_center_;
  Motion motion_;
};

/// q_center ⊕ θ(t): `motion`(t) gives the function θ(iv) of SampleAround, which may refer to it.
template <typename Motion>
std::unique_ptr<Reference> MakeAround(const Model& model, const Eigen::VectorXd& q_center,
                                      Motion motion) {
  return std::make_unique<Around<Motion>>(model, q_center, std::move(motion));
}

}  // namespace civita::internal
