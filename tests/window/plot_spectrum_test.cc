#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "app/window/plot/spectrum.h"
#include "civita/sim/metrics.h"

namespace civita {
namespace plot_spectrum_test {

std::vector<float> Noise(std::size_t n, double colour = 0) {
  std::mt19937 engine(7);
  std::normal_distribution<double> normal;
  std::vector<float> samples;
  double x = 0;
  for (std::size_t i = 0; i < n; ++i) {
    x = colour * x + normal(engine);
    samples.push_back(static_cast<float>(x));
  }
  return samples;
}

TEST(Spectrum, OfASineStandsAtItsFrequencyWithItsPower) {
  constexpr double kHz = 30, kAmplitude = 3, kDt = 1e-3;
  std::vector<float> samples;
  for (int i = 0; i < 4000; ++i) {
    samples.push_back(
        static_cast<float>(5 + kAmplitude * std::sin(2 * std::numbers::pi * kHz * kDt * i)));
  }
  const Spectrum spectrum = CalcSpectrum(samples, kDt);
  EXPECT_DOUBLE_EQ(spectrum.step_hz, 1);
  ASSERT_EQ(spectrum.density.size(), 501u);
  const auto highest = std::max_element(spectrum.density.begin(), spectrum.density.end());
  EXPECT_EQ(highest - spectrum.density.begin(), 30);
  double power = 0;
  for (const double density : spectrum.density) power += density * density * spectrum.step_hz;
  EXPECT_NEAR(power, 0.5 * kAmplitude * kAmplitude, 1e-5);
  EXPECT_NEAR(spectrum.ShareAbove(20), 1, 1e-6);
  EXPECT_NEAR(spectrum.ShareAbove(40), 0, 1e-6);
}

// Over as many windows as it takes, it is the metric's.
TEST(Spectrum, HasTheMetricsShareOfHighFrequencies) {
  constexpr double kDt = 1e-3;
  const std::vector<float> samples = Noise(6000, 0.95);
  TorqueMetrics metric(1, kDt);
  const Eigen::VectorXd v = Eigen::VectorXd::Zero(1);
  for (const float sample : samples) {
    metric.Add(Eigen::VectorXd::Constant(1, static_cast<double>(sample)), v);
  }
  const double share = CalcSpectrum(samples, kDt).ShareAbove(TorqueMetrics::kCutoffHz);
  EXPECT_GT(share, 0.05);
  EXPECT_LT(share, 0.95);
  EXPECT_NEAR(share, metric.high_frequency_share(), 1e-9);
}

TEST(Spectrum, OfLessThanASecondIsOneWindow) {
  const Spectrum spectrum = CalcSpectrum(Noise(250), 1e-3);
  EXPECT_DOUBLE_EQ(spectrum.step_hz, 4);
  EXPECT_EQ(spectrum.density.size(), 126u);
}

TEST(Spectrum, IsNoneWithoutSamples) {
  EXPECT_TRUE(CalcSpectrum(Noise(5), 1e-3).density.empty());
  std::vector<float> broken = Noise(100);
  broken[50] = std::nanf("");
  EXPECT_TRUE(CalcSpectrum(broken, 1e-3).density.empty());
  EXPECT_TRUE(std::isnan(Spectrum().ShareAbove(20)));
}

TEST(Spectrum, OfATraceIsOverTheStretchOfTime) {
  TraceBuffer trace(1);
  for (int i = 0; i < 4000; ++i) {
    const double hz = i < 2000 ? 10 : 50;
    const float sample = static_cast<float>(std::sin(2 * std::numbers::pi * hz * 1e-3 * i));
    trace.Append(1e-3 * i, std::span(&sample, 1));
  }
  EXPECT_NEAR(CalcSpectrum(trace, 0, 0, 2).ShareAbove(20), 0, 1e-5);
  EXPECT_NEAR(CalcSpectrum(trace, 0, 2, 4).ShareAbove(20), 1, 1e-5);
  EXPECT_TRUE(CalcSpectrum(trace, 0, 7, 9).density.empty());
}

}  // namespace plot_spectrum_test
}  // namespace civita
