// The theorems about torsion and the closed formulas, on error equations with constant matrices.

#include "civita/study/advise/closed_forms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "civita/study/advise/error_equations.h"
#include "civita/study/advise/held_stability.h"
#include "tests/oracles/linear.h"
#include "tests/study/advise/constant_errors.h"

namespace civita {
namespace closed_forms_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double k = 10, L = 5;

struct Case {
  MatrixXd H, H_inverse, K;
};
Case MakeCase(unsigned seed, double size) {
  const MatrixXd H = MakeMetric(6, seed);
  return {H, linear::Inverse(H), MakeContorsion(H, size, seed + 100)};
}

// Theorem 3: with K_D = k H and constant H, K makes the mean of ‖s‖² no smaller over errors of
// covariance 1, leaves it over those isotropic in energy, and makes it no larger over independent
// impulses.
TEST(ClosedForms, TorsionFreeIsTheLeastIndifferentAndTheLargestOfThreeKindsOfErrors) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    const Case c = MakeCase(seed, 30);
    const auto along = MakeConstantErrors(c.H, c.K, k * c.H, L, 0.1);
    const auto mean = [&](double factor, const MatrixXd& W) {
      const MatrixXd s = CalcErrorDecay(along, factor).transition;
      return (s * W * s.transpose()).trace();
    };
    const MatrixXd one = MatrixXd::Identity(6, 6), H_2 = c.H_inverse * c.H_inverse;
    for (const double factor : {-2.0, 0.3, 1.0}) {
      EXPECT_GT(mean(factor, one), 1.001 * mean(0, one));
      EXPECT_NEAR(mean(factor, c.H_inverse) / mean(0, c.H_inverse), 1, 2e-3);
      EXPECT_LT(mean(factor, H_2), 0.999 * mean(0, H_2));
    }
  }
}

// Of e, what holds of s need not hold: where H is round the torsion-free error is the largest of
// all, RMS 1/√(1 + ρ²), ρ = ω/(k + Λ).
TEST(ClosedForms, TurningMakesTheErrorOfAPointMassSmaller) {
  const MatrixXd H = 0.7 * MatrixXd::Identity(3, 3);
  for (const double omega : {3.0, 15.0, 40.0}) {
    MatrixXd K = MatrixXd::Zero(3, 3);
    K(0, 1) = -(K(1, 0) = 0.7 * omega);
    const auto along = MakeConstantErrors(H, K, k * H, L, 4);
    const MatrixXd G = CalcErrorDecay(along, 1).parts[0].ss;
    const MatrixXd G_0 = CalcErrorDecay(along, 0).parts[0].ss;
    const double rho = omega / (k + L);
    EXPECT_NEAR(G(0, 0) / G_0(0, 0), 1 / (1 + rho * rho), 2e-3);
    EXPECT_NEAR(G(2, 2) / G_0(2, 2), 1, 1e-3);
    EXPECT_NEAR(G_0(0, 0), 1 / (2 * k * L * (k + L)), 1e-3 * G_0(0, 0));
  }
}

// The forms to second and first order against the Gramians of weak torsion, also of a part of the
// coordinates.
TEST(ClosedForms, AreTheGramiansOfWeakTorsion) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    const Case c = MakeCase(seed, 0.3);
    const auto along = MakeConstantErrors(c.H, c.K, k * c.H, L, 4);
    const ClosedForms forms = CalcClosedForms(along, CalcTurningRates(along));
    const ErrorDecay with = CalcErrorDecay(along, 1), without = CalcErrorDecay(along, 0);
    for (std::size_t part = 0; part < along.parts.size(); ++part) {
      SCOPED_TRACE(along.parts[part].name);
      const auto change = [&](const MatrixXd& W) {
        return std::sqrt(with.parts[part].Mean(W) / without.parts[part].Mean(W)) - 1;
      };
      const auto expect_near = [](double value, double expected) {
        EXPECT_NEAR(value, expected, 0.04 * std::abs(expected) + 2e-7);
      };
      const PartChange& closed = forms.parts[part];
      expect_near(closed.joint_mean, change(MatrixXd::Identity(6, 6)));
      expect_near(closed.energy_mean, change(c.H_inverse));
      expect_near(closed.impulse_mean, change(c.H_inverse * c.H_inverse));
      const auto& rows = along.parts[part].coordinates;
      const MatrixXd G = with.parts[part].ss(rows, rows), G_0 = without.parts[part].ss(rows, rows);
      const VectorXd ratios = linear::Eigenvalues(linear::Solve(G_0, G)).real();
      expect_near(closed.largest_increase, std::max(0.0, std::sqrt(ratios.maxCoeff()) - 1));
      expect_near(closed.largest_decrease, std::max(0.0, 1 - std::sqrt(ratios.minCoeff())));
    }
    EXPECT_LT(forms.parts[0].energy_mean, 0);
  }
}

// Beyond their range the means are not given, each for itself.
TEST(ClosedForms, MeansOfTheSecondOrderAreOfSmallChanges) {
  int given = 0, withheld = 0;
  for (unsigned seed = 0; seed < 4; ++seed) {
    for (const double size : {0.3, 5.0, 40.0, 200.0}) {
      const Case c = MakeCase(seed, size);
      const auto along = MakeConstantErrors(c.H, c.K, k * c.H, L, 4);
      const ErrorDecay with = CalcErrorDecay(along, 1), without = CalcErrorDecay(along, 0);
      const PartChange change = CalcClosedForms(along, CalcTurningRates(along)).parts[0];
      const auto check = [&](double value, const MatrixXd& W) {
        if (std::isnan(value)) return void(++withheld);
        ++given;
        EXPECT_LE(std::abs((1 + value) * (1 + value) - 1), 0.5 + 1e-9);
        const double exact = std::sqrt(with.parts[0].Mean(W) / without.parts[0].Mean(W)) - 1;
        EXPECT_NEAR(value, exact, 0.15) << size;
      };
      check(change.joint_mean, MatrixXd::Identity(6, 6));
      check(change.energy_mean, c.H_inverse);
      check(change.impulse_mean, c.H_inverse * c.H_inverse);
    }
  }
  EXPECT_GT(given, 12);
  EXPECT_GT(withheld, 6);
}

// Theorem 1: no other C needs a smaller feedback torque, of norm ‖(K_D + K)s‖ in H⁻¹; over errors
// isotropic in energy it grows as the closed form says.
TEST(ClosedForms, FeedbackTorqueIsTheLeastWithoutTorsion) {
  const Case c = MakeCase(3, 30);
  const auto along = MakeConstantErrors(c.H, c.K, k * c.H, L, 1);
  const ClosedForms forms = CalcClosedForms(along, CalcTurningRates(along));
  const MatrixXd s = linear::Inverse(linear::CholeskyFactor(c.H).transpose());  // s sᵀ = H⁻¹
  const MatrixXd torque = (k * c.H + c.K) * s, torque_0 = k * c.H * s;
  double sum = 0, sum_0 = 0;
  for (int i = 0; i < 6; ++i) {
    const double square = torque.col(i).dot(c.H_inverse * torque.col(i));
    const double square_0 = torque_0.col(i).dot(c.H_inverse * torque_0.col(i));
    EXPECT_GT(square, square_0);
    sum += square;
    sum_0 += square_0;
  }
  EXPECT_NEAR(forms.feedback_torque, std::sqrt(sum / sum_0) - 1, 1e-9);
}

// Theorem 4, Bendixson's inequality: no skew part makes the slowest rate of K_D + K slower than the
// slowest of K_D alone.
TEST(ClosedForms, NoTorsionIsSlowerThanNone) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    const Case c = MakeCase(seed, 20);
    const MatrixXd K_D = VectorXd::LinSpaced(6, 1, 30).asDiagonal();
    const double duration = 0.4;
    const auto along = MakeConstantErrors(c.H, c.K, K_D, L, duration);
    const auto slowest = [&](double factor) {
      const MatrixXd s = CalcErrorDecay(along, factor).transition;
      return -std::log(linear::Eigenvalues(s).cwiseAbs().maxCoeff()) / duration;
    };
    EXPECT_NEAR(slowest(0), along.k_min, 1e-3 * along.k_min);
    for (const double factor : {-1.0, 0.2, 3.0}) EXPECT_GT(slowest(factor), along.k_min);
  }
}

// Theorem 2: the margins, 2k/(k² + ω²) of the period and atan(k/ω)/√(k² + ω²) of the delay, are
// largest without turning, and those of the discrete equations.
TEST(ClosedForms, MarginsOfHoldingAndDelay) {
  for (const double omega : {20.0, 50.0, 141.0}) {
    const double dt = 2 * k / (k * k + omega * omega);
    EXPECT_NEAR(CalcCriticalTurning(k, dt, 0), omega, 1e-9 * omega);
    EXPECT_NEAR(std::hypot(1 - dt * k, dt * omega), 1, 1e-12);
    const double T = std::atan(k / omega) / std::hypot(k, omega);
    EXPECT_NEAR(CalcCriticalTurning(k, 0, T), omega, 1e-6 * omega);
  }
  EXPECT_TRUE(std::isinf(CalcCriticalTurning(k, 0, 0)));
  EXPECT_EQ(CalcCriticalTurning(k, 0.3, 0), 0);
  EXPECT_EQ(CalcCriticalTurning(k, 0.001, 0.2), 0);
}

TEST(ClosedForms, MarginsAreThoseOfHeldErrorEquations) {
  const MatrixXd H = MatrixXd::Identity(3, 3);
  MatrixXd K = MatrixXd::Zero(3, 3);
  K(0, 1) = -(K(1, 0) = 4);
  for (const double delay_s : {0.0, 0.005}) {
    auto along = MakeConstantErrors(H, K, k * H, L, 3);
    along.period_s = 0.001;
    along.delay_s = delay_s;
    const ClosedForms forms = CalcClosedForms(along, CalcTurningRates(along));
    EXPECT_NEAR(forms.largest_factor, CalcCriticalTurning(k, 0.001, delay_s) / 4, 1e-9);
    EXPECT_EQ(forms.largest_factor, forms.safe_factor);
    const HeldDecay held(along);
    EXPECT_NEAR(held.FindLargestFactor(200, false) / forms.largest_factor, 1, 0.02);
    EXPECT_LT(held.CalcGrowth(0.9 * forms.largest_factor).end, 0);
    EXPECT_GT(held.CalcGrowth(1.1 * forms.largest_factor).end, 0);
  }
}

/// Errors of two coordinates with H = 1 that turn at ω.
TorsionAlongReference MakeTurningPlane(double omega, double duration_s) {
  MatrixXd K = MatrixXd::Zero(2, 2);
  K(0, 1) = -(K(1, 0) = omega);
  return MakeConstantErrors(MatrixXd::Identity(2, 2), K, k * MatrixXd::Identity(2, 2), L,
                            duration_s);
}

TEST(ClosedForms, TurningIsTheAngleAtWhichOnePercentIsLeft) {
  const auto along = MakeTurningPlane(6, std::log(100.0) / k);
  const MatrixXd s = CalcErrorDecay(along, 1).transition;
  EXPECT_NEAR(s.col(0).norm(), 0.01, 1e-4);
  const double turned = std::abs(std::atan2(s(1, 0), s(0, 0)));
  EXPECT_GT(turned, 2);
  EXPECT_NEAR(CalcClosedForms(along, CalcTurningRates(along)).turning, turned, 2e-3 * turned);
}

TEST(ClosedForms, SamplingShareIsTakenFromTheDecayOfHeldEquations) {
  for (const double delay_s : {0.0, 0.001}) {
    auto along = MakeTurningPlane(20, 1);
    along.period_s = 0.001;
    along.delay_s = delay_s;
    const HeldDecay held(along);
    const double share = 1 - held.CalcGrowth(1).end / held.CalcGrowth(0).end;
    const ClosedForms forms = CalcClosedForms(along, CalcTurningRates(along));
    EXPECT_NEAR(forms.sampling_share, share, 0.1 * share) << delay_s;
  }
}

// With the plant's turning w and damping d, in the plane as in complex numbers: s is multiplied by
// (1 − ½dt(d + iw) − dt(k + iω))/(1 + ½dt(d + iw)) a step.
TEST(HeldDecay, HoldsTheFeedbackAloneAndNotThePlantsTerms) {
  constexpr double dt = 0.004, d = 30, w = 70, omega = 25;
  auto along = MakeTurningPlane(omega, 100 * dt);
  along.period_s = dt;
  for (auto& sample : along.samples) {
    sample.C_LC(0, 1) = -(sample.C_LC(1, 0) = w);
    sample.D = d * MatrixXd::Identity(2, 2);
  }
  for (const double factor : {0.0, 1.0, 4.0}) {
    const std::complex<double> half = 0.5 * dt * std::complex<double>(d, w);
    const std::complex<double> held = dt * std::complex<double>(k, factor * omega);
    const double growth = 100 * std::log(std::abs((1.0 - half - held) / (1.0 + half)));
    EXPECT_NEAR(HeldDecay(along).CalcGrowth(factor).end, growth, 1e-9 * std::abs(growth));
  }
}

/// The ratio of forced errors, with turning ω and without, for a force of frequency f along one
/// axis of the turning plane.
double ForcedRatio(double omega, double f) {
  const MatrixXd H = MatrixXd::Identity(2, 2);
  MatrixXd K = MatrixXd::Zero(2, 2);
  K(0, 1) = -(K(1, 0) = omega);
  const double periods = std::ceil(6 * f / (2 * std::numbers::pi));
  const double duration = 1.2 + periods * 2 * std::numbers::pi / f;
  const auto along = MakeConstantErrors(H, K, k * H, L, duration, 3000);
  ErrorForcing forcing;
  for (const auto& sample : along.samples) {
    forcing.d.emplace_back(Eigen::Vector2d(std::sin(f * sample.t), 0));
  }
  return CalcForcedErrors(along, 1, forcing, 1.2)[0] / CalcForcedErrors(along, 0, forcing, 1.2)[0];
}

// R² = ½(k² + f²)(1/(k² + (f+ω)²) + 1/(k² + (f−ω)²)), which has its peak, times 1/(k² + f²), at f²
// = √(k² + ω²)(2ω − √(k² + ω²)): at the turning rate while ω ≫ k, at 0 for ω < k/√3.
TEST(ClosedForms, ForcedErrorsHaveTheirPeakAtTheTurningRate) {
  const auto closed = [](double omega, double f) {
    return std::sqrt(
        0.5 * (k * k + f * f) *
        (1 / (k * k + (f + omega) * (f + omega)) + 1 / (k * k + (f - omega) * (f - omega))));
  };
  for (const double omega : {4.0, 40.0}) {
    for (const double f : {2.0, 15.0, 40.0}) {
      EXPECT_NEAR(ForcedRatio(omega, f) / closed(omega, f), 1, 0.01) << omega << " " << f;
    }
  }
  const double omega = 40, root = std::hypot(k, omega), peak = std::sqrt(root * (2 * omega - root));
  EXPECT_NEAR(peak / omega, 1, 0.002);
  const auto gain = [&](double f) { return ForcedRatio(omega, f) / std::hypot(k, f); };
  EXPECT_GT(gain(peak), gain(0.9 * peak));
  EXPECT_GT(gain(peak), gain(1.1 * peak));
  EXPECT_GT(gain(peak), 2 * gain(2));
}

TEST(ClosedForms, NeedOneRate) {
  const Case c = MakeCase(1, 3);
  const MatrixXd K_D = VectorXd::LinSpaced(6, 1, 30).asDiagonal();
  const auto along = MakeConstantErrors(c.H, c.K, K_D, L, 1);
  EXPECT_FALSE(along.has_one_rate());
  EXPECT_ANY_THROW(CalcClosedForms(along, CalcTurningRates(along)));
}

}  // namespace closed_forms_test
}  // namespace civita
