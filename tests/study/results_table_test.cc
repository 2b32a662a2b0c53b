#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "civita/study/compare/comparison.h"
#include "civita/study/survive/survival.h"

namespace civita {
namespace results_table_test {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;

MetricInfo Metric(const std::string& key, const std::string& label, MetricKind kind) {
  return {.key = key, .label = label, .unit = "rad", .doc = "of " + label, .kind = kind};
}

std::vector<std::string> TextsOf(const Table::Row& row) {
  std::vector<std::string> texts;
  for (const Table::Cell& cell : row.cells) texts.push_back(CellText(cell, FormatEstimate));
  return texts;
}

TEST(MetricTable, HasARowForEachMetricThatSomeoneHasInGroups) {
  const std::vector<MetricInfo> metrics = {
      Metric("late", "control step", MetricKind::kMachine),
      Metric("error_rms", "error", MetricKind::kMotion),
      Metric("odd", "odd one", MetricKind::kMotion),
      Metric("path", "path", MetricKind::kMotion),
      Metric("twist_rad", "twist", MetricKind::kTurning),
      Metric("torque_rms", "torque", MetricKind::kEffort),
      Metric("drift", "drift", MetricKind::kCheck),
  };
  const std::vector<std::vector<Estimate>> estimates = {
      {{9, NAN}, {1, NAN}},    {{0.01, NAN}, {0.0101, 0.001}}, {{}, {}},
      {{2, NAN}, {2.01, NAN}}, {{0.5, NAN}, {1.5, NAN}},       {{3, NAN}, {3, NAN}},
      {{1e-13, NAN}, {}}};
  const std::vector<std::string> names = {"christoffel", "t:1"},
                                 statuses = {"done", "2 of 4 whole"};
  const Table table = MetricTable(names, statuses, metrics, estimates);
  EXPECT_THAT(table.columns, ElementsAre(Field(&Table::Column::title, "christoffel"),
                                         Field(&Table::Column::title, "t:1")));
  ASSERT_EQ(table.rows.size(), 7u) << "nobody has the odd one";
  std::vector<std::string> headings;
  for (const Table::Row& row : table.rows) headings.push_back(row.heading);
  EXPECT_THAT(headings, ElementsAre("Error and motion", "", "", "Turning", "Effort",
                                    "How exactly the laws hold", "This machine"));
  EXPECT_THAT(TextsOf(table.rows[0]), ElementsAre("done", "2 of 4 whole"));
  EXPECT_EQ(table.rows[1].name, "error");
  EXPECT_EQ(table.rows[1].unit, "rad");
  EXPECT_THAT(TextsOf(table.rows[1]), ElementsAre("0.01", "0.0101 ± 0.001"));
  EXPECT_FALSE(table.rows[1].is_apart);
  EXPECT_FALSE(table.rows[1].is_alike) << "the error leads";
  EXPECT_TRUE(table.rows[2].is_alike) << "the path";
  EXPECT_TRUE(table.rows[3].is_apart) << "the twist";
  EXPECT_TRUE(table.rows[4].is_alike) << "the torque";
  EXPECT_THAT(TextsOf(table.rows[5]), ElementsAre("1e-13", "–"));
  EXPECT_FALSE(table.rows[6].is_apart) << "of the machine, not of the motion";
  EXPECT_FALSE(table.rows[6].is_alike);
}

TEST(PushesTable, HasSharesWithTheirIntervals) {
  SurvivalTable survival;
  SurvivalTrial stood, fell;
  stood.survived = true;
  fell.fell = true;
  survival.rows.push_back({.scene = "robot",
                           .variant = "as modelled",
                           .push = {false, 1.5},
                           .config = "",
                           .trials = {stood, stood, stood, fell}});
  survival.rows.push_back(survival.rows.front());
  survival.rows.back().trials.clear();
  const Table table = PushesTable(survival);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].name, "robot");
  EXPECT_DOUBLE_EQ(table.rows[0].bar->value, 0.75);
  EXPECT_NEAR(table.rows[0].bar->low, 0.3006, 1e-4);
  EXPECT_NEAR(table.rows[0].bar->high, 0.9544, 1e-4);
  EXPECT_FALSE(table.rows[1].bar) << "without trials";
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (!table.columns[i].is_detail) shown.push_back(TextsOf(table.rows[0])[i]);
  }
  EXPECT_THAT(shown,
              ElementsAre("as modelled", "150 %", HasSubstr("3 = 75.0 % [30.1, 95.4]"), "1"));
}

}  // namespace results_table_test
}  // namespace civita
