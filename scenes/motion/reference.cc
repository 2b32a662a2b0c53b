#include "civita/scenes/motion/reference.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
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

// Uniform in (−1, 1), identical with every standard library.
Eigen::VectorXd RandomVector(int size, std::mt19937* random) {
  Eigen::VectorXd x(size);
  for (double& value : x) value = (static_cast<double>((*random)()) + 0.5) / 2147483648.0 - 1;
  return x;
}

// Σ a_k sin(k ωt) + b_k cos(k ωt).
template <typename Coefficients>
Moving Series(const Coefficients& a, const Coefficients& b, double omega, double t) {
  Moving sum;
  for (int i = 0; i < a.size(); ++i) {
    const double rate = (i + 1) * omega;
    const double sine = std::sin(rate * t), cosine = std::cos(rate * t);
    sum.x += a[i] * sine + b[i] * cosine;
    sum.xdot += rate * (a[i] * cosine - b[i] * sine);
    sum.xddot -= rate * rate * (a[i] * sine + b[i] * cosine);
  }
  return sum;
}

double Peak(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  double peak = 0;
  const auto samples = 200 * a.size();
  for (Eigen::Index i = 0; i < samples; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(samples);
    peak = std::max(peak, std::abs(Series(a, b, 2 * std::numbers::pi, t).x));
  }
  return peak;
}

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

std::unique_ptr<Reference> MakeExcitation(const Model& model, const Eigen::VectorXd& q_center,
                                          const Eigen::VectorXd& amplitude, double base_hz,
                                          int harmonics, int seed) {
  CIVITA_CHECK(q_center.size() == model.nq() && amplitude.size() == model.nv());
  CIVITA_CHECK(base_hz > 0 && harmonics >= 3, base_hz << " Hz, " << harmonics << " harmonics");
  // Rest at t = 0: θ = Σ b_k = 0, θ̇ ∝ Σ k a_k = 0, θ̈ ∝ Σ k² b_k = 0.
  const Eigen::VectorXd k = Eigen::VectorXd::LinSpaced(harmonics, 1, harmonics);
  const Eigen::VectorXd one = Eigen::VectorXd::Ones(harmonics);
  const Eigen::VectorXd k_squared = k.cwiseAbs2();
  const Eigen::VectorXd k_rest = k_squared - one * (k_squared.sum() / harmonics);
  std::mt19937 random(static_cast<unsigned>(seed));
  Eigen::MatrixXd sines(model.nv(), harmonics), cosines(model.nv(), harmonics);
  for (int iv = 0; iv < model.nv(); ++iv) {
    // Amplitudes fall as 1/k, so that all harmonics have similar speeds.
    Eigen::VectorXd a = RandomVector(harmonics, &random).cwiseQuotient(k);
    Eigen::VectorXd b = RandomVector(harmonics, &random).cwiseQuotient(k);
    a -= k * (k.dot(a) / k.squaredNorm());
    b.array() -= b.mean();
    b -= k_rest * (k_rest.dot(b) / k_rest.squaredNorm());
    const double scale = amplitude[iv] / Peak(a, b);
    sines.row(iv) = scale * a;
    cosines.row(iv) = scale * b;
  }
  const double omega = 2 * std::numbers::pi * base_hz;
  return MakeAround(model, q_center, [=](double t) {
    return [&, t](int iv) { return Series(sines.row(iv), cosines.row(iv), omega, t); };
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
