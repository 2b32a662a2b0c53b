#include "civita/study/advise/judged_setting.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <complex>

#include "civita/study/advise/error_equations.h"

namespace civita {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr std::size_t kDelays = 20;  ///< samples of which eigenvalues are taken, which cost most

}  // namespace

double CalcLargestDelay(const MatrixXd& H, const MatrixXd& feedback) {
  const MatrixXd rates = Eigen::LLT<MatrixXd>(H).solve(feedback);
  const Eigen::EigenSolver<MatrixXd> eigen(rates, false);
  double least = std::numeric_limits<double>::infinity();
  for (const std::complex<double>& lambda : eigen.eigenvalues()) {
    const double size = std::abs(lambda);
    if (!(size > 0)) continue;
    const double delay = std::atan2(lambda.real(), std::abs(lambda.imag())) / size;
    least = std::min(least, std::max(0.0, delay));
  }
  return least;
}

double CalcLargestDelay(const TorsionAlongReference& along) {
  double least = std::numeric_limits<double>::infinity();
  const std::size_t stride = std::max<std::size_t>(1, along.samples.size() / kDelays);
  for (std::size_t i = 0; i < along.samples.size(); i += stride) {
    const TorsionAlongReference::Sample& sample = along.samples[i];
    least = std::min(least, CalcLargestDelay(sample.H, sample.K_D + sample.K));
  }
  return least;
}

MatrixXd MakeSkewGain(const TorsionAlongReference::Sample& sample) {
  const Eigen::LLT<MatrixXd> llt(sample.H);
  MatrixXd D = llt.matrixL().solve(sample.K_D + sample.D);
  D = llt.matrixL().solve(D.transpose()).eval();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(0.5 * (D + D.transpose()));
  const VectorXd& d = eigen.eigenvalues();
  const MatrixXd& u = eigen.eigenvectors();
  const Index n = d.size();
  MatrixXd Omega = MatrixXd::Zero(n, n);
  for (Index i = 0, j = n - 1; i < j; ++i, --j) {
    const MatrixXd turn = 0.5 * (d[j] - d[i]) * u.col(j) * u.col(i).transpose();
    Omega += turn - turn.transpose();
  }
  const MatrixXd L = llt.matrixL();
  const MatrixXd G = L * Omega * L.transpose();
  return 0.5 * (G - G.transpose());  // skew to the last bit
}

void JudgeSetting(const TorsionAlongReference& along, JudgedSetting* setting) {
  const ErrorDecay with = CalcErrorDecay(along, 1);
  const MatrixXd one = MatrixXd::Identity(along.n(), along.n());
  setting->joint = setting->joint_torsion_free = std::sqrt(with.parts.front().Mean(one));
  setting->energy =
      std::sqrt(with.parts.front().Mean(Eigen::LLT<MatrixXd>(along.samples.front().H).solve(one)));
  const bool turns =
      std::ranges::any_of(along.samples, [](const auto& sample) { return !sample.K.isZero(0); });
  if (turns) {
    setting->joint_torsion_free = std::sqrt(CalcErrorDecay(along, 0).parts.front().Mean(one));
  }
  setting->slowest_rate = CalcSlowestRate(along, with);
  setting->largest_delay_s = CalcLargestDelay(along);
  double squares = 0;
  for (const TorsionAlongReference::Sample& sample : along.samples) {
    const Eigen::LLT<MatrixXd> llt(sample.H);
    // tr(H⁻¹ M H⁻¹ Mᵀ) = ‖L⁻¹ M L⁻ᵀ‖_F².
    MatrixXd M = llt.matrixL().solve(sample.K_D + sample.K);
    M = llt.matrixL().solve(M.transpose()).eval();
    squares += M.squaredNorm() / static_cast<double>(along.n());
  }
  setting->feedback = std::sqrt(squares / static_cast<double>(along.samples.size()));
}

}  // namespace civita
