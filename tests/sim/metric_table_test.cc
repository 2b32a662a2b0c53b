#include "civita/sim/metric_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "civita/error.h"
#include "civita/sim/metrics.h"
#include "civita/sim/quantile.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace metric_table_test {

std::string EscapeBars(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? "\\|" : std::string(1, c);
  return escaped;
}

TEST(MetricTable, TheDocumentsListAllMetrics) {
  std::string table = "| key | metric | is |\n|---|---|---|\n";
  for (const Metric* metric : Metrics()) {
    table += "| `" + std::string(metric->key) + "` | " + metric->label + " | " +
             EscapeBars(metric->doc) + " |\n";
  }
  std::ifstream file(CIVITA_SOURCE_DIR "/docs/compare.md");
  const std::string document((std::istreambuf_iterator<char>(file)), {});
  EXPECT_NE(document.find("\n\n" + table + "\n"), std::string::npos)
      << "docs/compare.md is to say:\n"
      << table;
}

TEST(MetricTable, AScenesMetricsAreThoseThatApplyToIt) {
  const Simulation arm = MakeSimulation("point_mass", {"marks_s=[0.5, 2]"});
  const MetricSet set(arm);
  EXPECT_EQ(set.infos(), MetricsOf(arm.scene()));
  const auto info = [&set](const char* key) {
    const std::vector<MetricInfo>& infos = set.infos();
    const auto found = std::find_if(infos.begin(), infos.end(),
                                    [key](const MetricInfo& each) { return each.key == key; });
    return found == infos.end() ? MetricInfo() : *found;
  };
  EXPECT_EQ(info("error_rms").unit, "m");
  EXPECT_EQ(info("torque_rate").unit, "N/s");
  EXPECT_EQ(info("V_at").label, "V(0.5 s)");
  EXPECT_EQ(info("slip_m").key, "") << "it has no feet";
  const auto of_tree = [](const MetricInfo& each) { return each.tree >= 0; };
  const Simulation loop = MakeSimulation("four_bar", {});
  EXPECT_TRUE(std::ranges::none_of(MetricsOf(loop.scene()), of_tree)) << "one mechanism, two trees";
  const MetricSet some(arm, {"twist_rad", "error_peak"});
  ASSERT_EQ(some.infos().size(), 2u);
  EXPECT_EQ(some.infos()[0].key, "error_peak") << "the table's order";
}

TEST(MetricTable, AKeyIsRegisteredOnce) {
  EXPECT_THROW(RegisterMetric(*Metrics().front()), ContractError);
}

TEST(MetricTable, ListsAreMergedWithoutRepetition) {
  const auto metric = [](const char* key, std::optional<double> mark = {}) {
    return MetricInfo{.key = key, .label = key, .unit = "", .doc = "", .mark_s = mark};
  };
  const std::vector<MetricInfo> merged = MergeMetrics(
      {metric("a"), metric("V", 1)}, {metric("a"), metric("V", 2), metric("V", 1), metric("b")});
  EXPECT_THAT(merged,
              testing::ElementsAre(metric("a"), metric("V", 1), metric("V", 2), metric("b")));
  EXPECT_EQ(FindMetric(merged, metric("V", 2)), 2u);
  EXPECT_EQ(FindMetric(merged, metric("c")), merged.size());
}

/// The metric of a run.
double ValueAfter(const std::string& scene, const std::vector<std::string>& overrides,
                  double seconds, const char* key) {
  Simulation simulation = MakeSimulation(scene, overrides);
  MetricSet set(simulation);
  const long steps = std::lround(seconds / simulation.control_dt());
  for (long k = 0; k < steps && simulation.Step(); ++k) set.Add(simulation.record());
  return set.value(key);
}

TEST(MetricTable, RoundingIsNoDifference) {
  const std::vector<MetricInfo> infos = MetricsOf(MakeSimulation("planar_2r").scene());
  const auto difference = [&infos](const char* key, double a, double b) {
    const auto info =
        std::ranges::find_if(infos, [key](const MetricInfo& each) { return each.key == key; });
    return RelativeDifference(*info, a, b);
  };
  EXPECT_EQ(difference("ideal_turning_rad", 0, 2.48e-17), 0);
  EXPECT_EQ(difference("twist_rad", 3e-14, 1e-12), 0);
  EXPECT_NEAR(difference("twist_rad", 5.6e-6, 0.55), 1, 1e-4);
  EXPECT_NEAR(difference("torque_rms", 4, 5), 0.2, 1e-12);
  EXPECT_EQ(difference("torque_rms", 0, 0), 0);
  EXPECT_TRUE(std::isnan(difference("torque_rms", kNaN, 1)));
}

TEST(MetricTable, ARunOnItsReferenceHasNoPassivityResidual) {
  const auto residual = [](const std::string& scene, std::vector<std::string> overrides) {
    return ValueAfter(scene, overrides, 0.5, "passivity_residual");
  };
  EXPECT_TRUE(std::isnan(residual("arm7_circle", {"control.mode=every_stage"})));
  EXPECT_TRUE(std::isnan(residual("arm7_payload_adaptive", {})));
  EXPECT_LT(residual("arm7_twist", {}), 1e-6);
  EXPECT_GT(residual("arm7_twist", {"control.mode=held"}), 1e-4);
}

TEST(MetricTable, ALimitCycleHasNoTrackingError) {
  for (const char* key : {"error_rms", "error_peak", "error_rms_after_2s"}) {
    EXPECT_TRUE(std::isnan(ValueAfter("point_mass_circle", {}, 2.5, key))) << key;
    EXPECT_GT(ValueAfter("point_mass_circle", {"controller.goal=tracking"}, 2.5, key), 0) << key;
  }
}

TEST(QuantileHistogram, IsWithinAQuarterOfAPercentOfTheSortedSamples) {
  std::mt19937 random(3);
  std::lognormal_distribution<double> sample(2, 2);
  std::vector<double> samples;
  QuantileHistogram histogram;
  for (int i = 0; i < 20000; ++i) {
    samples.push_back(sample(random));
    histogram.Add(samples.back());
  }
  histogram.Add(std::nan(""));
  EXPECT_EQ(histogram.count(), 20000);
  std::sort(samples.begin(), samples.end());
  for (const double p : {0.0, 0.01, 0.5, 0.9, 0.99, 0.9999, 1.0}) {
    const double exact = samples[static_cast<std::size_t>(std::lround(p * 19999))];
    EXPECT_NEAR(histogram.Quantile(p), exact, 0.0026 * exact) << p;
  }
  EXPECT_EQ(histogram.Quantile(1), samples.back());
  EXPECT_EQ(QuantileHistogram().Quantile(0.5), 0);
}

TEST(QuantileHistogram, ExtremesStayInside) {
  QuantileHistogram histogram;
  histogram.Add(0);
  histogram.Add(1e30);
  EXPECT_EQ(histogram.Quantile(1), 1e30);
  EXPECT_LE(histogram.Quantile(0), 2e-3);
}

}  // namespace metric_table_test
}  // namespace civita
