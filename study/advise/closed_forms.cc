#include "civita/study/advise/closed_forms.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/decompositions.h"
#include "civita/error.h"

namespace civita {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// ‖Ω‖₂ of K in the metric H: its eigenvalues are ±iω, those of −Ω² are ω².
double CalcFastestTurning(const MatrixXd& H, const MatrixXd& K) {
  const MatrixXd Omega = internal::InOrthonormalFrame(K, H);
  const VectorXd squares = internal::CalcSymmetricEigenvalues(Omega.transpose() * Omega);
  return std::sqrt(std::max(0.0, squares.maxCoeff()));
}

/// tr P(…)W by coordinate, P = e_i e_iᵀ, summed over samples, for one covariance W.
struct Moments {
  explicit Moments(Eigen::Index n) : W(VectorXd::Zero(n)), AW(W), AWAt(W), AAW(W) {}
  VectorXd W, AW, AWAt, AAW;

  /// √(1 + change) − 1 of the mean square over the part; NaN where the change is not small.
  double Change(const VectorXd& part, double c, double p, double r) const {
    const double change = part.dot(-2 * c * AW + p * AWAt + r * AAW) / part.dot(W);
    constexpr double kSmall = 0.5;
    if (!(std::abs(change) <= kSmall)) return std::numeric_limits<double>::quiet_NaN();
    return std::sqrt(1 + change) - 1;
  }
};

/// Moments of s(0) of covariance 1, H⁻¹ and H⁻².
struct StartMoments {
  explicit StartMoments(Eigen::Index n) : joint(n), energy(n), impulse(n) {}
  Moments joint, energy, impulse;

  void Add(const MatrixXd& A, const MatrixXd& H_inverse) {
    const auto diagonal = [](const MatrixXd& X, const MatrixXd& Y) -> VectorXd {
      return X.cwiseProduct(Y.transpose()).rowwise().sum();  // of X Y
    };
    const MatrixXd B = A * H_inverse, C = B * H_inverse;
    joint.W.array() += 1;
    joint.AW += A.diagonal();
    joint.AWAt += A.rowwise().squaredNorm();
    joint.AAW += diagonal(A, A);
    energy.W += H_inverse.diagonal();
    energy.AW += B.diagonal();
    energy.AWAt += A.cwiseProduct(B).rowwise().sum();
    energy.AAW += diagonal(A, B);
    impulse.W += H_inverse.rowwise().squaredNorm();
    impulse.AW += C.diagonal();
    impulse.AWAt += B.rowwise().squaredNorm();
    impulse.AAW += diagonal(A, C);
  }
};

/// Eigenvalues, which cost most, are taken of about so many samples.
std::size_t EigenStride(std::size_t samples, std::size_t wanted) {
  return std::max<std::size_t>(1, samples / wanted);
}
constexpr std::size_t kTurnings = 50, kExtremes = 20;

/// Sets the means of λ_min and λ_max; `A` are those of every stride-th sample.
void SetExtremes(const std::vector<MatrixXd>& A, const ErrorPart& part, PartChange* change) {
  for (const MatrixXd& whole : A) {
    const MatrixXd own = whole(part.coordinates, part.coordinates);
    const VectorXd lambda = internal::CalcSymmetricEigenvalues(0.5 * (own + own.transpose()));
    change->lambda_min += lambda.minCoeff() / static_cast<double>(A.size());
    change->lambda_max += lambda.maxCoeff() / static_cast<double>(A.size());
  }
}

}  // namespace

double CalcCriticalTurning(double k, double dt_s, double delay_s) {
  const double T = LateBy(delay_s, dt_s);
  if (T == 0) return kInfinity;
  if (delay_s == 0) return std::sqrt(std::max(0.0, k * (2 / dt_s - k)));
  const auto largest_T = [k](double omega) { return std::atan2(k, omega) / std::hypot(k, omega); };
  if (largest_T(0) <= T) return 0;
  double low = 0, high = std::numbers::pi / T;  // largest_T(high) < T
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (largest_T(middle) > T ? low : high) = middle;
  }
  return low;
}

TurningRates CalcTurningRates(const TorsionAlongReference& along) {
  TurningRates rates;
  const auto n = static_cast<double>(along.n());
  const std::size_t stride = EigenStride(along.samples.size(), kTurnings);
  std::size_t turnings = 0;
  for (std::size_t i = 0; i < along.samples.size(); ++i) {
    const TorsionAlongReference::Sample& sample = along.samples[i];
    const MatrixXd A = internal::SolvePositiveDefinite(sample.H, sample.K);
    const double Omega_F2 = std::max(0.0, -A.cwiseProduct(A.transpose()).sum());
    rates.omega_F += Omega_F2 / n;
    rates.eta += std::max(0.0, A.squaredNorm() - Omega_F2) / n;
    const bool counts = i % stride == 0;
    // ω₂ ≤ ‖Ω‖_F/√2: the largest is looked for among all samples, few of which can have it.
    if (!counts && Omega_F2 <= 2 * rates.omega_2_max * rates.omega_2_max) continue;
    const double omega_2 = CalcFastestTurning(sample.H, sample.K);
    rates.omega_2_max = std::max(rates.omega_2_max, omega_2);
    if (!counts) continue;
    rates.omega_2 += omega_2 * omega_2;
    ++turnings;
  }
  const auto samples = static_cast<double>(along.samples.size());
  rates.omega_F = std::sqrt(rates.omega_F / samples);
  rates.eta = std::sqrt(rates.eta / samples);
  rates.omega_2 = std::sqrt(rates.omega_2 / static_cast<double>(turnings));
  return rates;
}

ClosedForms CalcClosedForms(const TorsionAlongReference& along, const TurningRates& rates) {
  CIVITA_CHECK(along.has_one_rate(), "rates from " << along.k_min << " to " << along.k_max);
  ClosedForms forms;
  const double k = forms.k = along.k(), L = forms.Lambda = along.Lambda.mean();
  forms.turning = std::log(100.0) * rates.omega_F / k;
  forms.feedback_torque = std::hypot(1, rates.omega_F / k) - 1;
  forms.sampling_share = rates.omega_2 * rates.omega_2 * LateBy(along.delay_s, along.period_s) / k;
  const double omega_c = CalcCriticalTurning(k, along.period_s, along.delay_s);
  const auto factor = [omega_c](double omega) { return omega > 0 ? omega_c / omega : kInfinity; };
  forms.largest_factor = factor(rates.omega_2);
  forms.safe_factor = factor(rates.omega_2_max);

  const double c = (2 * k + L) / (2 * k * (k + L)), p = c / k, r = p + 1 / ((k + L) * (k + L));
  StartMoments moments(along.n());
  std::vector<MatrixXd> A;
  const MatrixXd identity = MatrixXd::Identity(along.n(), along.n());
  for (std::size_t i = 0; i < along.samples.size(); ++i) {
    const MatrixXd H_inverse = internal::SolvePositiveDefinite(along.samples[i].H, identity);
    MatrixXd own = H_inverse * along.samples[i].K;
    moments.Add(own, H_inverse);
    if (i % EigenStride(along.samples.size(), kExtremes) == 0) A.push_back(std::move(own));
  }
  for (const ErrorPart& part : along.parts) {
    PartChange change;
    SetExtremes(A, part, &change);
    change.largest_increase = std::max(0.0, -c * change.lambda_min);
    change.largest_decrease = std::max(0.0, c * change.lambda_max);
    change.joint_mean = moments.joint.Change(part.mask, c, p, r);
    change.energy_mean = moments.energy.Change(part.mask, c, p, r);
    change.impulse_mean = moments.impulse.Change(part.mask, c, p, r);
    forms.parts.push_back(change);
  }
  return forms;
}

}  // namespace civita
