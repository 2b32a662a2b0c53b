#include "civita/study/identify/motion_samples.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "civita/error.h"
#include "civita/manifold.h"

namespace civita {
namespace {

using Eigen::Index;

/// Of each row, whose differences of this order have `gain` times the noise's variance.
Eigen::VectorXd RowNoise(Eigen::MatrixXd x, int order, double gain) {
  for (int i = 0; i < order; ++i) x = (x.rightCols(x.cols() - 1) - x.leftCols(x.cols() - 1)).eval();
  constexpr double kMedian = 0.6744897501960817;  // of the magnitude of a normal number
  Eigen::VectorXd noise(x.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    Eigen::VectorXd size = x.row(i).cwiseAbs();
    const auto middle = size.begin() + size.size() / 2;
    std::nth_element(size.begin(), middle, size.end());
    const double median = *middle / kMedian;
    noise[i] =
        (median > 0 ? median : std::sqrt(size.squaredNorm() / static_cast<double>(size.size()))) /
        std::sqrt(gain);
  }
  return noise;
}

}  // namespace

MotionNoise EstimateNoise(const Model& model, const MotionSamples& samples) {
  constexpr double kThirdDifference = 1 + 9 + 9 + 1;
  Eigen::MatrixXd dq(model.nv(), samples.t.size() - 1);
  for (Index k = 0; k < dq.cols(); ++k)
    DifferencePosition(model, samples.q.col(k + 1), samples.q.col(k), dq.col(k));
  return {RowNoise(dq, 2, kThirdDifference), RowNoise(samples.v, 3, kThirdDifference),
          RowNoise(samples.tau, 3, kThirdDifference)};
}

MotionSamples WithNoise(const Model& model, const MotionSamples& samples, const MotionNoise& noise,
                        int seed, double sign) {
  MotionSamples noisy = samples;
  Random random(seed, Random::Stream::kSensors);
  const auto draw = [&](const Eigen::VectorXd& sigma) {
    Eigen::VectorXd x(sigma.size());
    for (Index i = 0; i < x.size(); ++i) x[i] = sign * sigma[i] * random.Normal();
    return x;
  };
  for (Index k = 0; k < samples.t.size(); ++k) {
    const Eigen::VectorXd dq = draw(noise.q);
    IntegratePosition<double>(model, samples.q.col(k), dq, 1, noisy.q.col(k));
    noisy.v.col(k) += draw(noise.v);
    noisy.tau.col(k) += draw(noise.tau);
  }
  return noisy;
}

void CheckSamples(const Model& model, const MotionSamples& samples) {
  const auto check = [&](const char* what, const Eigen::MatrixXd& x, int wanted) {
    const std::string of = samples.name + ": " + what;
    if (x.rows() != wanted || x.cols() != samples.t.size()) {
      throw UserError(of + " has " + std::to_string(x.rows()) + " × " + std::to_string(x.cols()) +
                      " numbers, the model and the times need " + std::to_string(wanted) + " × " +
                      std::to_string(samples.t.size()));
    }
    for (Index k = 0; k < x.cols(); ++k) {
      if (!x.col(k).allFinite()) throw UserError(of + " is not finite in row " + std::to_string(k));
    }
  };
  constexpr Index kFewest = 5;
  if (samples.t.size() < kFewest) throw UserError(samples.name + " has fewer than 5 samples");
  check("t", samples.t.transpose(), 1);
  check("q", samples.q, model.nq());
  check("v", samples.v, model.nv());
  check("tau", samples.tau, model.nv());
  for (Index k = 1; k < samples.t.size(); ++k) {
    if (samples.t[k] > samples.t[k - 1]) continue;
    throw UserError(samples.name + ": t does not increase in row " + std::to_string(k));
  }
}

}  // namespace civita
