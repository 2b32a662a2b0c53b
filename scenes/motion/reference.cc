#include "civita/scenes/motion/reference.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "civita/error.h"
#include "civita/manifold.h"
#include "civita/scenes/motion/moving.h"

namespace civita {
namespace {

using internal::Moving;
using internal::QuinticStep;
using internal::SampleAround;

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
      return fade * internal::Sine(amplitude_[iv], omega_[iv], phase_[iv], t);
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
