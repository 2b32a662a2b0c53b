#include "scenes/reference.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "core/error.h"
#include "core/manifold.h"

namespace civita {
namespace {

// A number that moves: value, first and second rate.
struct Moving {
  double x = 0, xdot = 0, xddot = 0;
};

Moving operator*(const Moving& a, const Moving& b) {
  return {a.x * b.x, a.xdot * b.x + a.x * b.xdot,
          a.xddot * b.x + 2 * a.xdot * b.xdot + a.x * b.xddot};
}
Moving operator*(double factor, const Moving& a) {
  return {factor * a.x, factor * a.xdot, factor * a.xddot};
}

// 10x³ − 15x⁴ + 6x⁵ of x = t/duration, held at 0 and 1 outside.
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

// J_r(θ) = 1 − a θ× + b (θ×)² with a, b even functions of φ = ‖θ‖, and their rates by φ over φ:
// da/dt = a_rate (θ·θ̇).
struct JacobianCoefficients {
  double a, a_rate, b, b_rate;
};

JacobianCoefficients EvaluateCoefficients(double phi_squared) {
  if (phi_squared < 1) {
    // a = Σ (−φ²)^k/(2k+2)!, b = Σ (−φ²)^k/(2k+3)!; the closed form loses digits here.
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

// ω = J_r(θ) θ̇ and ω̇, for the rotation exp(θ) in its own axes.
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

// q_center ⊕ θ for θ(iv), a function that gives each coordinate as a Moving.
template <typename Theta>
void SampleAround(const std::vector<Model::NamedJoint>& joints, const Eigen::VectorXd& q_center,
                  Theta theta, ReferenceState& state) {
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

class Hold final : public Reference {
 public:
  Hold(const Model& model, const Eigen::VectorXd& q) : q_(q) {
    CIVITA_CHECK(q.size() == model.nq(), "q has " << q.size() << " numbers");
  }

  void Sample(double /*t*/, ReferenceState& state) const override {
    state.q = q_;
    state.v.setZero();
    state.vdot.setZero();
  }

 private:
  Eigen::VectorXd q_;
};

class Sinusoid final : public Reference {
 public:
  Sinusoid(const Model& model, const Eigen::VectorXd& q_center, const Eigen::VectorXd& amplitude,
           const Eigen::VectorXd& frequency_hz, const Eigen::VectorXd& phase, double fade_s)
      : joints_(model.joints()),
        q_center_(q_center),
        amplitude_(amplitude),
        omega_(2 * std::numbers::pi * frequency_hz),
        phase_(phase),
        fade_s_(fade_s) {
    CIVITA_CHECK(q_center.size() == model.nq() && amplitude.size() == model.nv() &&
                 frequency_hz.size() == model.nv() && phase.size() == model.nv());
  }

  void Sample(double t, ReferenceState& state) const override {
    const Moving fade = fade_s_ > 0 ? QuinticStep(t, fade_s_) : Moving{1, 0, 0};
    const auto theta = [&](int iv) {
      return fade * Sine(amplitude_[iv], omega_[iv], phase_[iv], t);
    };
    SampleAround(joints_, q_center_, theta, state);
  }

 private:
  std::vector<Model::NamedJoint> joints_;
  Eigen::VectorXd q_center_, amplitude_, omega_, phase_;
  double fade_s_;
};

class Quintic final : public Reference {
 public:
  Quintic(const Model& model, const Eigen::VectorXd& q_from, const Eigen::VectorXd& q_to,
          double start_s, double duration_s, bool repeat)
      : joints_(model.joints()),
        q_from_(q_from),
        way_(Eigen::VectorXd::Zero(model.nv())),
        start_s_(start_s),
        duration_s_(duration_s),
        repeat_(repeat) {
    CIVITA_CHECK(duration_s > 0, "duration " << duration_s << " s");
    DifferencePosition(model, q_to, q_from, way_);
  }

  void Sample(double t, ReferenceState& state) const override {
    double since = t - start_s_;
    bool back = false;
    if (repeat_ && since > 0) {
      const double count = std::floor(since / duration_s_);
      since -= count * duration_s_;
      back = std::fmod(count, 2) == 1;
    }
    Moving step = QuinticStep(since, duration_s_);
    if (back) step = {1 - step.x, -step.xdot, -step.xddot};
    SampleAround(
        joints_, q_from_, [&](int iv) { return way_[iv] * step; }, state);
  }

 private:
  std::vector<Model::NamedJoint> joints_;
  Eigen::VectorXd q_from_, way_;
  double start_s_, duration_s_;
  bool repeat_;
};

class Line final : public Reference {
 public:
  Line(const Model& model, const Eigen::VectorXd& q_start, int coordinate)
      : joints_(model.joints()), q_start_(q_start), coordinate_(coordinate) {
    CIVITA_CHECK(coordinate >= 0 && coordinate < model.nv(), "coordinate " << coordinate);
    CIVITA_CHECK(q_start.size() == model.nq(), "q has " << q_start.size() << " numbers");
  }

  void Sample(double t, ReferenceState& state) const override {
    const Moving along = {t + std::sin(t), 1 + std::cos(t), -std::sin(t)};
    const auto theta = [&](int iv) { return iv == coordinate_ ? along : Moving{}; };
    SampleAround(joints_, q_start_, theta, state);
  }

 private:
  std::vector<Model::NamedJoint> joints_;
  Eigen::VectorXd q_start_;
  int coordinate_;
};

class Coupled final : public Reference {
 public:
  Coupled(std::unique_ptr<Reference> inner, std::vector<Coupling> couplings)
      : inner_(std::move(inner)), couplings_(std::move(couplings)) {}

  void Sample(double t, ReferenceState& state) const override {
    inner_->Sample(t, state);
    for (const Coupling& c : couplings_) {
      const bool constant = c.iv_from < 0;
      const double v_from = constant ? 0 : state.v[c.iv_from];
      const double vdot_from = constant ? 0 : state.vdot[c.iv_from];
      double slope = 0, curvature = 0;
      c.Evaluate(constant ? 0 : state.q[c.iq_from], &state.q[c.iq], &slope, &curvature);
      state.v[c.iv] = slope * v_from;
      state.vdot[c.iv] = slope * vdot_from + curvature * v_from * v_from;
    }
  }

 private:
  std::unique_ptr<Reference> inner_;
  std::vector<Coupling> couplings_;
};

}  // namespace

void Coupling::Evaluate(double q_from, double* value, double* slope, double* curvature) const {
  const double x = iv_from < 0 ? 0 : q_from - from_reference;
  *value = 0;
  *slope = 0;
  *curvature = 0;
  for (int k = 4; k >= 0; --k) {
    *curvature = *curvature * x + 2 * *slope;
    *slope = *slope * x + *value;
    *value = *value * x + polynomial[k];
  }
  *value += reference;
}

std::unique_ptr<Reference> MakeHold(const Model& model, const Eigen::VectorXd& q) {
  return std::make_unique<Hold>(model, q);
}

std::unique_ptr<Reference> MakeSinusoid(const Model& model, const Eigen::VectorXd& q_center,
                                        const Eigen::VectorXd& amplitude,
                                        const Eigen::VectorXd& frequency_hz,
                                        const Eigen::VectorXd& phase, double fade_s) {
  return std::make_unique<Sinusoid>(model, q_center, amplitude, frequency_hz, phase, fade_s);
}

std::unique_ptr<Reference> MakeQuintic(const Model& model, const Eigen::VectorXd& q_from,
                                       const Eigen::VectorXd& q_to, double start_s,
                                       double duration_s, bool repeat) {
  return std::make_unique<Quintic>(model, q_from, q_to, start_s, duration_s, repeat);
}

std::unique_ptr<Reference> MakeLine(const Model& model, const Eigen::VectorXd& q_start,
                                    int coordinate) {
  return std::make_unique<Line>(model, q_start, coordinate);
}

std::unique_ptr<Reference> MakeCoupled(std::unique_ptr<Reference> inner,
                                       std::vector<Coupling> couplings) {
  return std::make_unique<Coupled>(std::move(inner), std::move(couplings));
}

}  // namespace civita
