// What may be done instead, on error equations with constant matrices and along references.

#include "civita/study/advise/judged_setting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "civita/study/advise/advice_text.h"
#include "civita/study/advise/held_stability.h"
#include "tests/oracles/linear.h"
#include "tests/study/advise/constant_errors.h"

namespace civita {
namespace judged_setting_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using ::testing::HasSubstr;

// A turning plane of rate ω with damping k: atan(k/ω)/√(k² + ω²), and π/(2k) without turning.
TEST(JudgedSetting, TheLargestDelayIsThatOfTheClosedForm) {
  const MatrixXd H = MakeMetric(5, 3);
  const MatrixXd K = MakeContorsion(H, 40, 4);
  constexpr double k = 7;
  EXPECT_NEAR(CalcLargestDelay(H, k * H), 0.5 * M_PI / k, 1e-9);
  const VectorXd turning = linear::Eigenvalues(linear::Solve(H, K)).imag();
  const double omega = turning.maxCoeff();
  EXPECT_NEAR(CalcLargestDelay(H, k * H + K), std::atan(k / omega) / std::hypot(k, omega), 1e-9);
}

// Whatever K_D is: the delayed equations decay below it and grow above it.
TEST(JudgedSetting, ErrorsGrowBeyondTheLargestDelay) {
  const MatrixXd H = MakeMetric(4, 9);
  const MatrixXd K_D = VectorXd::LinSpaced(4, 3, 9).asDiagonal();
  const MatrixXd K = MakeContorsion(H, 30, 5);
  const double largest_s = CalcLargestDelay(H, K_D + K);
  ASSERT_GT(largest_s, 2e-3);
  constexpr double dt = 2e-4;
  for (const double share : {0.8, 1.25}) {
    auto along = MakeConstantErrors(H, K, K_D, 5, HeldDecay::kMostSteps * dt);
    along.period_s = dt;
    along.delay_s = std::round((share * largest_s - 0.5 * dt) / dt) * dt;
    // The fastest direction that may grow does so within the steps that are followed.
    const HeldDecay held(along);
    const double early = held.CalcGrowth(1).end;
    if (share < 1) {
      EXPECT_LT(early, 0);
    } else {
      EXPECT_GT(early, 0);
    }
  }
}

// K turns, so that less delay is endured: of a reference it is the least of its samples.
TEST(JudgedSetting, TheLargestDelayOfAReferenceCountsTorsion) {
  const MatrixXd H = MakeMetric(4, 9);
  const MatrixXd K = MakeContorsion(H, 30, 5);
  auto along = MakeConstantErrors(H, K, 8 * H, 5, 1);
  along.samples[1].K *= 3;
  EXPECT_EQ(CalcLargestDelay(along), CalcLargestDelay(H, 8 * H + 3 * K));
  EXPECT_LT(CalcLargestDelay(along), 0.5 * CalcLargestDelay(H, 8 * H));
}

// Wherever it is, once among many.
TEST(JudgedSetting, NoSampleIsLeftOut) {
  const MatrixXd H = MakeMetric(4, 9);
  const MatrixXd K = MakeContorsion(H, 30, 5);
  for (const std::size_t at : {0u, 37u, 118u, 160u}) {
    auto along = MakeConstantErrors(H, 0.01 * K, 8 * H, 5, 1, 161);
    along.samples[at].K = 3 * K;
    EXPECT_EQ(CalcLargestDelay(along), CalcLargestDelay(H, 8 * H + 3 * K)) << at;
    const double omega_2 = linear::Eigenvalues(linear::Solve(H, K)).imag().maxCoeff();
    EXPECT_NEAR(CalcTurningRates(along).omega_2_max, 3 * omega_2, 1e-9 * omega_2) << at;
  }
}

// "Anywhere" against the eigenvalues at thousands of times, for references that come to their worst
// late and whose samples, however many, do not meet it.
TEST(LargestDelay, AlongAReferenceIsNoLargerThanAnywhere) {
  const auto scene = LoadScene(ReadConfig(
      "arm7_twist",
      {"reference.type=sinusoid", "reference.amplitude=[0.5,0.8,0.4,0.6,0.5,0.7,0.3]",
       "reference.frequency_hz=[0.37,0.51,0.43,0.67,0.29,0.73,0.61]", "reference.fade_s=0",
       "duration_s=17", "control.mode=held", "control.delay_s=0.004"}));
  const Factorization C = Factorization::Torsion(3);
  const Advice advice = Advise(*scene, {.factorization = C});
  const auto along = SampleTorsion(scene->control_model, nullptr, C, FindErrorGains(*scene),
                                   SampleReference(*scene, 0, 17, 4000));
  const double least = CalcLargestDelay(along);
  EXPECT_NEAR(advice.largest_delay_s, least, 2e-3 * least);
  ASSERT_FALSE(advice.settings.empty());
  for (std::size_t i = 0; i < advice.settings.size(); ++i) {
    if (advice.settings[i].name == "as it is") {
      EXPECT_LE(advice.largest_delay_s, advice.settings[i].largest_delay_s);
    }
  }
}

TEST(JudgedSetting, ASkewGainGivesPairsTheirMeanRate) {
  TorsionAlongReference::Sample sample;
  sample.H = MakeMetric(5, 1);
  sample.K_D = VectorXd::LinSpaced(5, 2, 30).asDiagonal();
  sample.D = 0.3 * MatrixXd::Identity(5, 5);
  const MatrixXd G = MakeSkewGain(sample);
  EXPECT_TRUE((G + G.transpose()).isZero(0));
  const MatrixXd damping = sample.K_D + sample.D;
  const VectorXd d = linear::Eigenvalues(linear::Solve(sample.H, damping)).real();
  VectorXd sorted = d;
  std::ranges::sort(sorted);
  const VectorXd rates = linear::Eigenvalues(linear::Solve(sample.H, damping + G)).real();
  EXPECT_NEAR(rates.sum(), d.sum(), 1e-9 * d.sum());
  const double slowest =
      std::min({0.5 * (sorted[0] + sorted[4]), 0.5 * (sorted[1] + sorted[3]), sorted[2]});
  EXPECT_NEAR(rates.minCoeff(), slowest, 1e-6 * slowest);
  EXPECT_GT(rates.minCoeff(), 1.1 * sorted[0]);
}

TEST(JudgedSetting, FeedbackIsKWithoutTorsionAndMoreWithIt) {
  const MatrixXd H = MakeMetric(5, 2);
  const MatrixXd K = MakeContorsion(H, 12, 6);
  const auto along = MakeConstantErrors(H, K, 10 * H, 5, 1);
  JudgedSetting setting{"any"}, plain{"any"};
  JudgeSetting(along, &setting);
  const TurningRates rates = CalcTurningRates(along);
  EXPECT_NEAR(setting.feedback, std::hypot(10, rates.omega_F), 1e-6);
  EXPECT_NE(setting.joint, setting.joint_torsion_free);
  JudgeSetting(MakeConstantErrors(H, 0 * K, 10 * H, 5, 1), &plain);
  EXPECT_NEAR(plain.feedback, 10, 1e-9);
  EXPECT_NEAR(plain.slowest_rate, 10, 0.01);
  EXPECT_EQ(plain.joint, plain.joint_torsion_free);
  EXPECT_NEAR(plain.joint, setting.joint_torsion_free, 1e-9 * plain.joint);
}

Advice AdviceOn(const std::vector<std::string>& sets, const Factorization& C) {
  return Advise(*LoadScene(ReadConfig("arm7_twist", sets)), {.factorization = C});
}

TEST(Remedies, DampingProportionalToTheMassMatrixHasTheMeanRate) {
  const Advice advice =
      AdviceOn({"controller.gain_form=diagonal", "reference.fade_s=0"}, Factorization::Torsion(1));
  const auto& settings = advice.settings;
  ASSERT_GE(settings.size(), 4u);
  EXPECT_EQ(settings[0].name, "as it is");
  EXPECT_EQ(settings[1].settings, "controller.factorization=christoffel");
  EXPECT_THAT(settings[2].settings, HasSubstr("controller.gain_form=mass gains.K_D="));
  EXPECT_NEAR(settings[2].slowest_rate, advice.k_mean, 0.02 * advice.k_mean);
  EXPECT_GT(settings[2].slowest_rate, 1.5 * settings[1].slowest_rate);
  EXPECT_NEAR(settings[2].feedback, advice.k_mean, 1e-3 * advice.k_mean);
}

TEST(Remedies, WithMoreDampingTheChoiceMattersByLessThanAPercentOnAverage) {
  const Advice advice = AdviceOn({"reference.fade_s=0"}, Factorization::Torsion(1));
  ASSERT_EQ(advice.settings.size(), 3u);
  const JudgedSetting &own = advice.settings[0], &fast = advice.settings[2];
  EXPECT_GT(std::abs(own.joint / own.joint_torsion_free - 1), 0.02);
  EXPECT_LT(std::abs(fast.joint / fast.joint_torsion_free - 1), 0.01);
  EXPECT_LT(fast.joint, own.joint);
  EXPECT_LT(fast.largest_delay_s, own.largest_delay_s);
}

TEST(Remedies, NothingIsProposedWhereNothingMatters) {
  EXPECT_TRUE(AdviceOn({}, Factorization::Christoffel()).settings.empty());
}

}  // namespace judged_setting_test
}  // namespace civita
