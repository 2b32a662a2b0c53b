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
