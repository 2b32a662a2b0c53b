#pragma once

#include <random>

#include "civita/study/advise/torsion_along_reference.h"
#include "tests/oracles/linear.h"

namespace civita {

/// Error equations with constant matrices, C_LC = 0 and D = 0, at `samples` times of [0,
/// duration_s].
inline TorsionAlongReference MakeConstantErrors(const Eigen::MatrixXd& H, const Eigen::MatrixXd& K,
                                                const Eigen::MatrixXd& K_D, double Lambda,
                                                double duration_s, int samples = 2) {
  const int n = static_cast<int>(H.rows());
  const Eigen::MatrixXd zero = Eigen::MatrixXd::Zero(n, n);
  TorsionAlongReference along;
  along.Lambda = Eigen::VectorXd::Constant(n, Lambda);
  for (int i = 0; i < samples; ++i) {
    along.samples.push_back({.t = duration_s * i / (samples - 1),
                             .v_d = Eigen::VectorXd::Ones(n),
                             .H = H,
                             .C_LC = zero,
                             .K = K,
                             .K_D = K_D,
                             .D = zero});
  }
  const auto add = [&](const char* name, int first, int number) {
    ErrorPart part{name, "rad", {}, Eigen::VectorXd::Zero(n)};
    for (int c = first; c < first + number; ++c) part.coordinates.push_back(c);
    part.mask.segment(first, number).setOnes();
    along.parts.push_back(part);
  };
  add("all", 0, n);
  add("first two", 0, 2);
  const Eigen::VectorXd rates = linear::Eigenvalues(linear::Solve(H, K_D)).real();
  along.k_min = rates.minCoeff();
  along.k_max = rates.maxCoeff();
  along.k_mean = rates.mean();
  return along;
}

/// Random numbers of normal distribution.
inline Eigen::MatrixXd MakeNormal(int rows, int columns, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return normal(generator); });
}

/// A positive definite matrix of some condition.
inline Eigen::MatrixXd MakeMetric(int n, unsigned seed) {
  const Eigen::MatrixXd x = MakeNormal(n, n, seed);
  return x * x.transpose() + 0.05 * Eigen::MatrixXd::Identity(n, n);
}

/// A skew matrix with ‖H⁻¹K‖ of the order of `size`.
inline Eigen::MatrixXd MakeContorsion(const Eigen::MatrixXd& H, double size, unsigned seed) {
  const int n = static_cast<int>(H.rows());
  const Eigen::MatrixXd x = MakeNormal(n, n, seed), K = x - x.transpose();
  return size / linear::Solve(H, K).norm() * K;
}

}  // namespace civita
