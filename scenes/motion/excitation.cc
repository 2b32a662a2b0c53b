#include "civita/scenes/motion/excitation.h"

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "civita/error.h"
#include "civita/scenes/motion/moving.h"

namespace civita {
namespace {

using internal::Moving;

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
  return internal::MakeAround(model, q_center, [=](double t) {
    return [&, t](int iv) { return Series(sines.row(iv), cosines.row(iv), omega, t); };
  });
}

}  // namespace civita
