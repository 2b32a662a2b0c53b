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

class Excitation final : public Reference {
 public:
  Excitation(const Model& model, const Eigen::VectorXd& q_center, const Eigen::VectorXd& amplitude,
             double base_hz, int harmonics, int seed)
      : joints_(model.joints()),
        q_center_(q_center),
        omega_(2 * std::numbers::pi * base_hz),
        sines_(model.nv(), harmonics),
        cosines_(model.nv(), harmonics) {
    CIVITA_CHECK(q_center.size() == model.nq() && amplitude.size() == model.nv());
    CIVITA_CHECK(base_hz > 0 && harmonics >= 3, base_hz << " Hz, " << harmonics << " harmonics");
    // Rest at t = 0: θ = Σ b_k = 0, θ̇ ∝ Σ k a_k = 0, θ̈ ∝ Σ k² b_k = 0.
    const Eigen::VectorXd k = Eigen::VectorXd::LinSpaced(harmonics, 1, harmonics);
    const Eigen::VectorXd one = Eigen::VectorXd::Ones(harmonics);
    const Eigen::VectorXd k_squared = k.cwiseAbs2();
    const Eigen::VectorXd k_rest = k_squared - one * (k_squared.sum() / harmonics);
    std::mt19937 random(static_cast<unsigned>(seed));
    for (int iv = 0; iv < model.nv(); ++iv) {
      // Amplitudes fall as 1/k, so that all harmonics have similar speeds.
      Eigen::VectorXd a = RandomVector(harmonics, &random).cwiseQuotient(k);
      Eigen::VectorXd b = RandomVector(harmonics, &random).cwiseQuotient(k);
      a -= k * (k.dot(a) / k.squaredNorm());
      b.array() -= b.mean();
      b -= k_rest * (k_rest.dot(b) / k_rest.squaredNorm());
      const double scale = amplitude[iv] / Peak(a, b);
      sines_.row(iv) = scale * a;
      cosines_.row(iv) = scale * b;
    }
  }

  void Sample(double t, ReferenceState& state) const override {
    const auto theta = [&](int iv) { return Series(sines_.row(iv), cosines_.row(iv), omega_, t); };
    internal::SampleAround(joints_, q_center_, theta, state);
  }

 private:
  template <typename Coefficients>
  static Moving Series(const Coefficients& a, const Coefficients& b, double omega, double t) {
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

  static double Peak(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
    double peak = 0;
    const auto samples = 200 * a.size();
    for (Eigen::Index i = 0; i < samples; ++i) {
      const double t = static_cast<double>(i) / static_cast<double>(samples);
      peak = std::max(peak, std::abs(Series(a, b, 2 * std::numbers::pi, t).x));
    }
    return peak;
  }

  std::vector<Model::NamedJoint> joints_;
  Eigen::VectorXd q_center_;
  double omega_;
  Eigen::MatrixXd sines_, cosines_;  // nv × harmonics
};

}  // namespace

std::unique_ptr<Reference> MakeExcitation(const Model& model, const Eigen::VectorXd& q_center,
                                          const Eigen::VectorXd& amplitude, double base_hz,
                                          int harmonics, int seed) {
  return std::make_unique<Excitation>(model, q_center, amplitude, base_hz, harmonics, seed);
}

}  // namespace civita
