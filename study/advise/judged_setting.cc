#include "civita/study/advise/judged_setting.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "base/decompositions.h"
#include "civita/error.h"
#include "civita/study/advise/error_equations.h"
#include "civita/study/watch.h"

namespace civita {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

double CalcLargestDelay(const MatrixXd& H, const MatrixXd& feedback) {
  const auto eigenvalues = internal::CalcEigenvalues(internal::SolvePositiveDefinite(H, feedback));
  CIVITA_CHECK(eigenvalues, "H⁻¹(K_D + K) without eigenvalues");
  double least = std::numeric_limits<double>::infinity();
  for (const std::complex<double>& lambda : *eigenvalues) {
    const double size = std::abs(lambda);
    if (!(size > 0)) continue;
    const double delay = std::atan2(lambda.real(), std::abs(lambda.imag())) / size;
    least = std::min(least, std::max(0.0, delay));
  }
  return least;
}

std::vector<double> CalcLargestDelays(const TorsionAlongReference& along) {
  std::vector<double> delays;
  delays.reserve(along.samples.size());
  for (const TorsionAlongReference::Sample& sample : along.samples) {
    StopScope::Ask();
    delays.push_back(CalcLargestDelay(sample.H, sample.K_D + sample.K));
  }
  return delays;
}

double CalcLargestDelay(const TorsionAlongReference& along) {
  return std::ranges::min(CalcLargestDelays(along));
}

MatrixXd MakeSkewGain(const TorsionAlongReference::Sample& sample) {
  const auto metric = internal::DecomposePositiveDefinite(sample.H);
  CIVITA_CHECK(metric, "H is not positive definite");
  const MatrixXd D = metric->InFrame(sample.K_D + sample.D);
  const auto [d, u] = internal::DecomposeSymmetric(0.5 * (D + D.transpose()));
  const Index n = d.size();
  MatrixXd Omega = MatrixXd::Zero(n, n);
  for (Index i = 0, j = n - 1; i < j; ++i, --j) {
    const MatrixXd turn = 0.5 * (d[j] - d[i]) * u.col(j) * u.col(i).transpose();
    Omega += turn - turn.transpose();
  }
  const MatrixXd G = metric->L * Omega * metric->L.transpose();
  return 0.5 * (G - G.transpose());  // skew to the last bit
}

void JudgeSetting(const TorsionAlongReference& along, JudgedSetting* setting) {
  const ErrorDecay with = CalcErrorDecay(along, 1);
  const MatrixXd one = MatrixXd::Identity(along.n(), along.n());
  setting->joint = setting->joint_torsion_free = std::sqrt(with.parts.front().Mean(one));
  setting->energy = std::sqrt(
      with.parts.front().Mean(internal::SolvePositiveDefinite(along.samples.front().H, one)));
  const bool turns =
      std::ranges::any_of(along.samples, [](const auto& sample) { return !sample.K.isZero(0); });
  if (turns) {
    setting->joint_torsion_free = std::sqrt(CalcErrorDecay(along, 0).parts.front().Mean(one));
  }
  setting->slowest_rate = CalcSlowestRate(along, with);
  setting->fastest_rate = along.k_max;
  setting->largest_delay_s = CalcLargestDelay(along);
  double squares = 0;
  for (const TorsionAlongReference::Sample& sample : along.samples) {
    // tr(H⁻¹ M H⁻¹ Mᵀ) = ‖L⁻¹ M L⁻ᵀ‖_F².
    const MatrixXd M = internal::InOrthonormalFrame(sample.K_D + sample.K, sample.H);
    squares += M.squaredNorm() / static_cast<double>(along.n());
  }
  setting->feedback = std::sqrt(squares / static_cast<double>(along.samples.size()));
}

}  // namespace civita
