#include <cmath>
#include <optional>

#include "base/decompositions.h"
#include "civita/controllers/pseudo_inertia.h"
#include "civita/error.h"
#include "civita/study/identify/identify.h"

namespace civita {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// J₀ of a body: the model's, and where it has none, a small ball's, too.
Eigen::Matrix4d PriorOf(const BodyParameters& pi, double least_mass) {
  constexpr double kRadius = 0.05;  // m
  const auto ball = [](double mass) {
    constexpr double kSquare = kRadius * kRadius;
    return Eigen::Matrix4d((mass * Eigen::Vector4d(kSquare, kSquare, kSquare, 1)).asDiagonal());
  };
  Eigen::Matrix4d J = CalcPseudoInertia(pi), U;
  if (!CalcUpperFactor(J, &U)) J += ball(least_mass);
  // Of moments that no body has, only the mass.
  return CalcUpperFactor(J, &U) ? J : ball(std::max(pi[0], least_mass));
}

/// ½ (Bx − β)ᵀ Σ⁻¹ (Bx − β) + Σ_b (tr(J₀⁻¹J) − log det J), convex in x.
class Objective {
 public:
  Objective(const MatrixXd& B, const VectorXd& beta, const MatrixXd& information,
            const std::vector<Eigen::Matrix4d>& priors)
      : B_(B), beta_(beta), information_(information) {
    for (const Eigen::Matrix4d& J : priors) prior_inverses_.push_back(J.inverse());
    for (int i = 0; i < kNumBodyParameters; ++i)
      units_[i] = CalcPseudoInertia(BodyParameters::Unit(i));
  }

  /// nullopt where a body is not physical.
  std::optional<double> Value(const VectorXd& x) const {
    const VectorXd r = B_ * x - beta_;
    double value = 0.5 * r.dot(information_ * r);
    for (size_t b = 0; b < prior_inverses_.size(); ++b) {
      const Eigen::Matrix4d J = Of(x, b);
      Eigen::Matrix4d U;
      if (!CalcUpperFactor(J, &U)) return {};
      value += (prior_inverses_[b] * J).trace() - 2 * U.diagonal().array().log().sum();
    }
    return value;
  }

  /// Newton's step at x, and half its decrement: about the distance of the value from the least.
  VectorXd Step(const VectorXd& x, double* decrement) const {
    VectorXd gradient = B_.transpose() * (information_ * (B_ * x - beta_));
    MatrixXd hessian = B_.transpose() * information_ * B_;
    for (size_t b = 0; b < prior_inverses_.size(); ++b) {
      const Index first = static_cast<Index>(b) * kNumBodyParameters;
      const Eigen::Matrix4d J_inverse = Of(x, b).inverse();
      for (int i = 0; i < kNumBodyParameters; ++i) {
        gradient[first + i] += ((prior_inverses_[b] - J_inverse) * units_[i]).trace();
        const Eigen::Matrix4d K = J_inverse * units_[i] * J_inverse;
        for (int j = 0; j < kNumBodyParameters; ++j)
          hessian(first + i, first + j) += (K * units_[j]).trace();
      }
    }
    // In units in which the diagonal is 1; parameters without effect and prior stay.
    const VectorXd scale =
        (hessian.diagonal().array() > 0).select(hessian.diagonal().cwiseSqrt().cwiseInverse(), 1);
    MatrixXd scaled = scale.asDiagonal() * hessian * scale.asDiagonal();
    scaled.diagonal().array() += 1e-12;
    const VectorXd step = -(scale.asDiagonal() *
                            internal::SolvePositiveDefinite(scaled, scale.asDiagonal() * gradient));
    *decrement = -0.5 * gradient.dot(step);
    return step;
  }

 private:
  static Eigen::Matrix4d Of(const VectorXd& x, size_t b) {
    return CalcPseudoInertia(
        x.segment<kNumBodyParameters>(static_cast<Index>(b) * kNumBodyParameters));
  }

  const MatrixXd& B_;
  const VectorXd& beta_;
  const MatrixXd& information_;
  std::vector<Eigen::Matrix4d> prior_inverses_;
  Eigen::Matrix4d units_[kNumBodyParameters];  ///< ∂J/∂π
};

}  // namespace

VectorXd FitPhysical(const std::vector<IdentifiedParameter>& parameters, const MatrixXd& B,
                     const VectorXd& beta, const MatrixXd& covariance) {
  VectorXd x(static_cast<Index>(parameters.size()));
  double mass = 0;
  std::vector<Index> bodies;  // where theirs begin
  for (Index c = 0; c < x.size(); ++c) {
    const IdentifiedParameter& parameter = parameters[static_cast<size_t>(c)];
    x[c] = parameter.model;
    if (parameter.kind != IdentifiedParameter::Kind::kMass) continue;
    bodies.push_back(c);
    mass += x[c];
  }
  constexpr double kShare = 1e-3;
  std::vector<Eigen::Matrix4d> priors;
  for (const Index first : bodies) {
    auto pi = x.segment<kNumBodyParameters>(first);
    priors.push_back(PriorOf(pi, kShare * (mass > 0 ? mass : 1)));
    pi = CalcBodyParameters(priors.back());
  }
  // Estimates without noise count as known to six digits of the largest.
  MatrixXd variance = covariance;
  constexpr double kKnown = 1e-6;
  variance.diagonal().array() += std::pow(kKnown * std::max(beta.cwiseAbs().maxCoeff(), 1e-9), 2);
  const MatrixXd W = variance.diagonal().cwiseSqrt().cwiseInverse().asDiagonal();
  const MatrixXd information = W * internal::SolvePositiveDefinite(W * variance * W, W);
  const Objective objective(B, beta, information, priors);
  constexpr int kMostSteps = 200;
  constexpr double kConverged = 1e-9;
  for (int step = 0; step < kMostSteps; ++step) {
    double decrement = 0;
    const VectorXd dx = objective.Step(x, &decrement);
    if (!dx.allFinite() || decrement < kConverged) break;
    const double now = *objective.Value(x);
    double length = 1;
    for (; length > 1e-12; length *= 0.5) {
      const std::optional<double> next = objective.Value(x + length * dx);
      if (next && *next <= now - 0.1 * length * decrement) break;
    }
    if (length <= 1e-12) break;
    x += length * dx;
  }
  return x;
}

}  // namespace civita
