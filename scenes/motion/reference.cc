#include "civita/scenes/motion/reference.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "civita/error.h"
#include "civita/manifold.h"
#include "civita/scenes/motion/moving.h"

namespace civita {
namespace {

using internal::MakeAround;
using internal::Moving;
using internal::QuinticStep;

class Hold final : public Reference {
 public:
  explicit Hold(const Eigen::VectorXd& q) : q_(q) {}

  void Sample(double /*t*/, ReferenceState& state) const override {
    state.q = q_;
    state.v.setZero();
    state.vdot.setZero();
  }

 private:
  Eigen::VectorXd q_;
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
  CIVITA_CHECK(q.size() == model.nq(), "q has " << q.size() << " numbers");
  return std::make_unique<Hold>(q);
}

std::unique_ptr<Reference> MakeSinusoid(const Model& model, const Eigen::VectorXd& q_center,
                                        const Eigen::VectorXd& amplitude,
                                        const Eigen::VectorXd& frequency_hz,
                                        const Eigen::VectorXd& phase, double fade_s) {
  CIVITA_CHECK(q_center.size() == model.nq() && amplitude.size() == model.nv() &&
               frequency_hz.size() == model.nv() && phase.size() == model.nv());
  const Eigen::VectorXd omega = 2 * std::numbers::pi * frequency_hz;
  return MakeAround(model, q_center, [=](double t) {
    const Moving fade = fade_s > 0 ? QuinticStep(t, fade_s) : Moving{1, 0, 0};
    return [&, t, fade](int iv) {
      return fade * internal::Sine(amplitude[iv], omega[iv], phase[iv], t);
    };
  });
}

std::unique_ptr<Reference> MakeQuintic(const Model& model, const Eigen::VectorXd& q_from,
                                       const Eigen::VectorXd& q_to, double start_s,
                                       double duration_s, bool repeat) {
  CIVITA_CHECK(duration_s > 0, "duration " << duration_s << " s");
  Eigen::VectorXd way = Eigen::VectorXd::Zero(model.nv());
  DifferencePosition(model, q_to, q_from, way);
  return MakeAround(model, q_from, [=](double t) {
    double since = t - start_s;
    bool back = false;
    if (repeat && since > 0) {
      const double count = std::floor(since / duration_s);
      since -= count * duration_s;
      back = std::fmod(count, 2) == 1;
    }
    Moving step = QuinticStep(since, duration_s);
    if (back) step = {1 - step.x, -step.xdot, -step.xddot};
    return [&, step](int iv) { return way[iv] * step; };
  });
}

std::unique_ptr<Reference> MakeLine(const Model& model, const Eigen::VectorXd& q_start,
                                    int coordinate) {
  CIVITA_CHECK(coordinate >= 0 && coordinate < model.nv(), "coordinate " << coordinate);
  CIVITA_CHECK(q_start.size() == model.nq(), "q has " << q_start.size() << " numbers");
  return MakeAround(model, q_start, [=](double t) {
    const Moving along = {t + std::sin(t), 1 + std::cos(t), -std::sin(t)};
    return [=](int iv) { return iv == coordinate ? along : Moving{}; };
  });
}

std::unique_ptr<Reference> MakeCoupled(std::unique_ptr<Reference> inner,
                                       std::vector<Coupling> couplings) {
  return std::make_unique<Coupled>(std::move(inner), std::move(couplings));
}

}  // namespace civita
