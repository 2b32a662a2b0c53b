#include "civita/study/advise/held_stability.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "base/decompositions.h"
#include "civita/error.h"
#include "civita/study/watch.h"

namespace civita {

using Eigen::MatrixXd;

namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr double kUnbounded = 200;  ///< log of the growth at which numbers begin to run out
constexpr long kLook = 8;           ///< steps between looks at V

/// Errors of unit covariance in the metric H = LLᵀ: L⁻ᵀ times normal numbers, always the same.
MatrixXd MakeErrors(const MatrixXd& H, int number) {
  std::mt19937 generator(1);
  std::normal_distribution<double> normal;
  const MatrixXd sigma = MatrixXd::NullaryExpr(H.rows(), number, [&] { return normal(generator); });
  return internal::OrthonormalFrame(H) * sigma;
}

double SumEnergy(const MatrixXd& H, const MatrixXd& s) { return s.cwiseProduct(H * s).sum(); }

}  // namespace

HeldDecay::HeldDecay(const TorsionAlongReference& along) : along_(along) {
  const double dt = along.period_s;
  CIVITA_CHECK(dt > 0, "a torque that is not held");
  delay_ = static_cast<int>(std::lround(along.delay_s / dt));
  const Eigen::Index n = along.n();
  MatrixXd right(n, 3 * n);
  for (const TorsionAlongReference::Sample& sample : along.samples) {
    StopScope::Ask();
    const MatrixXd half = 0.5 * dt * (sample.C_LC + sample.D);
    right << sample.H - half, dt * sample.K_D, dt * sample.K;
    const MatrixXd solved = internal::SolveSquare(sample.H + half, right);
    Phi_.emplace_back(solved.leftCols(n));
    Psi_D_.emplace_back(solved.middleCols(n, n));
    Psi_K_.emplace_back(solved.rightCols(n));
  }
}

HeldDecay::Growth HeldDecay::CalcGrowth(double factor, bool until_grown) const {
  const auto& samples = along_.samples;
  const double dt = along_.period_s, start = samples.front().t;
  const auto steps = std::min(kMostSteps, std::lround((samples.back().t - start) / dt));
  // The last delay + 1 values of s as a ring; before the start those of the start.
  const std::size_t ring = static_cast<std::size_t>(delay_) + 1;
  std::vector<MatrixXd> s(ring, MakeErrors(samples.front().H, kErrors));
  const double first = SumEnergy(samples.front().H, s.front());
  std::size_t index = 0;
  MatrixXd Psi = Psi_D_[0] + factor * Psi_K_[0];
  MatrixXd next;
  Growth growth;
  for (long j = 0; j < steps; ++j) {
    const double t = start + (static_cast<double>(j) + 0.5) * dt;
    const std::size_t before = index;
    while (index + 1 < samples.size() &&
           std::abs(samples[index + 1].t - t) < std::abs(samples[index].t - t)) {
      ++index;
    }
    if (index != before) Psi = Psi_D_[index] + factor * Psi_K_[index];
    const std::size_t present = static_cast<std::size_t>(j) % ring;
    const std::size_t late = (present + 1) % ring;  // s_{j−d}, which s_{j+1} replaces
    next.noalias() = Phi_[index] * s[present];
    next.noalias() -= Psi * s[late];
    s[late].swap(next);
    if (j % kLook != kLook - 1 && j + 1 != steps) continue;
    StopScope::Ask();
    growth.end = 0.5 * std::log(SumEnergy(samples[index].H, s[late]) / first);
    if (!(growth.end < kUnbounded)) return {kNoLimit, kNoLimit};
    growth.largest = std::max(growth.largest, growth.end);
    if (until_grown && growth.largest > 0) return growth;
  }
  return growth;
}

double HeldDecay::FindLargestFactor(double most, bool any_time) const {
  const auto grows = [&](double factor) {
    const Growth growth = CalcGrowth(factor, any_time);
    return (any_time ? growth.largest : growth.end) > 0;
  };
  if (grows(0)) return 0;
  if (!grows(most)) return kNoLimit;
  // Downward by halves first: growth need not be monotone far above the limit.
  double high = most;
  while (high > 1e-6 * most && grows(0.5 * high)) high *= 0.5;
  double low = 0.5 * high;
  while (high > 1.01 * low) {
    const double middle = std::sqrt(low * high);
    (grows(middle) ? high : low) = middle;
  }
  return std::sqrt(low * high);
}

}  // namespace civita
